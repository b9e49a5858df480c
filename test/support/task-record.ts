/** A task as it is right after it was kept. */

import type { TaskRecord } from '../../packages/parley/src/tasks/record.ts';

/** A task of one attempt that waits to be run. */
export const freshTask: TaskRecord = {
  id: 't',
  owner: '',
  request: { name: 'x', params: {}, revision: '2026-07-28', client: { capabilities: {} } },
  status: 'working',
  createdAt: 0,
  updatedAt: 0,
  ttlMs: null,
  pollIntervalMs: 1000,
  hand: 'queued',
  attempt: 0,
  attempts: 1,
  open: {},
  answers: {},
  once: {},
};
