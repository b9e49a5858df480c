/** Mistakes in what an author writes of tasks. */

import { refuseMistakes, type Kinds } from '../../options/kinds.ts';
import { refuseNoNumber, refuseOther, refuseOtherWord } from '../../options/known-values.ts';
import { sealingKeyOf } from '../../sealing/sealing-key.ts';
import type { TaskLimits } from '../../tasks/limits.ts';
import type { TaskOptions, TaskUse } from './task-definition.ts';

const limits: Kinds<TaskLimits> = {
  perOwner: 'count',
  ofNobody: 'count',
  running: 'count',
  waiting: 'count',
  results: 'count',
  textLength: 'count',
};

const options: Kinds<TaskOptions> = {
  store: 1,
  queue: 'string',
  limits: 1,
  executor: 1,
  keys: 1,
  onAudit: 'function',
  ttlMs: 'life',
  maxTtlMs: 'life',
  outcomeTtlMs: 'time',
  pollIntervalMs: 'time',
  leaseTtlMs: 'time',
  waitTimeoutMs: 'time',
};

const use: Kinds<TaskUse> = {
  support: 1,
  after: 1,
  ttlMs: 'life',
  pollIntervalMs: 'time',
  attempts: 'runs',
  immediate: 'string',
};

/** @throws TypeError for options of tasks that do not exist, are of another type, or make no sense. */
export function checkTaskOptions(given: TaskOptions = {}): void {
  refuseMistakes('tasks', given, { kinds: options });
  const { store, executor, keys } = given;
  refuseMistakes('tasks.limits', given.limits, { kinds: limits });
  if (store !== undefined) refuseOther('function', 'tasks.store.claim', store.claim ?? null);
  if (executor !== undefined)
    for (const name of ['start', 'wake', 'cancel'] as const)
      refuseOther('function', `tasks.executor.${name}`, executor[name] ?? null);
  if (keys !== undefined && (!Array.isArray(keys) || keys.length === 0))
    throw new TypeError('tasks.keys needs a key at least; leave it out to seal nothing');
  keys?.forEach((key) => sealingKeyOf(key, 'a sealing key of tasks.keys'));
}

/** @throws TypeError for what no tool has under `task`. */
export function checkTaskUse(what: string, { task }: { readonly task?: unknown }): void {
  if (task === undefined) return;
  // The checks below reject anything but the known fields under these names.
  const given = (typeof task === 'object' ? task : { support: task }) as TaskUse;
  refuseMistakes(`the task of ${what}`, given, { kinds: use, named: (name) => `${name} of the task of ${what}` });
  const { support, after } = given;
  refuseOtherWord(`task of ${what}`, ['optional', 'required'], support ?? null);
  if (after !== 'background') refuseNoNumber(`after of ${what}, unless "background",`, after);
}
