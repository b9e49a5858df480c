/** A process that a client started as its server, and what became of it. */

import { monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';

/** Tool that ends the process. */
export const dyingTool = 'dies';

/**
 * Times in milliseconds: in which a client must start another server, and for which it may continue before the check,
 * at most, and at least if it ends then.
 */
export const dyingTimes = { restart: 5_000, goesOn: 10_000, ended: 5_000 } as const;

/** Limit of those that are remembered. */
const maxKept = 200;

/** One of them. */
export class ServedProcess {
  readonly #kill: () => void;
  /** Id of the process that started it, where that is known. */
  parent: number | undefined;
  /** The process that died before it, in whose place it is; `undefined` where that is not certain. */
  before: ServedProcess | undefined;
  /** Moment at which it was made to die; `undefined` for none, as for the others. All are by the clock that never jumps. */
  diedAt: number | undefined;
  /** True if it was the only server when it died: the next one replaces it. */
  wasAlone = false;
  /** Streams of changes that were open when it died. */
  listening = 0;
  isSucceeded = false;
  /** True where it was asked for a stream of changes. */
  hasListened = false;
  /** True where another of the same parent ran beside it: those may be several connections of one host. */
  wasBeside = false;
  /** The next one of the same parent. */
  next: ServedProcess | undefined;
  /** Moment of the first message. */
  beganAt: number | undefined;
  /** Moments at which its input ended, at which it was signalled to end, and at which it was gone. */
  inputEndedAt: number | undefined;
  signalledAt: number | undefined;
  signal: string | undefined;
  goneAt: number | undefined;

  constructor(kill: () => void) {
    this.#kill = kill;
  }

  get isOpen(): boolean {
    return this.diedAt === undefined && this.goneAt === undefined && this.inputEndedAt === undefined;
  }

  /** True where a later one of the same parent was asked for a stream of changes, so that it may be that which goes on. */
  get isTakenUpLater(): boolean {
    for (let { next } = this as Pick<ServedProcess, 'next'>; next !== undefined; next = next.next)
      if (next.hasListened) return true;
    return false;
  }

  /** True for one that ended soon after it began, and not long ago. */
  get wasLook(): boolean {
    const { ms, isOver } = this.goingOn;
    const end = this.inputEndedAt ?? this.goneAt ?? -Infinity;
    return isOver && ms < dyingTimes.ended && monotonicNow() - end < dyingTimes.ended;
  }

  /** Time for which its client went on with it, in milliseconds, and whether it ended then. */
  get goingOn(): { readonly ms: number; readonly isOver: boolean } {
    const end = this.inputEndedAt ?? this.goneAt;
    return { ms: (end ?? monotonicNow()) - (this.beganAt ?? Infinity), isOver: end !== undefined };
  }

  /** Ends at once, without a word. */
  die(listening: number): void {
    if (this.diedAt !== undefined) return;
    this.listening = listening;
    this.diedAt = monotonicNow();
    this.#kill();
  }
}

/** The processes of a run. */
export class ServedProcesses {
  readonly #all: ServedProcess[] = [];

  /** Takes one that was started. */
  started(kill: () => void): ServedProcess {
    const process: ServedProcess = new ServedProcess(() => {
      process.wasAlone = this.#all.every((other) => other === process || !other.isOpen);
      kill();
    });
    this.#all.push(process);
    if (this.#all.length > maxKept) this.#all.shift();
    return process;
  }

  /** Finds the one in whose place another is, once it is known who started that. */
  placed(process: ServedProcess, parent: number): void {
    process.parent = parent;
    this.#amongOwn(process);
    const last = this.#all.findLast((other) => other !== process);
    // Another program may have started it, which has nothing to take up.
    const isOwn = last?.parent === parent;
    // Some look in a process of its own which revision is spoken.
    if (last?.before !== undefined && isOwn && last.wasLook) process.before = last.before;
    if (last?.diedAt === undefined || last.isSucceeded || !last.wasAlone) return;
    last.isSucceeded = true;
    if (isOwn) process.before = last;
  }

  /** Looks which others of the same parent there are. */
  #amongOwn(process: ServedProcess): void {
    const isOwn = (other: ServedProcess): boolean => other !== process && other.parent === process.parent;
    const before = this.#all.slice(0, this.#all.indexOf(process)).findLast(isOwn);
    if (before !== undefined) before.next = process;
    for (const other of this.#all) if (isOwn(other) && other.isOpen) other.wasBeside = process.wasBeside = true;
  }
}
