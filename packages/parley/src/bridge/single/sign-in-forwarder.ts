import { after, settledWithin } from '../../jsonrpc/timeout.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { Handler } from '../../server/runtime/server-core.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { wordsOf } from '../failure.ts';
import type { Pool } from '../upstream/pool.ts';
import {
  authorizationFailure,
  knownOf,
  type AuthorizationFailure,
  type KnownUpstream,
  type LoginPage,
  type UpstreamLogin,
} from '../upstream-login.ts';

/** Parts of a bridge that its doorway needs. */
export interface SignInForwarderOptions {
  readonly login: UpstreamLogin;
  /**
   * Reaches the server, if it has not been reached yet.
   *
   * @throws McpError if it cannot be reached.
   */
  reach(): Promise<void>;
  /** Called after a sign-in: the server may offer other items now. */
  signedIn(): void;
}

/** Time between two reports of a call that waits for a person, in milliseconds. */
const reportMs = 10_000;

/** Name of our question among the answers of a stateless client; no server is given it. */
const questionKey = 'parley-login';

/** Parts with which a doorway is opened. */
export interface OpenSignInForwarder {
  readonly login: UpstreamLogin;
  readonly pool: Pool;
  /** Learns what must be known of a server that was reached. */
  learned(): Promise<void>;
  /** Called when the server may offer other items. */
  changed(): void;
  onWarning(message: string): void;
  readonly signal: AbortSignal | undefined;
}

/**
 * Opens a server that may need a login. If a user must sign in first, the stored facts about the server are used, and
 * the first request that needs the server starts the sign-in.
 *
 * @returns The stored facts, which are used until the server is reached.
 * @throws The reason why it cannot be reached; the pool is closed then.
 */
export async function openSignInForwarder(parts: OpenSignInForwarder): Promise<{
  readonly known: KnownUpstream | undefined;
  readonly signInForwarder: SignInForwarder;
}> {
  const { login, pool, changed, onWarning, signal } = parts;
  const reach = reaching(parts);
  const signInForwarder = new SignInForwarder({ login, reach, signedIn: changed });
  const known = await login.known();
  try {
    await firstReached(reach, signInForwarder, known !== undefined);
  } catch (error) {
    const failure = authorizationFailure(error);
    if (known === undefined || failure === undefined || signal?.aborted === true) {
      signInForwarder.close();
      await pool.close();
      throw error instanceof McpError && error.cause instanceof Error ? error.cause : error;
    }
    onWarning(`the server is not reached yet: ${failure.message}`);
  }
  return { known, signInForwarder };
}

/** The longest that keeping facts may hold requests up, in milliseconds. */
const keepingMs = 2_000;

/** Makes a function that reaches the server once. After a failure, the next caller tries again. */
function reaching({ login, pool, learned, onWarning }: OpenSignInForwarder): () => Promise<void> {
  let reached: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    const client = await pool.main.client();
    await learned();
    const kept = login.keep(knownOf(client)).catch((error: unknown) => {
      onWarning(`the facts about the server were not stored: ${wordsOf(error)}`);
    });
    // Facts are stored even by a bridge that closes soon.
    await settledWithin(keepingMs, kept);
  };
  return () =>
    (reached ??= run().catch((error: unknown) => {
      reached = undefined;
      throw error;
    }));
}

/** Time that a server of which facts are known may take before the bridge stands without it, in milliseconds. */
const serverTimeoutMs = 5_000;

async function firstReached(
  reach: () => Promise<void>,
  signInForwarder: SignInForwarder,
  isKnown: boolean,
): Promise<void> {
  if (isKnown) {
    const reached = reach();
    if (await settledWithin(serverTimeoutMs, reached)) await reached;
    // The first caller gets the failure.
    return;
  }
  try {
    await reach();
  } catch (error) {
    const failure = authorizationFailure(error);
    if (failure?.mendable !== true) throw error;
    await signInForwarder.signIn(failure);
    await reach();
  }
}

/** A login that is under way, with the calls that wait for it. */
interface Running {
  readonly done: Promise<void>;
  /** Ends of calls by a question; `undefined` for a call that cannot be asked so. */
  readonly calls: Map<Call, ((question: JsonObject) => void) | undefined>;
  readonly controller: AbortController;
}

/**
 * Forwards requests to a server that may need a login first. Requests that it rejects for lack of a login are sent
 * again after it.
 */
export class SignInForwarder {
  readonly #options: SignInForwarderOptions;
  readonly #closed = new AbortController();
  #running: Running | undefined;

  constructor(options: SignInForwarderOptions) {
    this.#options = options;
  }

  /** The handler behind the doorway. */
  within(handler: Handler): Handler {
    return (params, call) => this.#run(handler, params, call);
  }

  /** Has a person sign in for the sake of no call. */
  async signIn(failure: AuthorizationFailure): Promise<void> {
    if (this.#options.login.signIn === undefined) throw refused(failure);
    await this.#login(failure).done;
  }

  /** Aborts the running login. */
  close(): void {
    this.#closed.abort();
  }

  async #run(handler: Handler, given: Readonly<Record<string, unknown>>, call: Call): Promise<unknown> {
    const params = this.#answered(given);
    for (let again = false; ; again = true) {
      try {
        await this.#options.reach();
        return await handler(params, call);
      } catch (error) {
        const failure = authorizationFailure(error);
        if (failure === undefined || call.aborted) throw error;
        if (!failure.mendable || again) throw refused(failure, error);
        const question = await this.#waitFor(failure, call, mayEndWith(params, call));
        if (question !== undefined) return question;
      }
    }
  }

  /** The params without the answer to our question. (Spec 2026-07-28, MRTR: answers come with the request that is made again.) */
  #answered(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { inputResponses, ...rest } = params;
    if (!isObject(inputResponses) || !Object.hasOwn(inputResponses, questionKey)) return params;
    const { [questionKey]: answer, ...others } = inputResponses;
    if (!isObject(answer) || answer['action'] !== 'accept') {
      this.#running?.controller.abort(declined());
      throw declined();
    }
    return Object.keys(others).length === 0 ? rest : { ...rest, inputResponses: others };
  }

  /**
   * Waits with a call for the login.
   *
   * @returns The question with which the call ends for now, where its client is asked so.
   */
  async #waitFor(failure: AuthorizationFailure, call: Call, mayEnd: boolean): Promise<JsonObject | undefined> {
    if (this.#options.login.signIn === undefined) throw refused(failure);
    const running = this.#login(failure, call);
    const report = reporting(call);
    try {
      return await new Promise<JsonObject | undefined>((resolve, reject) => {
        running.calls.set(call, mayEnd ? resolve : undefined);
        call.onAbort(() => reject(new McpError('internalError', 'the request was cancelled')));
        running.done.then(
          () => resolve(undefined),
          (error: unknown) => reject(refused(authorizationFailure(error) ?? failure, error)),
        );
      });
    } finally {
      report.end();
      running.calls.delete(call);
    }
  }

  /** The running login, or a new one. It is cancelled when all calls that wait for it end. */
  #login({ scopes }: AuthorizationFailure, call?: Call): Running {
    if (this.#running !== undefined) return this.#running;
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, this.#closed.signal]);
    const calls: Running['calls'] = new Map();
    // The first of them is there before anything is asked.
    if (call !== undefined) calls.set(call, undefined);
    const { login, signedIn } = this.#options;
    const run = async (): Promise<void> => {
      try {
        await login.signIn?.({
          scopes,
          signal,
          atStart: call === undefined,
          show: (page) => show(page, calls, signal),
        });
      } finally {
        this.#running = undefined;
      }
      signedIn();
    };
    const running: Running = { done: run(), calls, controller };
    // Everybody may have left by the time that it fails.
    running.done.catch(() => undefined);
    return (this.#running = running);
  }
}

/** Shows a page through the first call whose client can be asked; false if there is none. */
async function show({ url, message }: LoginPage, calls: Running['calls'], signal: AbortSignal): Promise<boolean> {
  for (const [call, give] of calls) {
    if (call.over || !call.client.supports('elicitation.url')) continue;
    const params = { mode: 'url', message, url };
    const { session } = call;
    if (session === undefined) {
      if (give === undefined) continue;
      const inputRequests = { [questionKey]: { method: 'elicitation/create', params } };
      give({ resultType: 'input_required', inputRequests });
      return true;
    }
    const asked = { ...params, elicitationId: crypto.randomUUID() };
    // A client that cannot be asked after all leaves it to the next.
    const answer = await session.ask('elicitation/create', asked, signal, call).catch(() => undefined);
    if (answer === undefined) continue;
    if (answer['action'] === 'accept') return true;
    throw declined();
  }
  return false;
}

/** Tells whether a call may end with a question. One in the middle of rounds has answers that would be lost by it. */
function mayEndWith({ inputResponses, requestState }: Readonly<Record<string, unknown>>, call: Call): boolean {
  const isFirst = inputResponses === undefined && requestState === undefined;
  return isFirst && call.session === undefined && methodOf(call.method)?.inputRequired !== undefined;
}

/** Reports of a call that waits, as long as it does. */
function reporting(call: Call): { end(): void } {
  let stop = (): void => {};
  let count = 0;
  const next = (): void => {
    // Later progress of the server must be higher.
    call.progress(++count / 1_000_000, undefined, 'waiting for you to sign in');
    stop = after(reportMs, next);
  };
  next();
  return { end: () => stop() };
}

function declined(): McpError {
  return new McpError('invalidRequest', 'the login that the upstream server wants was declined');
}

function refused({ message }: AuthorizationFailure, cause?: unknown): McpError {
  if (cause instanceof McpError && cause.kind === 'invalidRequest') return cause;
  return new McpError('internalError', `the upstream server cannot be used: ${message}`, { cause });
}
