/** The requests of a client about a task, and what it takes for their answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { metaKey } from '../../../protocol/meta-key.ts';
import { revisionOf, type RevisionDate } from '../../../protocol/revision.ts';
import { sentOf, TaskRequests } from './task-requests.ts';

const times = { createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:00.000Z' };

/** Requests whose answer is this. */
function requests(revision: RevisionDate, answer: object) {
  const asked: (readonly [string, object, object])[] = [];
  const connection = {
    revision: revisionOf(revision),
    request: async (...given: (typeof asked)[number]) => (asked.push(given), answer),
  };
  return { requests: new TaskRequests(connection as never), asked };
}

test('a result without content is none, and one with content no longer names its task', async () => {
  const bare = requests('2025-11-25', {});
  await assert.rejects(
    bare.requests.result('t', {}),
    (error) =>
      error instanceof ConnectionError && error.reason === 'invalid-message' && /has no content/.test(error.message),
  );
  const content = [{ type: 'text', text: 'done' }];
  const whole = requests('2025-11-25', { content, _meta: { [metaKey.relatedTask]: { taskId: 't' }, a: 1 } });
  const result = await whole.requests.result('t', {});
  assert.deepEqual(result.content, content);
  assert.equal(JSON.stringify(result).includes('related-task'), false);
});

test('a cancelled task is told by 2025-11-25 alone, and not in words that are none', async () => {
  const task = { taskId: 't', status: 'cancelled', ...times, ttl: null };
  const core = requests('2025-11-25', task);
  assert.equal((await core.requests.cancel('t', {}))?.status, 'cancelled');
  assert.equal(await requests('2025-11-25', { status: 7 }).requests.cancel('t', {}), undefined);
  const extension = requests('2026-07-28', { resultType: 'complete' });
  assert.equal(await extension.requests.cancel('t', {}), undefined);
  for (const [one, offered] of [
    [core, false],
    [extension, true],
  ] as const) {
    const [[method, params, options]] = one.asked as [(typeof one.asked)[number]];
    assert.deepEqual([method, params, options], ['tasks/cancel', { taskId: 't' }, { repeat: true, task: { offered } }]);
  }
});

test('requests about a task have the options of its call, but for its signal', () => {
  const options = { timeoutMs: 1, capabilities: {}, clientInfo: undefined, headers: {}, caller: undefined };
  assert.deepEqual(sentOf({ ...options, signal: new AbortController().signal, logLevel: 'info' } as never), options);
});
