/** Asks a client for the login of its user, in the way of its revision. The original request continues afterwards. */

import { after } from '../../jsonrpc/timeout.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { jsonText } from '../../json/exact-number.ts';
import { parseExactJson } from '../../json/parse-exact.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import type { ConsentOutcome, ConsentSession } from '../../auth/consent/consent-sessions.ts';
import type { Call } from '../../server/runtime/call.ts';
import { packResult, unpackResult, type PackedResult } from '../../server/runtime/extension-result.ts';
import { mayHaveRun } from '../../server/runtime/input/refused-state.ts';
import { bindingOf } from '../../server/runtime/input/request-state.ts';
import { SingleUse, type RoundDelivery } from '../../server/runtime/input/single-use.ts';
import { memoryRoundStore } from '../../server/runtime/input/state-store.ts';
import { digestOf } from '../../connection/digest.ts';
import { McpError, type ErrorName } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Seal } from '../../sealing/seal.ts';
import { authorizationIn } from '../failure.ts';
import type { Person, UpstreamSignIn } from './sign-in.ts';

/** Parts that asking needs. */
export interface LoginAskingOptions {
  readonly signIn: UpstreamSignIn;
  readonly principal: string;
  readonly person: Person;
  readonly seal: Seal;
  /** Time that a stateless client may take to bring its answer, in milliseconds. */
  readonly ttlMs: number;
  /** Ends what waits when the bridge is closed. */
  readonly closed: AbortSignal;
  now(): number;
}

/** Runs the original request. */
export type Work = (params: JsonObject) => Promise<unknown>;

/** Content of the `requestState` of a question for a login. */
interface LoginState {
  readonly url: string;
  readonly expires: number;
  /** Answers and state that the request brought for the upstream. */
  readonly brought: JsonObject;
}

/** Name of the question among those of one round. */
const key = 'sign-in';

/** Limit of the logins of one user that are awaited only to notify the client of their end. */
const maxLate = 8;

/** Limits of the answers of one person that are remembered, and of the characters of their outcomes. */
const maxAnswers = 10_000;
const mostCharacters = 4 * 1024 * 1024;

/** Asks for the logins of one person at one upstream. */
export class LoginAsking {
  readonly #options: LoginAskingOptions;
  /** Abort controllers of late waits, the oldest first. */
  readonly #late = new Set<AbortController>();

  /** Answers after which the work was done. */
  readonly #answered = new SingleUse(
    memoryRoundStore({ maxMarks: maxAnswers }),
    memoryRoundStore({ maxCharacters: mostCharacters }),
    0,
  );

  constructor(options: LoginAskingOptions) {
    this.#options = options;
  }

  /**
   * Runs work for a request. If it fails because the user is not signed in, the user is asked, and it runs after the
   * sign-in.
   *
   * @throws McpError of the work; urlElicitationRequired if the user takes long, in the revision that has it.
   */
  async run(params: JsonObject, call: Call, work: Work): Promise<unknown> {
    const { requestState, inputResponses, ...first } = params;
    const state = await this.#opened(requestState, params, call);
    if (state === undefined) return await this.#attempt(params, call, work);
    const response = isObject(inputResponses) ? inputResponses[key] : undefined;
    const isAccepted = isObject(response) && response['action'] === 'accept';
    if (!isAccepted) return this.#failed(call, 'the user did not agree to go there');
    const leftMs = state.expires - this.#options.now();
    const delivery = { id: digestOf(requestState), answers: '', leftMs, call };
    // An expired answer starts nothing. It gets the stored outcome.
    if (leftMs < 0) return await this.#once(delivery, () => work(first));
    const visit = await this.#options.signIn.consent.visitOf(state.url);
    const outcome = visit === undefined ? 'over' : await this.#waited(call, visit);
    if (outcome === 'waiting') return this.#failed(call, this.#later(state.url));
    const once: Work = async (given) => await this.#once(delivery, async () => await work(given));
    return await this.#went(outcome, { params: { ...first, ...state.brought }, call, work: once });
  }

  /** Does the work for the first delivery of an answer; each other one gets its outcome, an error too. */
  async #once(delivery: RoundDelivery, work: () => Promise<unknown>): Promise<unknown> {
    const outcome = async (): Promise<Done> => {
      try {
        return { result: packResult(await work()) };
      } catch (error) {
        // Nothing ran, so the same answer may be delivered again.
        if (isLoginRequired(error)) throw error;
        const { kind, code, message, data } = told(error, delivery);
        return { error: { name: kind, code, message, data } };
      }
    };
    const run = { outcome, hasFailed: () => false, effects: async () => ({}) };
    // It is what `outcome` gave, read again perhaps.
    const { result, error } = (await this.#answered.outcome(delivery, () => run)) as Done;
    if (error !== undefined) throw new McpError(error.name ?? error.code, error.message, { data: error.data });
    return result && unpackResult(result);
  }

  async #attempt(params: JsonObject, call: Call, work: Work): Promise<unknown> {
    try {
      return await work(params);
    } catch (error) {
      if (!isLoginRequired(error)) throw error;
      return await this.#ask({ params, call, work });
    }
  }

  async #went(outcome: ConsentOutcome, about: Asked): Promise<unknown> {
    const { call } = about;
    if (outcome === 'declined') return this.#failed(call, 'the user declined');
    if (outcome === 'failed') return this.#failed(call, 'it did not work; try again');
    const { params, work } = about;
    await this.#options.person.signedIn();
    // The link has expired. The user may have signed in through another one.
    if (outcome === 'over') return await this.#attempt(params, call, work);
    return await work(params);
  }

  async #ask(about: Asked): Promise<unknown> {
    const { signIn, principal, person } = this.#options;
    const { call } = about;
    const { info } = call.client;
    const by = info?.title ?? info?.name;
    const client = call.auth?.clientId;
    const consentOnly = (await person.isSignedIn()) && !(await signIn.agreed(principal, client));
    const scopes = consentOnly ? [] : person.wanted;
    const wish = { principal, party: signIn.id, scopes, by, client, consentOnly };
    const { url, visit } = await signIn.consent.invite(wish);
    const message = `Sign in at ${signIn.name}, so that ${signIn.requester} can use it for you.`;
    if (!call.client.supports('elicitation.url')) return this.#unasked(call, { url, message });
    if (call.facts.resultsAsk) return await this.#asRound({ url, message }, about);
    return await this.#asRequest({ url, message, visit }, about);
  }

  /** Spec 2026-07-28, MRTR: the result asks, and the client comes back with the answer. */
  async #asRound({ url, message }: Question, { params, call }: Asked): Promise<JsonObject> {
    const { seal, ttlMs, now } = this.#options;
    const { requestState, inputResponses } = params;
    const brought = {
      ...(requestState === undefined ? {} : { requestState }),
      ...(inputResponses === undefined ? {} : { inputResponses }),
    };
    const state: LoginState = { url, expires: now() + ttlMs, brought };
    return {
      resultType: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: { mode: 'url', message, url } } },
      requestState: await seal.seal(jsonText(state), this.#boundTo(call, params)),
    };
  }

  /** Spec 2025-11-25, Elicitation, URL mode: a request asks, and a notification reports the completion. */
  async #asRequest(
    { url, message, visit }: Question & { readonly visit: ConsentSession },
    about: Asked,
  ): Promise<unknown> {
    const { call } = about;
    const { session } = call;
    if (session === undefined) return this.#unasked(call, { url, message });
    const elicitationId = crypto.randomUUID();
    const question = { mode: 'url', message, url, elicitationId };
    const { action } = await session.ask('elicitation/create', question, call.signal, call);
    if (action !== 'accept') return this.#failed(call, 'the user did not agree to go there');
    const completed = (): void => session.notify('notifications/elicitation/complete', { elicitationId });
    const outcome = await this.#waited(call, visit);
    if (outcome === 'granted') completed();
    if (outcome !== 'waiting') return await this.#went(outcome, about);
    // The client is notified of the completion, and sends its request again then.
    void this.#tellLate(visit, completed).catch(() => undefined);
    throw new McpError('urlElicitationRequired', 'sign in first', { data: { elicitations: [question] } });
  }

  /** Notifies the client when a long login is complete. Beyond the limit, the oldest wait ends. */
  async #tellLate(visit: ConsentSession, completed: () => void): Promise<void> {
    const { signIn, closed } = this.#options;
    const over = new AbortController();
    this.#late.add(over);
    const [oldest] = this.#late;
    if (this.#late.size > maxLate && oldest !== undefined) {
      this.#late.delete(oldest);
      oldest.abort(new Error('newer logins replaced this one'));
    }
    try {
      const outcome = await signIn.consent.outcome(visit, AbortSignal.any([closed, over.signal]));
      if (outcome === 'granted') completed();
    } finally {
      this.#late.delete(over);
    }
  }

  /** The answer if the client cannot be asked: its user can open the link in the text. */
  #unasked(call: Call, { url, message }: Question): JsonObject {
    if (call.method !== 'tools/call' && call.facts.elicitation === 'form-and-url' && call.facts.serverRequests) {
      const elicitations = [{ mode: 'url', message, url, elicitationId: crypto.randomUUID() }];
      throw new McpError('urlElicitationRequired', this.#later(url), { data: { elicitations } });
    }
    return this.#failed(call, this.#later(url));
  }

  #later(url: string): string {
    return `the user must open ${url} in a browser, and this must be called again afterwards`;
  }

  /** A failure: for the model if a tool was called, otherwise for the client. */
  #failed(call: Call, why: string): JsonObject {
    const text = `the user is not signed in at ${this.#options.signIn.name}: ${why}`;
    if (call.method === 'tools/call') return { content: [{ type: 'text', text }], isError: true };
    throw new McpError('internalError', text);
  }

  /** Waits for a visit to end, but not for long. */
  async #waited(call: Call, visit: ConsentSession): Promise<ConsentOutcome | 'waiting'> {
    const { signIn, closed } = this.#options;
    const enough = new AbortController();
    const stop = after(signIn.waitTimeoutMs, () => enough.abort());
    try {
      return await signIn.consent.outcome(visit, AbortSignal.any([call.signal, closed, enough.signal]));
    } catch (error) {
      if (enough.signal.aborted) return 'waiting';
      throw error;
    } finally {
      stop();
    }
  }

  async #opened(given: unknown, params: JsonObject, call: Call): Promise<LoginState | undefined> {
    if (typeof given !== 'string') return undefined;
    const text = await this.#options.seal.open(given, this.#boundTo(call, params));
    // It was sealed here.
    return text === undefined ? undefined : (parseExactJson(text, Number.POSITIVE_INFINITY) as LoginState);
  }

  #boundTo(call: Call, params: JsonObject): string {
    const { principal, signIn } = this.#options;
    return `${signIn.id} ${bindingOf(call.method, params, principal)}`;
  }
}

/** Outcome of the original request, in stored form. */
interface Done {
  readonly result?: PackedResult;
  readonly error?: {
    readonly name: ErrorName | undefined;
    readonly code: number;
    readonly message: string;
    readonly data: unknown;
  };
}

/** The error that each delivery gets. */
function told(error: unknown, { call }: RoundDelivery): McpError {
  if (call.aborted) return mayHaveRun('it was cancelled, since its client left');
  return error instanceof McpError ? error : new McpError('internalError', 'internal error');
}

/** A request whose user is asked. */
interface Asked {
  readonly params: JsonObject;
  readonly call: Call;
  readonly work: Work;
}

interface Question {
  readonly url: string;
  readonly message: string;
}

/** Tells whether something failed since a person is not signed in. */
export function isLoginRequired(error: unknown): boolean {
  return authorizationIn(error)?.reason === 'login-required';
}

/** The error for an action that needs a signed-in user. */
export function loginRequired(): McpError {
  const cause = new AuthorizationError('login-required', 'this person is not signed in at the upstream');
  return new McpError('internalError', 'the upstream server requires a sign-in', { cause });
}
