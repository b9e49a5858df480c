/** Limits of tasks, all with defaults. */
export interface TaskLimits {
  /** Unfinished tasks that one principal may have; 100 by default. */
  readonly perOwner: number;
  /** Unfinished tasks of clients without a principal, all together; 1000 by default. */
  readonly ofNobody: number;
  /** Concurrent runs of this process; 16 by default. Further ones wait. */
  readonly running: number;
  /** Runs that wait in memory for an answer; 1000 by default. More, and longer waits, begin again from the top when the answer is there. */
  readonly waiting: number;
  /**
   * Concurrent requests of one principal for the result of a task; without a principal, of one conversation, or of one
   * address if there are no sessions; 32 by default.
   */
  readonly results: number;
  /** Characters of the JSON of arguments, of a result or an error, of the questions that wait, of all answers, and of all that `once` keeps, each; 4 Mi by default. */
  readonly textLength: number;
}

export const taskLimits: TaskLimits = {
  perOwner: 100,
  ofNobody: 1000,
  running: 16,
  waiting: 1000,
  results: 32,
  textLength: 4 * 1024 * 1024,
};

/** Times of tasks, in milliseconds, all with defaults. */
export interface TaskTimes {
  /** Lifetime of a task without a requested one; an hour by default. */
  readonly ttlMs: number;
  /** The longest life; a day by default. `null` has no limit. */
  readonly maxTtlMs: number | null;
  /** Time for which an outcome is kept at least; five minutes by default. */
  readonly outcomeTtlMs: number;
  /** Poll interval for clients; a second by default. */
  readonly pollIntervalMs: number;
  /** Time for which a process holds a task without saying that it still does; 30 seconds by default. */
  readonly leaseTtlMs: number;
  /**
   * Time for which a run waits in memory for an answer. The default is ten minutes; or the life of its task if no other
   * process could continue it, because the store is `memoryTasks()`.
   */
  readonly waitTimeoutMs: number;
}

export const taskTimes: TaskTimes = {
  ttlMs: 3_600_000,
  maxTtlMs: 86_400_000,
  outcomeTtlMs: 300_000,
  pollIntervalMs: 1000,
  leaseTtlMs: 30_000,
  waitTimeoutMs: 600_000,
};

/** The defaults, overridden by the given values. Undefined values count as left out. */
export function withGiven<T extends object>(defaults: T, given: Partial<T> = {}): T {
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

/** The lifetime of a task, from the requested one, in whole milliseconds. */
export function lifeOf(wanted: number | null | undefined, { ttlMs, maxTtlMs }: TaskTimes): number | null {
  const asked = wanted === undefined || (typeof wanted === 'number' && !(wanted > 0)) ? ttlMs : wanted;
  if (maxTtlMs === null) return asked === null ? null : Math.ceil(asked);
  return asked === null ? maxTtlMs : Math.ceil(Math.min(asked, maxTtlMs));
}

/** Makes an id that cannot be guessed: 144 random bits. */
export function newTaskId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  // Eighteen bytes are 24 characters, without padding.
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** Tells whether a text can be the id of a task that was made here. */
export function isTaskId(id: string): boolean {
  return /^[\w-]{24}$/.test(id);
}
