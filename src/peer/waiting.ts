import { after } from '../jsonrpc/timeout.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';

/** A JSON object, as results and params are. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How long an answer may take. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer or the next progress, in milliseconds; 0 and Infinity mean no limit. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for the answer whatever the progress, in milliseconds. */
  readonly maxTotalTimeoutMs?: number | undefined;
}

/** One request that waits for its answer, with its clocks. */
export class Waiting {
  readonly method: string;
  readonly answer: Promise<JsonObject>;
  readonly #options: WaitOptions;
  readonly #givenUp: (error: ConnectionError, reason: string) => void;
  readonly #resolve: (result: JsonObject) => void;
  readonly #reject: (error: Error) => void;
  #settled = false;
  #idle: (() => void) | undefined;
  readonly #total: (() => void) | undefined;
  readonly #onAbort: () => void;

  /** @param givenUp Runs when the wait ends without the peer, with what the peer may be told. */
  constructor(method: string, options: WaitOptions, givenUp: (error: ConnectionError, reason: string) => void) {
    this.method = method;
    this.#options = options;
    this.#givenUp = givenUp;
    let resolve!: (result: JsonObject) => void;
    let reject!: (error: Error) => void;
    this.answer = new Promise((onResult, onError) => {
      resolve = onResult;
      reject = onError;
    });
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onAbort = () => options.signal && this.#giveUp(aborted(method, options.signal));
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#total = timer(options.maxTotalTimeoutMs, () => this.#timedOut(options.maxTotalTimeoutMs));
    this.touch();
  }

  /** Starts the wait anew: the peer gave a sign of life. */
  touch(): void {
    if (this.#settled) return;
    this.#idle?.();
    this.#idle = timer(this.#options.timeoutMs, () => this.#timedOut(this.#options.timeoutMs));
  }

  settle(outcome: JsonObject | Error): void {
    if (this.#settled) return;
    this.#settled = true;
    if (outcome instanceof Error) this.#reject(outcome);
    else this.#resolve(outcome);
  }

  /** Releases the clocks and the signal. */
  end(): void {
    this.#settled = true;
    this.#idle?.();
    this.#total?.();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
  }

  #timedOut(ms: number | undefined): void {
    this.#giveUp(new ConnectionError('timeout', `${this.method} was not answered within ${ms} ms`));
  }

  #giveUp(error: ConnectionError): void {
    if (this.#settled) return;
    this.settle(error);
    this.#givenUp(error, error.reason === 'timeout' ? error.message : reasonOf(this.#options.signal));
  }
}

function timer(ms: number | undefined, run: () => void): (() => void) | undefined {
  return ms === undefined || ms === 0 || ms === Number.POSITIVE_INFINITY ? undefined : after(ms, run);
}

/**
 * Refuses what is no time limit.
 *
 * @throws TypeError
 */
export function checkTimeout(ms: number | undefined): void {
  if (ms !== undefined && !(typeof ms === 'number' && ms >= 0))
    throw new TypeError('a timeout must be a number of milliseconds, 0 or more');
}

/** The error of a request whose signal was aborted. */
export function aborted(method: string, signal: AbortSignal): ConnectionError {
  return new ConnectionError('aborted', `${method} was aborted`, { cause: signal.reason });
}

/** What the caller said when aborting, if it said anything: a string or an error of its own. */
function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  if (typeof reason === 'string') return reason;
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : '';
}
