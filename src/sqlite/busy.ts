/** Time between two tries, in milliseconds. */
const pauseMs = 5;

/**
 * Does something again while another process has the database, for as long as SQLite itself would wait: where a journal becomes a write-ahead log it waits
 * for nobody. This thread stands still meanwhile.
 *
 * @param forMs Time after which it is given up, in milliseconds.
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

/** Tells whether another process had the database: `errcode` is what `node:sqlite` says, with what made it busy above the lowest byte, `code` what better-sqlite3 does. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  return (typeof errcode === 'number' && (errcode & 0xff) === 5) || String(code).startsWith('SQLITE_BUSY');
}
