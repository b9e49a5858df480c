import { backoffMs } from '../../client/connection/backoff.ts';
import { settledWithin } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { unlessAborted } from '../../storage/turns.ts';
import { pause } from '../changes.ts';
import { harmlessWords, wordsOf } from '../failure.ts';
import type { Single, UpstreamFacts } from '../single/single.ts';

/** The standing of one of several upstreams. */
export interface UpstreamStanding {
  /** Name of the server in the bridge's options. */
  readonly name: string;
  /**
   * `connecting` until it was reached once; `failing` while it is not reached, which is tried again and again; `per-principal` where each
   * client is itself there, so that `upstreamsOf` tells it for one of them.
   */
  readonly state: 'connecting' | 'ready' | 'failing' | 'per-principal';
  /** Reason why it is not reached. */
  readonly failure: string | undefined;
  /** Description of the server; `undefined` until it was reached once. */
  readonly facts: UpstreamFacts | undefined;
}

/** Parts of the merged bridge that a slot needs. */
export interface BackendOptions {
  readonly name: string;
  readonly label: string;
  /** Time limit of one attempt to reach the server again. */
  readonly serverTimeoutMs: number;
  open(signal: AbortSignal): Promise<Single>;
  /** The server is there, for the first time (with the bridge to it) or again. */
  onJoin(single: Single, first: boolean): void;
  onWarning(message: string): void;
  random(): number;
}

/** The state of a server, from the known facts. */
export function standingOf(name: string, { facts, failure }: Pick<Single, 'facts' | 'failure'>): UpstreamStanding {
  const reached = facts === undefined ? 'connecting' : 'ready';
  return { name, state: failure === undefined ? reached : 'failing', failure, facts };
}

/** Place of one upstream in a merged bridge: it is held while the server is not there, and filled when it comes. */
export class Backend {
  readonly name: string;
  readonly label: string;
  /** Lists for which the server took too long, by method, until it answers. */
  readonly late: Set<string> = new Set();
  readonly #options: BackendOptions;
  readonly #closed = new AbortController();
  #single: Single | undefined;
  #failure: string | undefined;
  /** Reason of the last failure, in the form for clients. */
  #heard = '';
  /** The last reported refusal, by method. */
  readonly #refusals = new Map<string, string>();
  #tries = 0;
  #reviving = false;
  #reaching: Promise<string | undefined> | undefined;
  #joining: Promise<void> | undefined;
  #arriving: Promise<void> | undefined;

  constructor(options: BackendOptions) {
    this.#options = options;
    this.name = options.name;
    this.label = options.label;
  }

  /** The server, once it was reached; it may have been lost since. */
  get single(): Single | undefined {
    return this.#single;
  }

  /** Tells whether the contents of the server are unknown for now. */
  get absent(): boolean {
    return this.#single === undefined || this.#failure !== undefined;
  }

  get standing(): UpstreamStanding {
    return standingOf(this.name, { facts: this.#single?.facts, failure: this.#failure ?? this.#single?.failure });
  }

  /**
   * Begins to reach the server, and does not stop before it did or was closed.
   *
   * @returns Settles with the first attempt, and rejects when that failed.
   */
  start(): Promise<void> {
    const first = this.#join();
    this.#joining = this.#keepJoining(first);
    this.#arriving = settledWithin(this.#options.serverTimeoutMs, first).then(() => void (this.#arriving = undefined));
    return first;
  }

  /** Settles with the first attempt to reach the server, or when the wait for it is over; `undefined` afterwards. */
  get arriving(): Promise<void> | undefined {
    return this.#arriving;
  }

  /** Bridge to the server, for a request that is for this server alone: it may come while the server starts. */
  async present(signal: AbortSignal): Promise<Single> {
    if (this.#arriving !== undefined) await unlessAborted(this.#arriving, signal);
    if (this.#single !== undefined) return this.#single;
    const why = this.#failure === undefined ? 'it is not connected yet' : this.#heard;
    throw new McpError('internalError', `the upstream server ${JSON.stringify(this.name)} cannot be reached: ${why}`);
  }

  /**
   * Records that a request to all servers failed here. If a connection was lost, the main connection decides whether
   * the server is lost: a failure in one client's own process must not hide the server from others.
   *
   * @returns True if the server can be asked again.
   */
  async failed(error: unknown, what: string): Promise<boolean> {
    const words = wordsOf(error);
    if (!(error instanceof McpError && error.cause instanceof ConnectionError)) {
      this.#refused(what, words);
      return false;
    }
    if (this.#failure !== undefined) return false;
    const failure = await (this.#reaching ??= this.#reach().finally(() => (this.#reaching = undefined)));
    if (failure === undefined) return true;
    // It never rejects, but for what its listener throws.
    void this.#revive(failure).catch((cause: unknown) => this.#refused('coming back', wordsOf(cause)));
    return false;
  }

  /** Takes note that the server answered. */
  answered(): void {
    if (!this.#reviving) this.#tries = 0;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#joining;
    await this.#single?.close();
  }

  async #join(): Promise<void> {
    const { open, onJoin } = this.#options;
    try {
      const single = await open(this.#closed.signal);
      if (this.#closed.signal.aborted) return await single.close();
      this.#single = single;
      this.#failure = undefined;
      this.#tries = 0;
      onJoin(single, true);
    } catch (error) {
      this.#heard = harmlessWords(error);
      if (!this.#closed.signal.aborted) this.#note(wordsOf(error));
      throw error;
    }
  }

  async #keepJoining(first: Promise<void>): Promise<void> {
    let attempt: Promise<void> | undefined = first;
    while (attempt !== undefined) {
      try {
        await attempt;
        return;
      } catch {
        await this.#rest();
        attempt = this.#closed.signal.aborted ? undefined : this.#join();
      }
    }
  }

  /** Tries to reach a lost server until it answers. */
  async #revive(failure: string): Promise<void> {
    const { onJoin } = this.#options;
    const single = this.#single;
    if (this.#reviving || single === undefined || this.#closed.signal.aborted) return;
    this.#reviving = true;
    this.#note(failure);
    while (this.#failure !== undefined) {
      await this.#rest();
      if (this.#closed.signal.aborted) return;
      this.#failure = await this.#reach();
    }
    this.#reviving = false;
    onJoin(single, false);
  }

  /** Tries the main connection. Returns why the server does not answer on it; `undefined` if it does. */
  async #reach(): Promise<string | undefined> {
    const { serverTimeoutMs } = this.#options;
    try {
      const reached = this.#single?.reach() ?? Promise.resolve();
      if (!(await settledWithin(serverTimeoutMs, reached))) return `no answer within ${serverTimeoutMs} ms`;
      await reached;
      return undefined;
    } catch (error) {
      return wordsOf(error);
    }
  }

  async #rest(): Promise<void> {
    await pause(backoffMs(this.#tries++, this.#options.random()), this.#closed.signal);
  }

  /** The server is up and refuses its part. The reason is reported once. */
  #refused(what: string, words: string): void {
    if (this.#refusals.get(what) === words) return;
    this.#refusals.set(what, words);
    this.#options.onWarning(`${this.name}: ${what} failed, and its part is missing: ${words}`);
  }

  /** The same failure is reported once. */
  #note(words: string): void {
    if (words !== this.#failure)
      this.#options.onWarning(`${this.name} cannot be reached, and its part is missing until it is: ${words}`);
    this.#failure = words;
  }
}
