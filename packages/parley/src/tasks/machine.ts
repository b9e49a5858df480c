/**
 * Transitions of a task: pure functions from a record and an event to the next record, or to the reason why there is
 * none.
 */

import type { Ran } from '../connection/memoized-steps.ts';
import { hasEnded } from '../protocol/task-status.ts';
import { cut, maxWords } from './status-text.ts';
import type { OpenQuestion, TaskOutcome, TaskRecord, TaskReply } from './record.ts';

/** Reason why an event changes nothing. */
export type Unchanged =
  /** It has come to its end, which stands. */
  | 'terminal'
  /** Another run holds it by now. */
  | 'fenced'
  /** It is not there to be claimed. */
  | 'held'
  /** Its work was left to an external system; or it was not, although the actor is external. */
  | 'left'
  /** A key was used before. */
  | 'used-key'
  /** More questions would wait, or were asked, than a task may have. */
  | 'too-many'
  /** Nothing of it was wanted. */
  | 'ignored';

/** Epoch of the stored task, and that of the acting run; left out if no run acts. */
export interface Actor {
  readonly epoch: number;
  readonly by?: number | undefined;
}

/** Outcome of an event. */
export type Next = TaskRecord | Unchanged;

/** Number of questions of a task that may wait at once, and over its life. */
export const questionLimits = { open: 32, ever: 256 } as const;

/** Begins a run: the caller already holds the lease. Clients see no change. */
export function claimed(task: TaskRecord): Next {
  if (hasEnded(task)) return 'terminal';
  if (task.hand === 'left') return 'left';
  if (task.hand === 'running' || task.status === 'input_required') return 'held';
  const attempt = task.replays === true ? task.attempt : task.attempt + 1;
  const { replays: _, ...rest } = task;
  return { ...rest, hand: 'running', attempt };
}

/** Ends a lease whose holder is dead. */
export function leaseEnded(task: TaskRecord, now: number): Next {
  if (hasEnded(task)) return 'terminal';
  if (task.hand !== 'running') return 'held';
  if (task.status === 'input_required') return { ...task, hand: 'queued', replays: true };
  if (task.replays === true || task.attempt < task.attempts) return { ...task, hand: 'queued' };
  const error = { code: -32603, message: 'the process that ran the task ended, and it may not be run again' };
  return ended(task, { status: 'failed', outcome: { error }, statusMessage: error.message }, now);
}

/** Gives a run back that did nothing wrong: another process takes it up, at no cost. */
export function givenBack(task: TaskRecord, holder: Actor): Next {
  return refusalOf(task, holder) ?? { ...task, hand: 'queued', replays: true };
}

/** Asks the client, with all that is asked in one turn. */
export function asked(
  task: TaskRecord,
  questions: Readonly<Record<string, OpenQuestion>>,
  holder: Actor,
  now: number,
): Next {
  const refusal = refusalOf(task, holder);
  if (refusal !== undefined) return refusal;
  // A run that began again asks what still waits.
  const fresh = Object.entries(questions).filter(([key, { digest }]) => task.open[key]?.digest !== digest);
  if (fresh.some(([key]) => Object.hasOwn(task.answers, key) || Object.hasOwn(task.open, key))) return 'used-key';
  if (fresh.length === 0) return 'ignored';
  const open = { ...task.open, ...Object.fromEntries(fresh) };
  const waiting = Object.keys(open).length;
  if (waiting > questionLimits.open || waiting + Object.keys(task.answers).length > questionLimits.ever)
    return 'too-many';
  return moved({ ...task, status: 'input_required', open }, now);
}

/** Takes answers. Answers to closed questions are ignored. */
export function replied(task: TaskRecord, given: Readonly<Record<string, TaskReply>>, now: number): Next {
  if (hasEnded(task)) return 'ignored';
  const taken = Object.entries(given).filter(([key]) => Object.hasOwn(task.open, key));
  if (taken.length === 0) return 'ignored';
  const replies = taken.map(([key, reply]) => [key, { ...reply, digest: task.open[key]?.digest ?? '' }] as const);
  const open = without(
    task.open,
    taken.map(([key]) => key),
  );
  const answers = { ...task.answers, ...Object.fromEntries(replies) };
  // Until its run continues, the run may turn out to be dead. Another run then begins again without using an attempt.
  return moved({ ...task, answers, replays: true, ...waiting(open) }, now);
}

/** Continues after an answer. If the run now ends early, its effects cannot be undone. */
export function resumed(task: TaskRecord, holder: Actor): Next {
  const refusal = refusalOf(task, holder);
  if (refusal !== undefined) return refusal;
  if (task.status !== 'working' || task.replays !== true) return 'ignored';
  const { replays: _, ...rest } = task;
  return rest;
}

/** Withdraws questions that are no longer awaited. */
export function withdrawn(task: TaskRecord, keys: readonly string[], holder: Actor, now: number): Next {
  const refusal = refusalOf(task, holder);
  if (refusal !== undefined) return refusal;
  const open = without(task.open, keys);
  if (Object.keys(open).length === Object.keys(task.open).length) return 'ignored';
  // Its run is seen to go on.
  const { replays: _, ...rest } = task;
  return moved({ ...rest, ...waiting(open) }, now);
}

/** Keeps the outcome of a side effect. */
export function kept(task: TaskRecord, once: Readonly<Record<string, Ran>>, holder: Actor): Next {
  return refusalOf(task, holder) ?? { ...task, once: { ...task.once, ...once } };
}

/** Sets the status message. */
export function said(task: TaskRecord, statusMessage: string, holder: Actor, now: number): Next {
  const refusal = refusalOf(task, holder);
  if (refusal !== undefined) return refusal;
  const words = cut(statusMessage, maxWords);
  return task.statusMessage === words ? 'ignored' : moved({ ...task, statusMessage: words }, now);
}

/** Leaves the work to an external system, which ends it. */
export function left(task: TaskRecord, holder: Actor, now: number): Next {
  return refusalOf(task, holder) ?? moved({ ...task, hand: 'left', open: {}, status: 'working' }, now);
}

/** Ends the work with a result or an error. */
export function finished(task: TaskRecord, outcome: TaskOutcome, holder: Actor, now: number): Next {
  const refusal = refusalOf(task, holder);
  if (refusal !== undefined) return refusal;
  const { error } = outcome;
  if (error === undefined) return ended(task, { status: 'completed', outcome }, now);
  return ended(task, { status: 'failed', outcome, statusMessage: cut(error.message, maxWords) }, now);
}

/** Cancels it: final, whatever its run still does. */
export function cancelled(task: TaskRecord, now: number): Next {
  return hasEnded(task) ? 'terminal' : ended(task, { status: 'cancelled' }, now);
}

/** Reason why an actor is refused. An actor without a run may only act on work that was left to an external system. */
function refusalOf(task: TaskRecord, { epoch, by }: Actor): Unchanged | undefined {
  if (hasEnded(task)) return 'terminal';
  if (by === undefined) return task.hand === 'left' ? undefined : 'left';
  return by === epoch && task.hand === 'running' ? undefined : 'fenced';
}

function ended(
  task: TaskRecord,
  end: Pick<TaskRecord, 'status' | 'outcome' | 'statusMessage'>,
  now: number,
): TaskRecord {
  const { seed: _, request, ...rest } = task;
  const { name, revision, member } = request;
  // An ended task never runs again. Only its outcome is needed, not its arguments and its client.
  const told = { name, params: {}, revision, client: { capabilities: {} } };
  const of = member === undefined ? told : { ...told, member };
  return moved({ ...rest, request: of, ...end, hand: 'queued', open: {}, once: {}, answers: {} }, now);
}

/** Every visible change sets the time of the last update, which never goes back. */
function moved(task: TaskRecord, now: number): TaskRecord {
  return { ...task, updatedAt: Math.max(task.updatedAt, now) };
}

function waiting(open: TaskRecord['open']): Pick<TaskRecord, 'open' | 'status'> {
  return { open, status: Object.keys(open).length === 0 ? 'working' : 'input_required' };
}

function without(open: TaskRecord['open'], keys: readonly string[]): TaskRecord['open'] {
  return Object.fromEntries(Object.entries(open).filter(([key]) => !keys.includes(key)));
}
