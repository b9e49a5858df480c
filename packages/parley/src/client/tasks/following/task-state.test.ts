/** A task as programs see it, of what a server told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnchanged, taskStateOf, updateOf } from './task-state.ts';

const times = { createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:00.000Z' };
const question = { method: 'elicitation/create', params: { mode: 'form', message: '?' } };

function stateWith(status: string, keys: readonly string[], more: object = {}) {
  const inputRequests = Object.fromEntries(keys.map((key) => [key, question]));
  return taskStateOf({ taskId: 't', status, ...times, ttlMs: null, inputRequests, ...more } as never);
}

test('an update has the open questions, and only while the task waits for input', () => {
  const keysOf = (status: string, keys: readonly string[], answered: readonly string[] = []): unknown => {
    const { inputRequests } = updateOf(stateWith(status, keys), new Set(answered));
    return inputRequests && Object.keys(inputRequests);
  };
  assert.deepEqual(keysOf('input_required', ['a', 'b'], ['a']), ['b']);
  assert.equal(keysOf('input_required', ['a'], ['a']), undefined);
  assert.equal(keysOf('input_required', []), undefined);
  assert.equal(keysOf('working', ['a']), undefined);
});

test('a task has changed if its status, message, lifetime or questions have', () => {
  const one = stateWith('input_required', ['a']);
  const with_ = (more: object): ReturnType<typeof stateWith> => stateWith('input_required', ['a'], more);
  assert.equal(isUnchanged(one, with_({ lastUpdatedAt: '2027-01-01T00:00:00.000Z', pollIntervalMs: 1 })), true);
  const others = [
    stateWith('working', ['a']),
    stateWith('input_required', ['a', 'b']),
    stateWith('input_required', []),
    with_({ statusMessage: 'soon' }),
    with_({ ttlMs: 1 }),
  ];
  for (const other of others) assert.equal(isUnchanged(one, other), false);
});

test('a lifetime and an interval are read in the words of both forms of tasks', () => {
  const { ttlMs, pollMs } = stateWith('working', [], { ttlMs: undefined, ttl: 7, pollInterval: 8 });
  assert.deepEqual([ttlMs, pollMs], [7, 8]);
  const newer = stateWith('working', [], { ttlMs: 9, pollIntervalMs: 10 });
  assert.deepEqual([newer.ttlMs, newer.pollMs], [9, 10]);
  assert.equal(stateWith('working', [], { ttlMs: null, ttl: 7 }).ttlMs, 7);
});
