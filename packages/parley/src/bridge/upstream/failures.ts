import { ToleratedFaults } from '../../client/api/tolerated.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { wordsOf } from '../failure.ts';

/** Time for which a message is not repeated, and number of remembered messages. */
const restMs = 60_000;
const most = 100;

/**
 * Reports to the operator why the server was not reached. Clients get few details. A repeated message is reported only
 * from time to time.
 */
export class Failures {
  /** Tolerated faults in results that reach clients. */
  readonly tolerated: ToleratedFaults;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #silent: ReadonlySet<string>;
  /** Time at which each failure was reported, the oldest first. */
  readonly #told = new Map<string, number>();

  /** @param silent Methods whose failures are reported elsewhere. */
  constructor(warn: (message: string) => void, now: () => number, silent: ReadonlySet<string> = new Set()) {
    this.tolerated = new ToleratedFaults(warn);
    this.#warn = warn;
    this.#now = now;
    this.#silent = silent;
  }

  /** Records an error that a client is about to receive. */
  note(error: unknown, method: string): void {
    const cause = error instanceof McpError ? error.cause : undefined;
    if (!(cause instanceof ConnectionError) || cause.reason === 'aborted' || this.#silent.has(method)) return;
    const words = wordsOf(error);
    const before = this.#told.get(words);
    if (before !== undefined && this.#now() - before < restMs) return;
    this.#told.delete(words);
    const [oldest] = this.#told.keys();
    if (this.#told.size >= most && oldest !== undefined) this.#told.delete(oldest);
    this.#told.set(words, this.#now());
    this.#warn(`${JSON.stringify(method.slice(0, 100))} failed upstream: ${words}`);
  }
}
