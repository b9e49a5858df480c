import { ToleratedFaults } from '../../client/tolerated.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import { wordsOf } from '../failure.ts';

/** Time that the same words are not told again, and number of words that are remembered. */
const restMs = 60_000;
const most = 100;

/** Tells the operator why the server was not reached, of which clients hear little; the same words once in a while. */
export class Failures {
  /** Faults in results, which reach clients all the same. */
  readonly tolerated: ToleratedFaults;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #silent: ReadonlySet<string>;
  /** Time at which each failure was told, the oldest first. */
  readonly #told = new Map<string, number>();

  /** @param silent Methods of which somebody else tells. */
  constructor(warn: (message: string) => void, now: () => number, silent: ReadonlySet<string> = new Set()) {
    this.tolerated = new ToleratedFaults(warn);
    this.#warn = warn;
    this.#now = now;
    this.#silent = silent;
  }

  /** Takes note of what the client of a request is about to hear. */
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
