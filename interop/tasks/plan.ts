/** The exercise of tasks: every step, where there is such, and what must come of it. */

import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import {
  both,
  expectHeard,
  expectResult,
  expectText,
  expectToolError,
  expectWords,
  field,
  shown,
  type Judge,
} from '../harness/judges.ts';
import type { Exercise } from '../harness/plan.ts';
import type { Outcome } from '../harness/step.ts';
import type { TaskStep } from './step.ts';

/** With a peer that has tasks. */
export const taskExercises: readonly Exercise<TaskStep>[] = [
  { step: { id: 'plain call', do: 'call', name: 'quick' }, exists: isCore, judge: expectText('quick') },
  {
    step: { id: 'wait', do: 'task', name: 'slow', arguments: { ms: 1500 } },
    judge: both(expectText('brewed'), expectHeard('created', 'status working')),
  },
  {
    // A client cannot ask for it in 2026-07-28, so that a server of 2025-11-25 behind a bridge is not asked.
    exists: ({ tasks }, { bridge }) => tasks === 'core' || bridge === undefined,
    step: { id: 'time to live', do: 'task', name: 'slow', arguments: { ms: 10 }, ttl: 60_000 },
    judge: both(expectText('brewed'), expectTtl),
  },
  { step: { id: 'required', do: 'task', name: 'must' }, judge: both(expectText('done'), expectHeard('created')) },
  {
    step: { id: 'tool error', do: 'task', name: 'fail' },
    judge: both(expectToolError('kettle'), expectHeard('created')),
  },
  {
    step: { id: 'protocol error', do: 'task', name: 'break' },
    judge: both(expectCode(-32_602, /no such leaf/), expectHeard('created')),
  },
  {
    step: { id: 'asks', do: 'task', name: 'ask' },
    judge: both(expectText('Ann'), expectHeard('created', 'asked elicitation')),
  },
  {
    // A client listens to a task that takes long; on a busy machine it begins to later.
    step: { id: 'told', do: 'told', name: 'slow', arguments: { ms: 6000 } },
    judge: both(expectStatus('completed'), expectHeard('told completed')),
  },
  { step: { id: 'cancel', do: 'cancel', name: 'endless' }, judge: expectStatus('cancelled') },
  { step: { id: 'cancelled there', do: 'call', name: 'given-up' }, judge: expectText('1') },
  {
    step: { id: 'cancel an ended one', do: 'cancel-ended', name: 'quick' },
    exists: isCore,
    judge: expectCode(-32_602),
  },
  {
    step: { id: 'acknowledge a late cancel', do: 'cancel-ended', name: 'slow', arguments: { ms: 10 } },
    exists: isExtension,
    judge: expectResult(() => undefined),
  },
  { step: { id: 'unknown', do: 'unknown', name: 'slow', arguments: { ms: 10 } }, judge: expectCode(-32_602) },
  {
    step: { id: 'list', do: 'tasks' },
    exists: (revision, { way }) => isCore(revision) && way === 'stdio',
    judge: expectResult((result) => (Number(field(result, 'count')) > 0 ? undefined : shown(result))),
  },
  {
    // Specification 2025-11-25, Tasks, Security Considerations: no list where requestors cannot be told apart.
    step: { id: 'no list for strangers', do: 'tasks' },
    exists: (revision, { way, side, bridge }) =>
      isCore(revision) && way === 'http' && side === 'client' && bridge === undefined,
    judge: expectCode(-32_601),
  },
  {
    // A bridge asks such questions plainly.
    step: { id: 'asks by a task', do: 'call', name: 'ask-by-task' },
    exists: (revision, { side, bridge }) => isCore(revision) && side === 'client' && bridge === undefined,
    judge: both(expectText('Ann'), expectHeard('asked elicitation', 'hosted')),
  },
];

const research = { name: 'simulate-research-query', arguments: { topic: 'tea' } };

/** With the server of everything, which has one tool that is a task alone. */
export const everythingExercises: readonly Exercise<TaskStep>[] = [
  {
    step: { id: 'wait', do: 'task', ...research },
    judge: both(expectWords('Research Report: tea'), expectHeard('created', 'status working')),
  },
  { step: { id: 'required', do: 'call', ...research }, judge: expectWords('Research Report: tea') },
  {
    step: { id: 'asks', do: 'task', name: research.name, arguments: { topic: 'tea', ambiguous: true } },
    judge: both(expectWords('Research Report: tea'), expectHeard('created', 'asked elicitation')),
  },
  { step: { id: 'cancel', do: 'cancel', ...research }, judge: expectStatus('cancelled') },
  { step: { id: 'unknown', do: 'unknown', ...research }, judge: expectCode(-32_602) },
];

/** With a peer that knows no tasks, whose program is that of the other exercise: only a tool that is a task alone is refused. */
export const plainExercises: readonly Exercise<TaskStep>[] = [
  { step: { id: 'optional', do: 'call', name: 'quick' }, judge: expectText('quick') },
  { step: { id: 'optional and slow', do: 'call', name: 'slow', arguments: { ms: 1500 } }, judge: expectText('brewed') },
  { step: { id: 'optional and asks', do: 'call', name: 'ask' }, judge: expectText('Ann') },
  {
    step: { id: 'refused', do: 'call', name: 'must' },
    exists: (revision) => !isExtension(revision),
    judge: expectRefusal(-32_601),
  },
  {
    step: { id: 'refused as undeclared', do: 'call', name: 'must' },
    exists: isExtension,
    judge: expectRefusal(-32_021),
  },
];

function isCore({ tasks }: Revision): boolean {
  return tasks === 'core';
}

function isExtension({ tasks }: Revision): boolean {
  return tasks === 'extension';
}

function expectTtl({ heard = [] }: Outcome): string | undefined {
  return heard.some((word) => /^ttl [1-9]\d*$/.test(word)) ? undefined : `no time to live in ${shown(heard)}`;
}

function expectCode(code: number, words = /^/): Judge {
  return (outcome) => {
    const { error } = outcome;
    return error?.code === code && words.test(error.message) ? undefined : `no error ${code} but ${shown(outcome)}`;
  };
}

/** The words must tell a reader that it is tasks that are missing. */
function expectRefusal(code: number): Judge {
  return both(expectCode(code), ({ error }) => (/task/i.test(error?.message ?? '') ? undefined : shown(error)));
}

function expectStatus(status: string): Judge {
  return expectResult((result) => (field(result, 'status') === status ? undefined : shown(result)));
}
