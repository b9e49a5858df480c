/** Mistakes in what an author writes of tasks. */

import { refuseUnknown, type Names } from '../mistakes/known-names.ts';
import { refuseNoNumber, refuseOther, refuseOtherWord } from '../mistakes/known-values.ts';
import { shown } from '../mistakes/shown.ts';
import { sealingKeyOf } from '../seal/sealing-key.ts';
import type { TaskExecutor } from '../tasks/executor.ts';
import type { TaskLimits } from '../tasks/limits.ts';
import type { TaskOptions, TaskUse } from './task-definition.ts';

const limitNames: Names<TaskLimits> = { perOwner: 1, ofNobody: 1, running: 1, waiting: 1, results: 1, textLength: 1 };

const optionNames: Names<TaskOptions> = {
  store: 1,
  queue: 1,
  limits: 1,
  executor: 1,
  keys: 1,
  onAudit: 1,
  ttlMs: 1,
  maxTtlMs: 1,
  keepMs: 1,
  pollIntervalMs: 1,
  leaseMs: 1,
  waitMs: 1,
};

const executorNames: Names<TaskExecutor> = { start: 1, wake: 1, cancel: 1 };

const useNames: Names<TaskUse> = { support: 1, after: 1, ttlMs: 1, pollIntervalMs: 1, attempts: 1, immediate: 1 };

/** @throws TypeError for options of tasks that do not exist, are of another type, or make no sense. */
export function checkTaskOptions(options: TaskOptions = {}): void {
  refuseUnknown('tasks', options, optionNames);
  const { store, queue, limits = {}, executor, keys, onAudit, ...times } = options;
  refuseUnknown('tasks.limits', limits, limitNames);
  refuseOther('string', 'tasks.queue', queue);
  if (store !== undefined) refuseOther('function', 'tasks.store.claim', store.claim ?? null);
  refuseOther('function', 'tasks.onAudit', onAudit);
  if (keys !== undefined && (!Array.isArray(keys) || keys.length === 0))
    throw new TypeError('tasks.keys needs a key at least; leave it out to seal nothing');
  keys?.forEach(sealingKeyOf);
  if (executor !== undefined)
    for (const name of Object.keys(executorNames))
      refuseOther('function', `tasks.executor.${name}`, executor[name as keyof TaskExecutor] ?? null);
  for (const [name, value] of Object.entries(limits)) refuseNoCount(`tasks.limits.${name}`, value, 0);
  for (const [name, value] of Object.entries(times)) refuseNoTime(`tasks.${name}`, value);
}

/** @throws TypeError for what no tool has under `task`. */
export function checkTaskUse(what: string, { task }: { readonly task?: unknown }): void {
  if (task === undefined) return;
  const whole = typeof task === 'object' ? task : { support: task };
  refuseUnknown(`the task of ${what}`, whole, useNames);
  // Nothing else is under these names than what is judged here.
  const { support, after, immediate, attempts, ...times } = whole as Partial<TaskUse>;
  refuseOtherWord(`task of ${what}`, ['optional', 'required'], support ?? null);
  if (after !== 'background') refuseNoNumber(`after of ${what}, unless "background",`, after);
  for (const [name, value] of Object.entries(times)) refuseNoTime(`${name} of the task of ${what}`, value);
  refuseNoCount(`attempts of the task of ${what}`, attempts, 1);
  refuseOther('string', `immediate of the task of ${what}`, immediate);
}

/** Clients are told these, or they are waited for: nothing is no time, and no JSON has one without an end. `null` is one, of a life. */
function refuseNoTime(name: string, value: unknown): void {
  if (
    !(value === undefined || (value === null && name.includes('tlMs')) || (Number.isFinite(value) && Number(value) > 0))
  )
    throw new TypeError(`${name} must be a number above 0, not ${shown(value)}`);
}

/** Stores count in whole numbers, and half a run is none. */
function refuseNoCount(name: string, value: unknown, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) return;
  throw new TypeError(`${name} must be a whole number of at least ${least}, not ${shown(value)}`);
}
