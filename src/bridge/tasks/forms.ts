/** The two forms in which revisions have tasks, each made of the other. */

import type { DetailedTask, Task } from '../../protocol/features/tasks.ts';

/** A task of 2025-11-25 in the words of the extension: its times have other names. */
export function asOfExtension({ ttl = null, pollInterval, ...task }: DetailedTask): Task {
  const { ttlMs: _, pollIntervalMs: __, inputRequests: ___, result: ____, error: _____, ...said } = task;
  return { ...said, ttlMs: ttl, ...(pollInterval === undefined ? {} : { pollIntervalMs: pollInterval }) };
}
