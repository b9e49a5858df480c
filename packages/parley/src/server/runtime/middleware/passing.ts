/** Messages of a conversation with a client on their way through middleware. */

import type { NotificationMessage, RequestId, RequestMessage } from '../../../jsonrpc/message.ts';
import type { MiddlewareStack } from '../../../connection/middleware/middleware-stack.ts';
import type { MiddlewareSession } from '../../../connection/middleware/middleware.ts';
import { inOrder, passed } from '../../../connection/middleware/order.ts';
import { pass, type MiddlewareFacts, type Core } from '../../../connection/middleware/pass.ts';
import { methodOf } from '../../../protocol/catalogue.ts';
import { checkWritten } from '../../../protocol/compile/check.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { toWire } from '../../../protocol/compile/to-wire.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { inputRequiredResultShape } from '../../../protocol/features/rounds.ts';
import type { MethodRow } from '../../../protocol/method.ts';
import { newestOf, newestRevision, type Revision, type RevisionDate } from '../../../protocol/revision.ts';
import { mapMaybe, catchMaybe, type MaybePromise } from '../../../storage/maybe-promise.ts';
import type { Call } from '../call.ts';
import type { AuthInfo, ReplyChannel } from '../request-handler.ts';
import { isExtensionResult, passedOn, resultFor } from '../extension-result.ts';
import type { ServerCore, ServerSession } from '../server-core.ts';
import { maskedError } from '../masking.ts';

/** The place where messages of a conversation pass through middleware. */
export interface PassingPlace {
  readonly chain: MiddlewareStack;
  readonly host: ServerCore;
  readonly link: ReplyChannel;
}

/** Circumstances of a message. */
interface Circumstances {
  readonly direction: MiddlewareFacts['direction'];
  readonly kind: MiddlewareFacts['kind'];
  readonly facts: Revision;
  readonly link: Pick<ReplyChannel, 'network' | 'protocol' | 'address' | 'id'>;
  readonly session: ServerSession | undefined;
  readonly auth: AuthInfo | undefined;
  readonly requestId?: RequestId | undefined;
  /** The call or question of the message; left out for notifications. */
  readonly live?: { readonly signal: AbortSignal } | undefined;
  known?(): boolean | undefined;
  /** The session that it opens. */
  readonly opens?: MiddlewareSession;
}

/** A message that passes through middleware at a server. */
export class HostMessage implements MiddlewareFacts {
  readonly side = 'server';
  readonly method: string;
  requestId: RequestId | undefined;
  readonly #of: Circumstances;

  constructor(method: string, of: Circumstances) {
    this.method = method;
    this.requestId = of.requestId;
    this.#of = of;
  }

  get direction(): MiddlewareFacts['direction'] {
    return this.#of.direction;
  }
  get kind(): MiddlewareFacts['kind'] {
    return this.#of.kind;
  }
  get revision(): RevisionDate {
    return this.#of.facts.date;
  }
  get session(): MiddlewareSession | undefined {
    const { session, opens } = this.#of;
    return session === undefined ? opens : sessionOf(session);
  }
  get transport(): string | undefined {
    return this.#of.link.network;
  }
  get protocol(): string | undefined {
    return this.#of.link.protocol;
  }
  get auth(): AuthInfo | undefined {
    return this.#of.auth;
  }
  get address(): string | undefined {
    return this.#of.link.address;
  }
  get known(): boolean | undefined {
    return this.#of.known?.();
  }
  get signal(): AbortSignal {
    return this.#of.live?.signal ?? new AbortController().signal;
  }
  check(params: JsonObject): JsonObject {
    return checkedParams(this.method, params, this.#of.facts);
  }
}

const sessions = new WeakMap<object, FollowedSession>();

/** The sessions that `initialize` opens, while it passes through middleware. */
const opening = new WeakMap<ReplyChannel, FollowedSession>();

function sessionOf(session: ServerSession): MiddlewareSession {
  return sessions.get(session.state) ?? followed(session, new FollowedSession(session.id, session.openedAt));
}

function followed(session: ServerSession, made: FollowedSession): MiddlewareSession {
  sessions.set(session.state, made);
  session.onEnd = () => made.end();
  return made;
}

/** Continues the session that `initialize` opened, as middleware saw it there. */
export function openedAs(session: ServerSession, link: ReplyChannel): void {
  const made = opening.get(link);
  if (made !== undefined) followed(session, made);
  opening.delete(link);
}

/** A session of a client, as middleware sees it. */
class FollowedSession implements MiddlewareSession {
  readonly id: string | undefined;
  readonly openedAt: number;
  readonly #listeners: (() => void)[] = [];
  #isOver = false;

  constructor(id: string | undefined, openedAt: number) {
    this.id = id;
    this.openedAt = openedAt;
  }

  onEnd(listener: () => void): void {
    if (this.#isOver) listener();
    else this.#listeners.push(listener);
  }

  end(): void {
    this.#isOver = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

/** Parameters in the newest form, validated as if they had come in a revision. */
function checkedParams(method: string, params: JsonObject, revision: Revision): JsonObject {
  const type = methodOf(method)?.params;
  if (type !== undefined) fromWire(revision, type, toWire(revision, type, params as never));
  return params;
}

/** The way of a client's request. */
interface Requested extends Omit<PassingPlace, 'link'> {
  readonly call: Call;
  readonly row: MethodRow | undefined;
  run(params: JsonObject): MaybePromise<unknown>;
}

/** Sends a request of the client through middleware. Returns the result as its handler would. */
export function servedThrough(message: RequestMessage, way: Requested): MaybePromise<unknown> {
  const { method, params: given = {}, id } = message;
  const { chain, host, call, row, run } = way;
  const { guide } = host;
  const { link, facts, session, auth } = call;
  // Every params type is an object with string keys.
  const params = row === undefined ? given : (fromWire(facts, row.params, given) as JsonObject);
  const about = new HostMessage(method, {
    direction: 'received',
    kind: 'request',
    facts,
    link,
    session,
    auth,
    requestId: id,
    live: call,
    known: () => guide?.knows(method, params, auth),
  });
  call.passes = sentBy(chain, host);
  let own: unknown;
  let shown: unknown;
  const core: Core = (changed) =>
    mapMaybe(run(changed), (result): JsonObject => {
      own = result;
      // A handler gives an object.
      shown = isExtensionResult(result) ? resultFor(result, call, host) : result;
      return shown as JsonObject;
    });
  const outcome = catchMaybe<unknown>(
    () => asPromise(pass(chain, about, params, core)),
    (error) => {
      const told = guide?.thrown(method, error);
      if (told === undefined) throw error;
      return told;
    },
  );
  return mapMaybe(outcome, (result) => {
    const settled =
      result === shown ? own : passedResult(method, result as JsonObject, { row, isOther: own !== shown });
    const waiting = passed(call);
    return waiting === undefined ? settled : waiting.then(() => settled);
  });
}

/** Converts a later value to a promise, whatever it is. */
function asPromise<T>(value: MaybePromise<T>): T | Promise<T> {
  return mapMaybe(value, (settled) => settled);
}

/**
 * A result that middleware made or changed.
 *
 * @throws TypeError for a result that cannot be sent.
 */
export function passedResult(
  method: string,
  result: JsonObject,
  { row, isOther }: { readonly row: MethodRow | undefined; readonly isOther: boolean },
): unknown {
  const { resultType } = result;
  const asks = resultType === 'input_required';
  // A result of an extension has its own form.
  if (isOther || !(asks || resultType === undefined || resultType === 'complete')) return passedOn(result);
  const type = asks ? inputRequiredResultShape : row?.result;
  const [problem] = type === undefined ? [] : checkWritten(type, result);
  if (problem !== undefined)
    throw new TypeError(
      `middleware made a result of ${method} that cannot be sent: ${problem.path} ${problem.message}`,
    );
  return result;
}

/** `initialize`, which opens a session when everything has passed. */
export function openedThrough(
  { method, id }: RequestMessage,
  { chain, host, link }: PassingPlace,
  params: JsonObject,
  core: Core,
): MaybePromise<JsonObject> {
  const facts = newestOf(host.revisions, 'handshake') ?? newestRevision;
  const { auth } = link;
  const opens = new FollowedSession(link.id, performance.now());
  const about = new HostMessage(method, {
    direction: 'received',
    kind: 'request',
    facts,
    link,
    session: undefined,
    auth,
    requestId: id,
    opens,
  });
  return pass(chain, about, params, (given) => {
    const result = core(given);
    // If several pass at the same time, only one opens the session.
    opening.set(link, opens);
    return result;
  });
}

/** A notification of the client, as received. */
export function noticedThrough(
  conversation: object,
  { method, params = {} }: NotificationMessage,
  way: PassingPlace & {
    readonly session: ServerSession | undefined;
    readonly facts: Revision;
    tell(params: JsonObject): unknown;
  },
): void {
  const { chain, host, link, session, facts, tell } = way;
  const about = new HostMessage(method, {
    direction: 'received',
    kind: 'notification',
    facts,
    link,
    session,
    auth: session?.auth ?? link.auth,
  });
  const core: Core = (given) => mapMaybe(tell(given) as MaybePromise<unknown>, () => ({}));
  inOrder(
    conversation,
    () => pass(chain, about, params, core),
    (error) => void maskedError(host, error, method),
  );
}

type Sends = NonNullable<Call['passes']>;

const senders = new WeakMap<ServerCore, Sends>();

/**
 * Sends notifications of a host's requests through its middleware. All requests share one function. One function for
 * each request kept its data until the next full garbage collection, a third of the request's total cost.
 */
function sentBy(chain: MiddlewareStack, host: ServerCore): Sends {
  let sends = senders.get(host);
  if (sends === undefined)
    senders.set(host, (sends = (call, method, params) => sent(call, method, params, { chain, host, link: call.link })));
  return sends;
}

/** A notification of a running request. */
function sent(call: Call, method: string, params: JsonObject, { chain, host, link }: PassingPlace): void {
  const { facts, session, auth } = call;
  const about = new HostMessage(method, { direction: 'sent', kind: 'notification', facts, link, session, auth });
  const core: Core = (given) => {
    call.write(method, given);
    return {};
  };
  inOrder(
    call,
    () => pass(chain, about, params, core),
    (error) => void maskedError(host, error, method),
  );
}

/** A notification of a session that belongs to none of its requests. */
export function toldThrough(
  session: ServerSession,
  method: string,
  { chain, host, link, params, write }: PassingPlace & { readonly params: JsonObject; write(params: JsonObject): void },
): void {
  const { revision: facts, auth } = session;
  const about = new HostMessage(method, { direction: 'sent', kind: 'notification', facts, link, session, auth });
  const core: Core = (given) => {
    write(given);
    return {};
  };
  inOrder(
    session.state,
    () => pass(chain, about, params, core),
    (error) => void maskedError(host, error, method),
  );
}

/** A question to the client of a session, in the newest form. */
export function askedThrough(
  method: string,
  params: JsonObject,
  way: PassingPlace & {
    readonly facts: Revision;
    readonly session: ServerSession | undefined;
    readonly signal: AbortSignal;
    ask(params: JsonObject, sent: (id: RequestId) => void): Promise<JsonObject>;
  },
): MaybePromise<JsonObject> {
  const { chain, link, facts, session, signal, ask } = way;
  const auth = session?.auth ?? link.auth;
  const about = new HostMessage(method, {
    direction: 'sent',
    kind: 'request',
    facts,
    link,
    session,
    auth,
    live: { signal },
  });
  return pass(chain, about, params, (given) => ask(given, (id) => void (about.requestId = id)));
}
