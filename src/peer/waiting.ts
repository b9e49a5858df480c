import { after } from '../jsonrpc/timeout.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { overBudget, type Budget } from './budget.ts';

/** A JSON object, as results and params are. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How long an answer may take, and how much may come before it. */
export interface WaitOptions extends Budget {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer or the next progress, in milliseconds; 0 and Infinity mean no limit. */
  readonly timeoutMs?: number | undefined;
  /** Longest wait for the answer whatever the progress, in milliseconds. */
  readonly maxTotalTimeoutMs?: number | undefined;
}

/** Who hears what becomes of a wait. */
export interface WaitListener {
  /** The wait ended without the peer, with what the peer may be told; `over` comes first. */
  givenUp(error: ConnectionError, reason: string): void;
  /** The wait is over, whichever way. */
  over(): void;
}

/** One request that waits for its answer, with its clocks. */
export class Waiting {
  readonly method: string;
  /** What the peer asked for meanwhile and could not be given: likely why, where it answers with an error. */
  blamed: unknown;
  /** Settled once; nothing is left of the wait by then. */
  readonly answer: Promise<JsonObject>;
  readonly #options: WaitOptions;
  readonly #listener: WaitListener;
  #resolve!: (result: JsonObject) => void;
  #reject!: (error: Error) => void;
  #settled = false;
  /** What came before the answer. */
  #messages = 0;
  #bytes = 0;
  #idle: (() => void) | undefined;
  readonly #total: (() => void) | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(method: string, options: WaitOptions, listener: WaitListener) {
    this.method = method;
    this.#options = options;
    this.#listener = listener;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal, maxTotalTimeoutMs } = options;
    if (signal !== undefined) {
      this.#onAbort = () => this.#giveUp(aborted(method, signal));
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
    this.#total = timer(maxTotalTimeoutMs, () => this.#timedOut(maxTotalTimeoutMs));
    this.touch();
  }

  /** Starts the wait anew: the peer gave a sign of life. */
  touch(): void {
    if (this.#settled) return;
    this.#idle?.();
    this.#idle = timer(this.#options.timeoutMs, () => this.#timedOut(this.#options.timeoutMs));
  }

  /**
   * Counts one message that came within the request and is not its answer, and gives the request up where that is too much.
   *
   * @returns Whether the message is within the limits.
   */
  spend(bytes: number): boolean {
    this.#messages++;
    this.#bytes += bytes;
    const over = overBudget(this.#options, this.#messages, this.#bytes);
    if (over !== undefined) this.#giveUp(new ConnectionError('too-large', `${this.method} was given up: ${over}`));
    return over === undefined;
  }

  /** Ends the wait; the first outcome counts. */
  settle(outcome: JsonObject | Error): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#idle?.();
    this.#total?.();
    if (this.#onAbort !== undefined) this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#listener.over();
    if (outcome instanceof Error) this.#reject(outcome);
    else this.#resolve(outcome);
  }

  #timedOut(ms: number | undefined): void {
    this.#giveUp(new ConnectionError('timeout', `${this.method} was not answered within ${ms} ms`));
  }

  #giveUp(error: ConnectionError): void {
    if (this.#settled) return;
    this.settle(error);
    this.#listener.givenUp(error, error.reason === 'aborted' ? reasonOf(this.#options.signal) : error.message);
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
