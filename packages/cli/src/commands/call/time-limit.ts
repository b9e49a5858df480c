import { after, monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import type { Io } from '../io.ts';
import { milliseconds, type ParsedOptions } from '../options.ts';

/** Time by which the limit of the whole command is later than that of its last request, which names what was waited for, in milliseconds. */
const graceMs = 250;

/** The time that a whole command may take. The time in which a person is asked does not count. */
export class TimeLimit {
  readonly ms: number;
  readonly #over = new AbortController();
  #usedMs = 0;
  #since = monotonicNow();
  /** Number of persons that are asked. */
  #asked = 0;
  #cancel: () => void;

  constructor(ms: number) {
    this.ms = ms;
    this.#cancel = this.#clock();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Rest of the time, in milliseconds: never 0, which would mean no limit. */
  get left(): number {
    const passed = this.#asked > 0 ? 0 : monotonicNow() - this.#since;
    return Math.max(1, this.ms - this.#usedMs - passed);
  }

  /** Stops the clock while a person is asked; gives what starts it again. */
  stop(): () => void {
    if (this.#asked++ === 0) {
      this.#usedMs += monotonicNow() - this.#since;
      this.#cancel();
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#asked > 0) return;
      this.#since = monotonicNow();
      this.#cancel = this.#clock();
    };
  }

  /** Ends the clock. */
  end(): void {
    this.#cancel();
  }

  #clock(): () => void {
    return after(this.left + graceMs, () => {
      const message = `the command took longer than ${this.ms} ms, the limit of --timeout`;
      this.#over.abort(new ConnectionError('timeout', message));
    });
  }
}

/**
 * Runs a command within its `--timeout`, where it has one.
 *
 * @param work Gets the same `io` with a signal that is aborted when the time is over.
 * @throws UsageError for an option that is no time.
 */
export async function withinTime<T>(parsed: ParsedOptions, io: Io, work: (io: Io) => Promise<T>): Promise<T> {
  const text = parsed.text('timeout');
  if (text === undefined) return await work(io);
  const limit = new TimeLimit(milliseconds('--timeout', text));
  try {
    return await work({ ...io, signal: AbortSignal.any([io.signal, limit.signal]), limit });
  } finally {
    limit.end();
  }
}

/** Options of one request of a command: its signal and its remaining time. */
export function requestLimits({ signal, limit }: Pick<Io, 'signal' | 'limit'>): {
  readonly signal: AbortSignal;
  readonly maxTotalTimeoutMs?: number;
} {
  return { signal, ...(limit === undefined ? {} : { maxTotalTimeoutMs: limit.left }) };
}
