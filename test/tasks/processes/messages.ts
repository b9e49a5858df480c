/** What a course of tasks and its processes tell each other. */

/** What a process is started with. */
export interface Orders {
  readonly name: string;
  /** The kind of the store, and where it is. */
  readonly kind: string;
  readonly place: string;
  readonly leaseTtlMs: number;
  /** The folder in which a file lets something befall whoever takes it away first: see `permitOf`. */
  readonly permits: string;
  /** The file of what nobody may forget who is ended: a line for each thing that was done. */
  readonly journal: string;
}

/** What a process says: where it serves. */
export interface Said {
  readonly url: string;
}

/** Lines of the journal. */
export type Entry =
  | readonly [what: 'run', task: string, attempt: string, name: string]
  /** An effect of `once` begins, with the id of its task and the time in milliseconds since 1970. */
  | readonly [what: 'begins', task: string, attempt: string, taskId: string, at: string]
  /** An effect of `once` was done, and what it gave. */
  | readonly [what: 'effect', task: string, key: string, value: string, attempt: string]
  /** A run learned what `once` gave. */
  | readonly [what: 'kept', task: string, key: string, value: string, attempt: string]
  /** An end was committed, with the time in milliseconds since 1970. */
  | readonly [what: 'ended', taskId: string, status: string, at: string]
  | readonly [what: 'befell', step: string, how: string];

/** The name of the file that lets something befall a process. */
export function permitOf(step: number, ends: boolean): string {
  return `${step}-${ends ? 'ends' : 'stands-still'}`;
}
