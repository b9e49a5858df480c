import { runOnAbort } from '../jsonrpc/run-on-abort.ts';
import { after, monotonicNow } from '../jsonrpc/timeout.ts';
import { ConnectionError, type Clocks } from '../jsonrpc/transport.ts';
import type { JsonObject, ProgressToken } from '../protocol/features/common.ts';
import { overBudget, type NotificationBudget } from './budget.ts';

/** Limits of the time until an answer, and of the messages before it. */
export interface WaitOptions extends NotificationBudget {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the answer or the next progress, in milliseconds; 0 and Infinity mean no limit. */
  readonly timeoutMs?: number | undefined;
  /** Name of the option that `timeoutMs` comes from, for errors; that name by default. */
  readonly timeoutName?: string | undefined;
  /** Called when `timeoutMs` is over; the wait then continues. */
  readonly onOverdue?: ((error: ConnectionError) => void) | undefined;
  /** Longest wait for the answer whatever the progress, in milliseconds. */
  readonly maxTotalTimeoutMs?: number | undefined;
  /** Is added the time in which a person was asked, in milliseconds, for who counts the time of several attempts. */
  readonly still?: { ms: number } | undefined;
  /** True to keep the process alive until it is over; false by default. */
  readonly keepsAlive?: boolean | undefined;
}

/** A request of ours, from the moment that it is sent. */
export interface SentRequest {
  /** The JSON-RPC id that it was sent with. */
  readonly id: number;
  /**
   * The received result.
   *
   * @throws McpError from the peer.
   * @throws ConnectionError if no answer came: `closed`, `timeout`, `aborted`, or an error of the transport.
   */
  readonly answer: Promise<JsonObject>;
  /** Ends the wait with an outcome from another source. The peer is not notified. The first outcome counts. */
  settle(outcome: JsonObject | Error): void;
}

/** Listener to the outcome of a wait. */
export interface PendingOwner<Options extends WaitOptions> {
  /** The wait is over, whichever way. */
  over(pending: PendingRequest<Options>): void;
  /** The wait ended without the peer; `over` comes first. */
  givenUp(pending: PendingRequest<Options>, error: ConnectionError): void;
}

/** Facts of a request of ours. */
export interface RequestFacts {
  readonly id: number;
  readonly method: string;
  readonly token: ProgressToken | undefined;
  /** Continues a sentence in parentheses: `, "add" at http://…`. */
  readonly whither?: () => string;
}

/** One request of ours that waits for its answer, with its clocks. */
export class PendingRequest<Options extends WaitOptions = WaitOptions> implements SentRequest, Clocks {
  readonly id: number;
  readonly method: string;
  readonly options: Options;
  /** The token for its progress, if it has one. */
  readonly token: ProgressToken | undefined;
  /** Text with its target and its server, for the error of a time-out. */
  readonly #whither: (() => string) | undefined;
  /** That text for the peer, which knows its own name. */
  overdue: string | undefined;
  /** Closes its exchange, if it has one. */
  exchange: AbortController | undefined;
  /**
   * Error of a peer's request that could not be answered meanwhile. If the peer answers with an error, this is the
   * likely cause.
   */
  blamed: unknown;
  /** Settled once; nothing is left of the wait by then. */
  readonly answer: Promise<JsonObject>;
  readonly #owner: PendingOwner<Options>;
  #resolve!: (result: JsonObject) => void;
  #reject!: (error: Error) => void;
  #settled = false;
  /** Number of messages that came before the answer. */
  #messages = 0;
  #bytes = 0;
  #idle: (() => void) | undefined;
  #total: (() => void) | undefined;
  /** True while its clocks stand still. */
  #waitsForPerson = false;
  #signsIn = false;
  /** Number of questions of the peer that are being answered. */
  #questions = 0;
  /** The part of the longest time that was used before a person was asked, in milliseconds. */
  #used = 0;
  /** Time at which the clocks began to run, or to stand still. */
  #since = 0;
  readonly #unlistened: (() => void) | undefined;

  constructor({ id, method, token, whither }: RequestFacts, options: Options, owner: PendingOwner<Options>) {
    this.id = id;
    this.method = method;
    this.token = token;
    this.#whither = whither;
    this.options = options;
    this.#owner = owner;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal } = options;
    this.#unlistened = signal && runOnAbort(signal, () => this.#giveUp(aborted(method, signal)));
    this.#start();
  }

  /** Tells whether it expects notifications instead of an answer. */
  get isListen(): boolean {
    return this.method === 'subscriptions/listen';
  }

  /** Restarts the wait: the peer gave a sign of life. */
  touch(): void {
    if (this.#settled || this.#waitsForPerson) return;
    this.#idle?.();
    this.#idle = this.#timer(this.options.timeoutMs, () => this.#timedOut('timeoutMs'));
  }

  /**
   * Stops the clocks while a user is asked for this request. Afterwards the total time continues, and the idle time
   * restarts.
   */
  waiting(person: boolean): void {
    this.#signsIn = person;
    this.#look();
  }

  /** Stops them as well while a question is answered that the peer asks for the sake of the request, as between the rounds of one. */
  questioned(begins: boolean): void {
    this.#questions += begins ? 1 : -1;
    this.#look();
  }

  #look(): void {
    const isStill = this.#signsIn || this.#questions > 0;
    if (this.#settled || this.#waitsForPerson === isStill) return;
    this.#turn();
    this.#waitsForPerson = isStill;
    if (!isStill) return this.#start();
    this.#idle?.();
    this.#total?.();
  }

  #start(): void {
    const { maxTotalTimeoutMs: most } = this.options;
    // A limit of 0 would mean no limit.
    const left = most && Math.max(1, most - this.#used);
    this.#total = this.#timer(left, () => this.#timedOut('maxTotalTimeoutMs'));
    if (left) this.#since = monotonicNow();
    this.touch();
  }

  /** Counts the time up to now, where anybody does. */
  #turn(): void {
    const { maxTotalTimeoutMs, still } = this.options;
    if (!maxTotalTimeoutMs) return;
    const passed = monotonicNow() - this.#since;
    this.#since += passed;
    if (!this.#waitsForPerson) this.#used += passed;
    else if (still !== undefined) still.ms += passed;
  }

  /**
   * Counts one message within the request that is not its answer, and cancels the request if a limit is exceeded.
   *
   * @returns True if the message is within the limits.
   */
  spend(bytes: number): boolean {
    this.#messages++;
    this.#bytes += bytes;
    const over = overBudget(this.options, this.#messages, this.#bytes);
    if (over !== undefined) this.#giveUp(new ConnectionError('too-large', `${this.method} was cancelled: ${over}`));
    return over === undefined;
  }

  settle(outcome: JsonObject | Error): void {
    if (this.#settled) return;
    if (this.#waitsForPerson) this.#turn();
    this.#settled = true;
    this.#idle?.();
    this.#total?.();
    this.#unlistened?.();
    this.#owner.over(this);
    if (outcome instanceof Error) this.#reject(outcome);
    else this.#resolve(outcome);
  }

  #timedOut(limit: 'timeoutMs' | 'maxTotalTimeoutMs'): void {
    // The remaining time of several attempts is not an integer.
    this.overdue = `${this.method} was not answered within ${Math.round(this.options[limit] ?? 0)} ms`;
    const { onOverdue, timeoutName = limit } = this.options;
    const name = limit === 'timeoutMs' ? timeoutName : limit;
    const error = new ConnectionError('timeout', `${this.overdue} (${name}${this.#whither?.() ?? ''})`);
    if (limit === 'timeoutMs' && onOverdue !== undefined) onOverdue(error);
    else this.#giveUp(error);
  }

  #timer(ms: number | undefined, run: () => void): (() => void) | undefined {
    const isNone = ms === undefined || ms === 0 || ms === Number.POSITIVE_INFINITY;
    return isNone ? undefined : after(ms, run, this.options.keepsAlive);
  }

  #giveUp(error: ConnectionError): void {
    if (this.#settled) return;
    this.settle(error);
    this.#owner.givenUp(this, error);
  }
}

/**
 * Rejects an invalid time limit.
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

/** Reason that the caller gave when aborting, if it gave any: a string or an error of its own. */
export function abortReason(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  if (typeof reason === 'string') return reason;
  // If the request was sent for one that its own peer cancelled, the peer's reason is passed on.
  const words = reason instanceof Error && (reason.name === 'AbortError' ? reason.cause : reason.message);
  return typeof words === 'string' ? words : '';
}
