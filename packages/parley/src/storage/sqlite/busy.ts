import { after } from '../../jsonrpc/timeout.ts';

/** Time between two tries, in milliseconds. */
const pauseMs = 5;

/** Waits for another process that has the database. */
export interface BusyPatience {
  /** Time after which a database that stays locked is an error, in milliseconds. */
  readonly forMs: number;
  now(): number;
  /** Runs something after a pause. */
  later(run: () => void): void;
}

/**
 * Waits with the clock and timers of the runtime. The timers keep the process alive, because a caller waits for the
 * write.
 */
export function patience(forMs: number): BusyPatience {
  return {
    forMs,
    now: () => performance.now(),
    later: (run) => void after(pauseMs * (1 + Math.random()), run, true),
  };
}

/**
 * Retries while another process uses the database. The event loop runs between two tries.
 *
 * @throws the error of the last try.
 */
export async function retried<Result>(work: () => Result, { forMs, now, later }: BusyPatience): Promise<Result> {
  for (const since = now(); ;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || now() - since >= forMs) throw error;
      await new Promise<void>((resolve) => later(resolve));
    }
  }
}

/**
 * Retries synchronously, as at the start and the end of a program: SQLite itself does not wait while it switches a
 * journal to write-ahead logging.
 */
export function whileBusy<Result>(forMs: number, work: () => Result): Result {
  for (const until = performance.now() + forMs; ;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() + pauseMs > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs * (1 + Math.random()));
    }
  }
}

/**
 * Tells whether another process used the database: `errcode` comes from `node:sqlite`, with the detail above the lowest
 * byte, `code` from better-sqlite3.
 */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  return (typeof errcode === 'number' && (errcode & 0xff) === 5) || String(code).startsWith('SQLITE_BUSY');
}
