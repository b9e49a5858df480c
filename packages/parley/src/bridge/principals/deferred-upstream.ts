/** A server behind a bridge as one principal has it: it is reached by the first request that needs it, and again by each after one that failed. */

import type { Call } from '../../server/runtime/call.ts';
import type { Handler, ServerCore, ServerSession } from '../../server/runtime/server-core.ts';
import { addNewest } from '../../jsonrpc/newest.ts';
import { settledWithin } from '../../jsonrpc/timeout.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import { listChanges, methodOf, methodsWith } from '../../protocol/catalogue.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { McpError } from '../../protocol/error.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import type { SubscriptionFilter } from '../../protocol/features/subscriptions.ts';
import type { Settings } from '../options.ts';
import { requestsAboutTasks } from '../single/handlers.ts';
import type { Single } from '../single/single.ts';
import { unlessAborted } from '../../storage/turns.ts';
import { wordsOf, unreachable } from '../failure.ts';
import { isLoginRequired, loginRequired, type LoginAsking, type Work } from './login-question.ts';
import type { Person, UpstreamSignIn } from './sign-in.ts';
import { signedInResult, SignedOutListens, signedOutResult, signInTool } from './signed-out.ts';

/** Time that a first attempt to reach the server keeps a conversation waiting, in milliseconds. */
const serverTimeoutMs = 10_000;

/** Limit of clients that are remembered as admitted, and as signed out; the headers of calls of others are not compared. */
const maxAdmitted = 1_000;

/** Capabilities of a server of which nothing is known yet: whatever there may be. */
export const unknownOffer: ServerCapabilities = {
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  tools: { listChanged: true },
  extensions: { [tasksExtension]: {} },
};

/** Parts of a server that is reached late. */
export interface DeferredSingleOptions {
  readonly settings: Settings;
  /** Aborts the wait for the first attempt. */
  readonly signal?: AbortSignal | undefined;
  /** Connects to it. */
  open(signal: AbortSignal): Promise<Single>;
  /** Signs its person in, where they have a grant of their own. */
  readonly login?: LateLogin | undefined;
  /** Called when it is closed. */
  onClose?(): void;
}

/** The login of the person of a server. */
export interface LateLogin {
  readonly signIn: UpstreamSignIn;
  readonly person: Person;
  readonly asking: LoginAsking;
  /** Calls a function whenever the user signed in; returns a function that ends that. */
  onGranted(run: () => void): () => void;
}

/** Reaches a server. Settles with the first attempt, whatever its outcome, or earlier when no caller waits any more. */
export async function deferredSingle(options: DeferredSingleOptions): Promise<Single> {
  const late = new DeferredUpstream(options);
  const first = late.reached().catch(() => undefined);
  await settledWithin(serverTimeoutMs, unlessAborted(first, options.signal));
  return late;
}

/** A handshake session that lives, with the request that set its level while there was no server. */
interface Waiting {
  readonly session: ServerSession;
  level: { readonly params: JsonObject; readonly call: Call } | undefined;
}

class DeferredUpstream implements Single {
  readonly host: ServerCore;
  readonly #options: DeferredSingleOptions;
  readonly #closed = new AbortController();
  readonly #sessions = new Map<ServerSession['state'], Waiting>();
  readonly #listens = new SignedOutListens();
  /** Ids of the clients that may use the user's grant. */
  readonly #admitted = new Set<string | undefined>();
  /** Ids of the clients whose last list was that of a signed-out user. */
  readonly #signedOut = new Set<string | undefined>();
  #wasSignedIn = false;
  readonly #forget: (() => void) | undefined;
  #single: Single | undefined;
  #opening: Promise<Single> | undefined;
  #failure: string | undefined;

  constructor(options: DeferredSingleOptions) {
    this.#options = options;
    this.host = this.#asHost();
    this.#forget = options.login?.onGranted(() => void this.#granted().catch(() => undefined));
  }

  get facts(): Single['facts'] {
    return this.#single?.facts;
  }

  get failure(): string | undefined {
    return this.#single === undefined ? this.#failure : undefined;
  }

  get idle(): boolean {
    return this.#opening === undefined && this.#single?.idle !== false;
  }

  /**
   * The server, reached now if it was not before.
   *
   * @throws McpError when it is not reached.
   */
  async reached(): Promise<Single> {
    if (this.#single !== undefined) return this.#single;
    if (this.#closed.signal.aborted) throw new McpError('internalError', 'the bridge is closed');
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    try {
      return await this.#opening;
    } catch (error) {
      this.#failure = wordsOf(error);
      throw error instanceof McpError ? error : unreachable(error);
    }
  }

  signInTool({ auth }: Call): string | undefined {
    return this.#signedOut.has(auth?.clientId) ? signInTool : undefined;
  }

  async keeps(taskId: string, call: Call): Promise<boolean> {
    return await (await this.reached()).keeps(taskId, call);
  }

  async reach(): Promise<void> {
    await (await this.reached()).reach();
  }

  stop(): void {
    this.#listens.end();
    this.#single?.stop();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#options.onClose?.();
    this.#forget?.();
    this.#listens.end();
    await this.#opening?.catch(() => undefined);
    await this.#single?.close();
  }

  async #open(): Promise<Single> {
    const single = await this.#options.open(this.#closed.signal);
    if (this.#closed.signal.aborted) {
      await single.close();
      throw new McpError('internalError', 'the bridge is closed');
    }
    this.#single = single;
    for (const { session, level } of this.#sessions.values()) {
      single.host.opened?.(session);
      if (level !== undefined) void this.#setLevel(single, level);
      const offered = single.host.capabilities();
      for (const { list, method } of listChanges) if (offered[list] !== undefined) session.notify(method, {});
    }
    // The person may have signed in by the page of another process.
    this.#listens.end();
    return single;
  }

  async #setLevel(single: Single, { params, call }: NonNullable<Waiting['level']>): Promise<void> {
    try {
      if (single.host.capabilities().logging !== undefined)
        await single.host.handler('logging/setLevel')?.(params, call);
    } catch (error) {
      this.#options.settings.onWarning(`the log level could not be set: ${wordsOf(error)}`);
    }
  }

  /** Tells everybody that there is something to be seen now. */
  async #granted(): Promise<void> {
    await this.#options.login?.person.signedIn();
    if (this.#single === undefined) await this.reached().catch(() => undefined);
    else
      for (const { session } of this.#sessions.values())
        for (const { method } of listChanges) session.notify(method, {});
    this.#listens.end();
  }

  #handler(method: string): Handler | undefined {
    if (!served.has(method)) return undefined;
    return async (params, call) => {
      const waiting = call.session === undefined ? undefined : this.#sessions.get(call.session.state);
      if (method === 'logging/setLevel' && this.#single === undefined && waiting !== undefined) {
        waiting.level = { params: { ...params }, call };
        return {};
      }
      const work = async (given: JsonObject): Promise<unknown> => await this.#carry(method, given, call);
      const { login } = this.#options;
      if (login === undefined) return await work({ ...params });
      if (methodOf(method)?.inputRequired === true) return await login.asking.run({ ...params }, call, work);
      return await this.#unasked({ ...params }, call, { work, login });
    };
  }

  async #carry(method: string, params: JsonObject, call: Call): Promise<unknown> {
    const { login } = this.#options;
    const isSignIn = login !== undefined && method === 'tools/call' && params['name'] === signInTool;
    await this.#admit(call, isSignIn);
    const { host } = await this.reached();
    const handler = host.handler(method);
    if (handler === undefined) throw new McpError('methodNotFound', `${method} is not served here`);
    try {
      return await handler(params, call);
    } catch (error) {
      const isUnknown =
        error instanceof McpError && (error.kind === 'invalidParams' || error.kind === 'methodNotFound');
      if (isSignIn && isUnknown) return signedInResult(login.signIn);
      throw error;
    }
  }

  /**
   * Lets a client use what its person granted only if the person agreed to that client.
   *
   * @throws McpError when it has to ask first.
   */
  async #admit({ auth }: Call, isSignIn = false): Promise<void> {
    const { login } = this.#options;
    if (login === undefined || auth === undefined) return;
    const isSignedIn = await login.person.isSignedIn();
    // A server with anonymous access may have a tool of this name too, but a signed-out user did not get it in a list.
    if (isSignIn && !isSignedIn) throw loginRequired();
    if (isSignedIn !== this.#wasSignedIn) this.#admitted.clear();
    this.#wasSignedIn = isSignedIn;
    const isAdmitted = !isSignedIn || (await login.signIn.agreed(auth.principal, auth.clientId));
    if (isAdmitted && this.#admitted.size < maxAdmitted) this.#admitted.add(auth.clientId);
    else this.#admitted.delete(auth.clientId);
    if (!isAdmitted) throw loginRequired();
  }

  /** Shows the items that need no grant, if a method cannot ask. */
  async #unasked(
    params: JsonObject,
    call: Call,
    { work, login }: { readonly work: Work; readonly login: LateLogin },
  ): Promise<unknown> {
    const client = call.auth?.clientId;
    try {
      const result = await work(params);
      this.#signedOut.delete(client);
      return result;
    } catch (error) {
      if (!isLoginRequired(error)) throw error;
      addNewest(this.#signedOut, maxAdmitted, client);
      if (call.method === 'subscriptions/listen')
        // Its params were read by its row.
        return await this.#listens.listen(call, params['notifications'] as SubscriptionFilter);
      const result = signedOutResult(call.method, login.signIn);
      if (result === undefined) throw error;
      return result;
    }
  }

  #asHost(): ServerCore {
    const { settings } = this.#options;
    const inner = (): ServerCore | undefined => this.#single?.host;
    return {
      get info() {
        return inner()?.info ?? settings.info;
      },
      get instructions() {
        return inner()?.instructions;
      },
      // The contents may be for this principal alone.
      get discoverHint() {
        return { ttlMs: inner()?.discoverHint.ttlMs ?? 0, cacheScope: 'private' as const };
      },
      revisions: settings.revisions,
      exactNumbers: true,
      relays: true,
      undeclared: (feature, method) => inner()?.undeclared?.(feature, method) === true,
      listeners: settings.listeners,
      chain: settings.chain,
      requestTimeoutMs: 600_000,
      maxRounds: 32,
      capabilities: () => inner()?.capabilities() ?? unknownOffer,
      extensions: () => inner()?.extensions?.() ?? {},
      handler: (method) => this.#handler(method),
      unknown: async (params, call) => {
        await this.#admit(call);
        return await (await this.reached()).host.unknown?.(params, call);
      },
      notified: (method, params, from) => inner()?.notified?.(method, params, from),
      headerParameters: (tool, auth) => {
        // These methods reveal that the tool exists.
        const isShown = this.#options.login === undefined || auth === undefined || this.#admitted.has(auth.clientId);
        return (isShown ? inner()?.headerParameters(tool, auth) : undefined) ?? [];
      },
      onError: settings.onError,
      admit: (from) => inner()?.admit?.(from),
      opened: (session) => {
        this.#sessions.set(session.state, { session, level: undefined });
        inner()?.opened?.(session);
      },
      closed: (session) => {
        this.#sessions.delete(session.state);
        inner()?.closed?.(session);
      },
    };
  }
}

/** The methods that a bridge before one server may serve. */
const served: ReadonlySet<string> = new Set([
  ...methodsWith(({ carried }) => carried !== undefined),
  ...requestsAboutTasks,
  'tools/list',
  'tools/call',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]);
