/** Messages of a client on their way through middleware. */

import type { NotificationMessage, RequestId } from '../../jsonrpc/message.ts';
import type { ConnectionError } from '../../jsonrpc/transport.ts';
import type { SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { MiddlewareStack } from '../../connection/middleware/middleware-stack.ts';
import type { MiddlewareSession } from '../../connection/middleware/middleware.ts';
import { inOrder } from '../../connection/middleware/order.ts';
import { pass, type MiddlewareFacts, type Core } from '../../connection/middleware/pass.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import type { Type } from '../../protocol/shape.ts';
import { answerType } from '../../protocol/task-answer.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Revision, RevisionDate } from '../../protocol/revision.ts';
import { mapMaybe, type MaybePromise } from '../../storage/maybe-promise.ts';
import type { PageOptions } from '../cache/cacheable-request.ts';
import { withMeta } from '../connection/request-meta.ts';
import type { InboundContext } from './inbound.ts';

/** Circumstances of a message. */
interface Circumstances {
  readonly direction: MiddlewareFacts['direction'];
  readonly kind: MiddlewareFacts['kind'];
  readonly requestId?: RequestId | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A message that passes at a client. */
class ClientMessage implements MiddlewareFacts {
  readonly side = 'client';
  readonly method: string;
  requestId: RequestId | undefined;
  readonly auth: undefined;
  readonly known: undefined;
  readonly #of: Circumstances;
  readonly #carrier: CarrierView;

  constructor(method: string, carrier: CarrierView, of: Circumstances) {
    this.method = method;
    this.requestId = of.requestId;
    this.#of = of;
    this.#carrier = carrier;
  }

  get direction(): MiddlewareFacts['direction'] {
    return this.#of.direction;
  }
  get kind(): MiddlewareFacts['kind'] {
    return this.#of.kind;
  }
  get revision(): RevisionDate {
    return this.#carrier.revision.date;
  }
  get session(): MiddlewareSession | undefined {
    return this.#carrier.session;
  }
  get transport(): string | undefined {
    return this.#carrier.facts.network;
  }
  get protocol(): string | undefined {
    return this.#carrier.facts.protocol;
  }
  get address(): string | undefined {
    return this.#carrier.facts.address;
  }
  get signal(): AbortSignal {
    return this.#of.signal ?? new AbortController().signal;
  }
  check(params: JsonObject): JsonObject {
    const { revision } = this.#carrier;
    const type = methodOf(this.method)?.params;
    if (type !== undefined) fromWire(revision, type, toWire(revision, type, params as never));
    return params;
  }
}

/** The connection of a client through all its losses, as what carries its messages. */
export interface CarrierSource {
  readonly settled: {
    readonly revision: Revision;
    readonly openedAt: number;
    /** Reason why it is over. */
    readonly lost: ConnectionError | undefined;
    readonly agreement: { readonly channel: { readonly facts: SettledFacts } };
  };
  /** Follows it as long as it lives. */
  observe(observer: { lost(): void; ended(error: ConnectionError | undefined): void }): void;
}

const carriers = new WeakMap<CarrierSource, CarrierView>();

function carrierOf(source: CarrierSource): CarrierView {
  let carrier = carriers.get(source);
  if (carrier === undefined) carriers.set(source, (carrier = new CarrierView(source)));
  return carrier;
}

/** Connection of a client, as middleware sees what carries its messages. */
class CarrierView {
  readonly #source: CarrierSource;
  #session: Session | undefined;

  constructor(source: CarrierSource) {
    this.#source = source;
    source.observe({ lost: () => this.#end(source.settled.lost), ended: (error) => this.#end(error) });
  }

  get revision(): Revision {
    return this.#source.settled.revision;
  }
  get facts(): SettledFacts {
    return this.#source.settled.agreement.channel.facts;
  }
  get session(): MiddlewareSession | undefined {
    return this.revision.sessions ? (this.#session ??= new Session(this.#source.settled.openedAt)) : undefined;
  }

  #end(cause: ConnectionError | undefined): void {
    this.#session?.end(cause);
    this.#session = undefined;
  }
}

/** A session as the client has it; its id is the transport's alone. */
class Session implements MiddlewareSession {
  readonly id: undefined;
  readonly openedAt: number;
  readonly #listeners: ((cause?: Error) => void)[] = [];
  #ended: { readonly cause: ConnectionError | undefined } | undefined;

  constructor(openedAt: number) {
    this.openedAt = openedAt;
  }

  onEnd(listener: (cause?: Error) => void): void {
    if (this.#ended === undefined) this.#listeners.push(listener);
    else listener(this.#ended.cause);
  }

  end(cause: ConnectionError | undefined): void {
    this.#ended = { cause };
    for (const listener of this.#listeners.splice(0)) listener(cause);
  }
}

/** A request to the server, with everything that is done to have it answered behind middleware. */
export function requestThrough(
  method: string,
  { params, options }: { readonly params: JsonObject | undefined; readonly options: PageOptions },
  way: {
    readonly chain: MiddlewareStack;
    readonly connection: { readonly source: CarrierSource };
    readonly requests: {
      request(method: string, params: JsonObject | undefined, options: PageOptions): Promise<JsonObject>;
    };
  },
): MaybePromise<JsonObject> {
  const { chain, connection, requests } = way;
  const { meta, onSent, finish, ...others } = options;
  const send = async (given: JsonObject | undefined, sending: PageOptions): Promise<JsonObject> => {
    const result = await requests.request(method, given, { ...sending, cache: 'bypass' });
    return finish === undefined ? result : await finish(given, result, sending);
  };
  const about = new ClientMessage(method, carrierOf(connection.source), {
    direction: 'sent',
    kind: 'request',
    signal: options.signal,
  });
  const whole = meta === undefined ? (params ?? {}) : withMeta(params, {}, meta);
  const core: Core = (given) =>
    send(given === whole && meta === undefined ? params : given, {
      ...others,
      passed: true,
      onSent: (id) => {
        about.requestId = id;
        onSent?.(id);
      },
    });
  return pass(chain, about, whole, core);
}

/** The connection that sends a notification. */
interface Notifier {
  readonly source: CarrierSource;
  notify(method: string, params: JsonObject | undefined): Promise<void>;
}

/** A notification to the server. */
export function notifyThrough(
  method: string,
  params: JsonObject | undefined,
  { chain, connection }: { readonly chain: MiddlewareStack; readonly connection: Notifier },
): Promise<void> {
  const about = new ClientMessage(method, carrierOf(connection.source), { direction: 'sent', kind: 'notification' });
  const whole = params ?? {};
  return new Promise((resolve, reject) => {
    const core: Core = async (given) => {
      await connection.notify(method, given === whole ? params : given);
      return {};
    };
    inOrder(connection, () => mapMaybe(pass(chain, about, whole, core), () => resolve()), reject);
  });
}

/** A notification of the server, as received. */
export function heardThrough(
  { method, params = {} }: NotificationMessage,
  way: {
    readonly chain: MiddlewareStack;
    readonly source: CarrierSource;
    hear(params: JsonObject): void;
    failed(error: unknown): void;
  },
): void {
  const { chain, source, hear, failed } = way;
  const carrier = carrierOf(source);
  const about = new ClientMessage(method, carrier, { direction: 'received', kind: 'notification' });
  const core: Core = (given) => {
    hear(given);
    return {};
  };
  inOrder(carrier, () => pass(chain, about, params, core), failed);
}

/** A request of the server. Params and result are in wire form. Middleware sees them in the newest form. */
export function answerThrough(
  { method, id }: { readonly method: string; readonly id: RequestId },
  params: JsonObject,
  way: {
    readonly chain: MiddlewareStack;
    readonly source: CarrierSource;
    readonly context: InboundContext;
    answer(params: JsonObject): JsonObject | Promise<JsonObject>;
  },
): MaybePromise<JsonObject> {
  const { chain, source, context, answer } = way;
  const { revision, signal } = context;
  const { params: type, result } = methodOf(method) ?? {};
  const about = new ClientMessage(method, carrierOf(source), {
    direction: 'received',
    kind: 'request',
    requestId: id,
    signal,
  });
  // Interfaces of params and results are JSON objects, and the rows of a method name their types.
  const read = type === undefined ? params : (fromWire(revision, type, params) as unknown as JsonObject);
  const wireOf = (given: JsonObject): JsonObject => {
    if (given === read) return params;
    return type === undefined ? given : toWire(revision, type, given as never);
  };
  // Called if the method has a result type.
  const typeOf = (given: JsonObject): Type => answerType(result as Type, revision, params, given);
  let own: JsonObject | undefined;
  let shown: JsonObject | undefined;
  const core: Core = (given) =>
    mapMaybe(answer(wireOf(given)), (answered) => {
      own = answered;
      shown = result === undefined ? answered : (fromWire(revision, typeOf(answered), answered) as JsonObject);
      return shown;
    });
  return mapMaybe(pass(chain, about, read, core), (settled): JsonObject => {
    if (settled === shown && own !== undefined) return own;
    return result === undefined ? settled : (toWire(revision, typeOf(settled), settled as never) as JsonObject);
  });
}
