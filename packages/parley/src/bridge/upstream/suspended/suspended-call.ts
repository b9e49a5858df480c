import { jsonText } from '../../../json/exact-number.ts';
import { isRequestId } from '../../../jsonrpc/message.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { askMethods, type AskMethod } from '../../../connection/client-request.ts';
import type { Call } from '../../../server/runtime/call.ts';
import { requireCapabilities } from '../../../connection/required-capabilities.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { McpError } from '../../../protocol/error.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import type { LoggingLevel } from '../../../protocol/features/logging.ts';
import { methodOf } from '../../../protocol/catalogue.ts';
import type { ForwardedCall } from '../forwarded-call.ts';
import { NoticeBacklog } from './notice-backlog.ts';
import { ownerOf } from '../../../auth/common/owner.ts';

/** One question of the upstream that has no answer yet. */
interface Question {
  readonly method: AskMethod;
  readonly params: JsonObject;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** A request that takes a parked call up, here or in another process. */
export type CallResumer = Pick<Call, 'meta' | 'logLevel' | 'signal' | 'admits' | 'send'>;

/** State of a suspended call: its result, or its questions. */
export type SuspendedState =
  | { readonly kind: 'complete'; readonly result: JsonObject }
  | { readonly kind: 'asks'; readonly inputRequests: JsonObject; readonly round: number };

/** Listeners to a parked call. */
export interface SuspendedCallEvents {
  /** It is over, and its outcome waits to be fetched. */
  onFinished(call: SuspendedCall): void;
  /** It waits for its client to come back, or waits no more. */
  onAway(isAway: boolean): void;
  /** It can no longer be resumed. */
  onGone(call: SuspendedCall): void;
}

/**
 * A call that continues upstream while its stateless client comes and goes. Each request of the client resumes it. Each
 * question of the upstream ends that request with an `InputRequiredResult`. (Spec 2026-07-28, MRTR.)
 */
export class SuspendedCall {
  /** The call as the upstream's connection sees it. */
  readonly forwarded: ForwardedCall;
  /** The owner that it counts for. */
  readonly owner: string | undefined;
  readonly #ttlMs: number;
  readonly #events: SuspendedCallEvents;
  readonly #gone = new AbortController();
  /** As many as the connection takes requests of its server at once. */
  readonly #questions = new Map<string, Question>();
  /** The last request that took the call up, waiting or not. */
  #resumer: CallResumer;
  #waiting = false;
  #isAway = false;
  readonly #kept = new NoticeBacklog();
  #outcome: Promise<JsonObject> | undefined;
  #settled = false;
  #outcomeSize = 0;
  #round = 0;
  #asked = 0;
  #wake: () => void = () => undefined;
  #forget: () => void = () => undefined;

  /** @param ttlMs Time for which the client may stay away, in milliseconds; then the call is cancelled. */
  constructor(call: Call, ttlMs: number, events: SuspendedCallEvents) {
    this.#resumer = call;
    this.#ttlMs = ttlMs;
    this.#events = events;
    this.owner = ownerOf(call.auth?.principal, call.address);
    this.forwarded = this.#asCarried(call);
  }

  /** The questions of which round wait for answers now. */
  get round(): number {
    return this.#round;
  }

  /** Tells whether it waits for its client to come back. */
  get asleep(): boolean {
    return !this.#waiting && !this.#settled;
  }

  /** Number of characters of its outcome, and of the stored notifications. */
  get size(): number {
    return this.#outcomeSize + this.#kept.size;
  }

  /** Runs the call upstream. */
  start(run: (forwarded: ForwardedCall) => Promise<JsonObject>): void {
    const outcome = run(this.forwarded);
    const settle = (result?: JsonObject): void => {
      this.#settled = true;
      this.#withdraw(answered);
      if (!this.#waiting) this.#finish(result);
      this.#wake();
    };
    this.#outcome = outcome;
    outcome.then(settle, () => settle());
  }

  /**
   * Resumes the call for a request of the client, until it completes or asks.
   *
   * Only one request at a time resumes it.
   *
   * @throws McpError from the upstream.
   */
  async next(resumer: CallResumer): Promise<SuspendedState> {
    this.#attach(resumer);
    while (!this.#settled && this.#questions.size === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      if (!this.#settled) await this.#turn();
    }
    if (!this.#settled) return this.#ask();
    this.#waiting = false;
    this.#events.onGone(this);
    return { kind: 'complete', result: await (this.#outcome as Promise<JsonObject>) };
  }

  /** Delivers answers to open questions. Answers to other questions, and invalid ones, are ignored. */
  answer(responses: JsonObject): void {
    for (const [key, { method, resolve }] of this.#questions) {
      if (!Object.hasOwn(responses, key)) continue;
      const answer = readAnswer(method, responses[key], this.forwarded);
      if (answer === undefined) continue;
      this.#questions.delete(key);
      resolve(answer);
    }
  }

  /** Cancels the call: the upstream is notified. */
  giveUp(why: string): void {
    this.#forget();
    this.#away(false);
    this.#gone.abort(new DOMException(why, 'AbortError'));
    this.#withdraw(why);
    this.#events.onGone(this);
  }

  /**
   * Waits for the rest of a turn: questions of one turn belong to one round. A finished call leaves no timer behind.
   */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = after(0, resolve, true);
      this.#wake = () => {
        if (!this.#settled) return;
        cancel();
        resolve();
      };
    });
  }

  /** Keeps the outcome until it is fetched. */
  #finish(result: JsonObject | undefined): void {
    this.#outcomeSize = result === undefined ? 0 : jsonText(result).length;
    this.#events.onFinished(this);
  }

  /** Rejects the questions that are still open. */
  #withdraw(why: string): void {
    for (const { reject } of this.#questions.values()) reject(new McpError('internalError', why));
    this.#questions.clear();
  }

  #attach(resumer: CallResumer): void {
    this.#forget();
    this.#resumer = resumer;
    this.#waiting = true;
    this.#away(false);
    for (const { method, params } of this.#kept.take()) tell(resumer, method, params);
    const onAbort = (): void => {
      if (this.#resumer === resumer && this.#waiting) this.giveUp('the request was cancelled');
    };
    resumer.signal.addEventListener('abort', onAbort);
    if (resumer.signal.aborted) onAbort();
  }

  #away(isAway: boolean): void {
    if (this.#isAway !== isAway) this.#events.onAway(isAway);
    this.#isAway = isAway;
  }

  #ask(): SuspendedState {
    this.#waiting = false;
    this.#away(true);
    this.#forget = after(this.#ttlMs, () => this.giveUp('the client did not come back with its answers in time'));
    // Some clients read no question without params.
    const entries = [...this.#questions].map(([key, { method, params }]) => [key, { method, params }]);
    return { kind: 'asks', inputRequests: Object.fromEntries(entries), round: ++this.#round };
  }

  #question(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { facts, client } = this.forwarded;
    if (!isQuestion(method))
      throw new McpError('methodNotFound', `${JSON.stringify(method.slice(0, 100))} cannot be asked of this client`);
    requireCapabilities(method, params, facts, client.capabilities);
    const key = `question-${++this.#asked}`;
    const answer = new Promise<JsonObject>((resolve, reject) => {
      this.#questions.set(key, { method, params: withoutToken(params), resolve, reject });
    });
    const withdraw = (): void => {
      const question = this.#questions.get(key);
      this.#questions.delete(key);
      question?.reject(new McpError('internalError', 'the question was withdrawn'));
    };
    signal.addEventListener('abort', withdraw);
    this.#wake();
    // A combined signal lives as long as its sources while it has a listener.
    return answer.finally(() => signal.removeEventListener('abort', withdraw));
  }

  #send(method: string, params: JsonObject): void {
    if (this.#waiting) return tell(this.#resumer, method, params);
    this.#kept.add({ method, params });
  }

  #asCarried({ method, requestId, facts, client, address, auth }: Call): ForwardedCall {
    const current = (): CallResumer => this.#resumer;
    return {
      method,
      requestId,
      facts,
      client,
      address,
      auth,
      session: undefined,
      inputResponses: undefined,
      requestState: undefined,
      signal: this.#gone.signal,
      get meta() {
        return current().meta;
      },
      get logLevel() {
        return current().logLevel;
      },
      admits: (level) => current().admits(level),
      send: (name, params) => this.#send(name, params),
      ask: async (name, params, signal) => await this.#question(name, params, signal),
    };
  }
}

const answered = 'the server has answered the call that the question belongs to';

const questions: ReadonlySet<string> = new Set(askMethods);

/** Tells whether clients can be asked something of this name. */
export function isQuestion(method: string): method is AskMethod {
  return questions.has(method);
}

/** A progress token belongs to the hop on which the question came. */
export function withoutToken(params: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (meta === undefined) return params;
  const { progressToken: _, ...others } = meta as JsonObject;
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others };
}

/**
 * Forwards a notification of the upstream to the request that has the call now: under its own token, and by its log
 * level.
 */
function tell(resumer: CallResumer, method: string, params: JsonObject): void {
  const { progressToken } = resumer.meta;
  if (method === 'notifications/progress') {
    if (isRequestId(progressToken)) resumer.send(method, { ...params, progressToken });
    // The level was read as one when the message came.
  } else if (method !== 'notifications/message' || resumer.admits(params['level'] as LoggingLevel)) {
    resumer.send(method, params);
  }
}

function readAnswer(
  method: AskMethod,
  answer: unknown,
  { facts }: Pick<ForwardedCall, 'facts'>,
): JsonObject | undefined {
  const type = methodOf(method)?.result;
  try {
    // Answers are JSON objects.
    return type === undefined ? undefined : (fromWire(facts, type, answer) as unknown as JsonObject);
  } catch (error) {
    if (error instanceof McpError) return undefined;
    throw error;
  }
}
