/** Judges what processes did to tasks, by what they wrote down while they did it. */

import type { Lived } from './life.ts';
import type { Entry } from './messages.ts';

/** What can be counted of a course. */
export interface Counts {
  /** Runs that began, of all tasks that were begun. */
  readonly runs: number;
  /** Runs of tasks that had begun before. */
  readonly again: number;
  /** Tasks that failed, since they may not be run again. */
  readonly failed: number;
  readonly cancelled: number;
  /** What befell processes at their steps. */
  readonly befell: Readonly<Record<string, number>>;
}

/** Reads the journal of a course; what a process was ended in the middle of writing is no entry. */
export function entriesOf(text: string): readonly Entry[] {
  const lines = text.split('\n').slice(0, -1);
  // The processes wrote them.
  return lines.map((line) => line.split('\t') as unknown as Entry);
}

/** Finds what was promised and is not so. */
export function judge(entries: readonly Entry[], lived: readonly Lived[]): readonly string[] {
  return [...endsOf(entries), ...lateOf(entries), ...runsOf(entries, lived), ...keptOf(entries, lived)];
}

/** Time for which an answer of the store to a run that is about to begin an effect may be under way, in milliseconds. */
const underWayMs = 500;

/** No effect begins after its task has ended, nor in an older run than another effect of the task. */
function lateOf(entries: readonly Entry[]): readonly string[] {
  const ended = new Map<string, number>();
  const newest = new Map<string, number>();
  return entries.flatMap((entry) => {
    if (entry[0] === 'ended') ended.set(entry[1], Number(entry[3]));
    if (entry[0] !== 'begins') return [];
    const [, label, attempt, id, at] = entry;
    const lateMs = Number(at) - (ended.get(id) ?? Infinity);
    const isOld = Number(attempt) < (newest.get(id) ?? 0);
    newest.set(id, Math.max(Number(attempt), newest.get(id) ?? 0));
    if (isOld) return [`an effect of task ${label} begins in run ${attempt}, and a newer run had begun one`];
    return lateMs > underWayMs ? [`an effect of task ${label} begins ${lateMs} ms after the end of the task`] : [];
  });
}

/** An end is committed once. */
function endsOf(entries: readonly Entry[]): readonly string[] {
  const ended = new Map<string, string>();
  return entries.flatMap(([what, id, status = '']) => {
    if (what !== 'ended') return [];
    const before = ended.get(id);
    ended.set(id, status);
    return before === undefined ? [] : [`task ${id} ended as ${status}, and as ${before} before`];
  });
}

/** What may be run once is run once, and what is completed ran. */
function runsOf(entries: readonly Entry[], lived: readonly Lived[]): readonly string[] {
  const runs = new Map<string, number>();
  for (const [what, label] of entries) if (what === 'run') runs.set(label, (runs.get(label) ?? 0) + 1);
  return lived.flatMap(({ way, label, end }) => {
    const times = runs.get(label) ?? 0;
    if (way === 'once' && times > 1) return [`task ${label} may run once, and ran ${times} times`];
    const isDone = end['status'] === 'completed' && times === 0;
    return isDone ? [`task ${label} is completed, and never ran`] : [];
  });
}

/** What one run has learned of an effect all later ones know, who do it no more; and it is in the result. */
function keptOf(entries: readonly Entry[], lived: readonly Lived[]): readonly string[] {
  const kept = new Map<string, { readonly value: string; readonly attempt: number }>();
  const problems = entries.flatMap(([what, label, key = '', value = '', number]) => {
    if (what !== 'effect' && what !== 'kept') return [];
    const [name, attempt] = [`${label} ${key}`, Number(number)];
    const known = kept.get(name);
    if (what === 'kept') kept.set(name, { value, attempt });
    // Who stood still in the middle of an effect ends it, though another has taken the task.
    const isLate = what === 'effect' && attempt < (known?.attempt ?? 0);
    if (known === undefined || known.value === value || isLate) return [];
    return [`${what} ${name} of run ${attempt} gives ${value}, and run ${known.attempt} had ${known.value}`];
  });
  const wrong = lived.filter(({ way, label, end }) => {
    const wanted = `${kept.get(`${label} a`)?.value} ${kept.get(`${label} b`)?.value}`;
    return way === 'kept' && !JSON.stringify(end['result']).includes(wanted);
  });
  return [...problems, ...wrong.map(({ label }) => `task ${label} ends with other outcomes than were kept`)];
}

/** Counts what there was. */
export function counted(entries: readonly Entry[], lived: readonly Lived[]): Counts {
  const runs = entries.filter(([what]) => what === 'run');
  const befell: Record<string, number> = {};
  for (const [what, step, how] of entries)
    if (what === 'befell') befell[`${how} ${step}`] = (befell[`${how} ${step}`] ?? 0) + 1;
  const statusIs = (status: string): number => lived.filter(({ end }) => end['status'] === status).length;
  return {
    runs: runs.length,
    again: runs.length - new Set(runs.map(([, label]) => label)).size,
    failed: statusIs('failed'),
    cancelled: statusIs('cancelled'),
    befell,
  };
}
