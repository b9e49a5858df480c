import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { subjectOf } from './subject.ts';

function about(message: unknown, method: string, more: object = {}): string | undefined {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return subjectOf({
    sequence: 1,
    time: 0,
    server: 'A',
    connection: 1,
    from: 'client',
    lane: 'message',
    bytes: 0,
    text,
    method,
    ...more,
  });
}

for (const [method, params, words] of [
  ['tools/call', { name: 'forecast', arguments: { name: 'no' }, _meta: { name: 'no' } }, 'forecast'],
  ['resources/read', { uri: 'example://manual' }, 'example://manual'],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'tone' } }, 'greet tone'],
  ['notifications/message', { level: 'info', logger: 'countdown', data: { left: 1 } }, 'info countdown {"left":1}'],
  ['notifications/progress', { progressToken: 1, progress: 2, total: 20, message: '18 to go' }, '2 of 20 18 to go'],
  ['tasks/cancel', { taskId: 't-1' }, 't-1'],
  ['notifications/tasks', { taskId: 't-1', status: 'working', createdAt: 'x' }, 't-1 working'],
  ['subscriptions/listen', { notifications: { taskIds: ['t-1'] } }, 'task t-1'],
  [
    'subscriptions/listen',
    { notifications: { taskIds: ['t-1', 't-2'], toolsListChanged: true, resourceSubscriptions: ['note://one'] } },
    'tasks t-1 t-2, note://one, tools',
  ],
  ['subscriptions/listen', { notifications: { toolsListChanged: false } }, undefined],
  ['tools/list', { cursor: 'x' }, undefined],
  ['tools/call', { name: 7 }, undefined],
  ['toString', { name: 'x' }, undefined],
] as const)
  test(`a row of ${method} with ${JSON.stringify(params)} is about ${words ?? 'nothing'}`, () => {
    assert.equal(about({ jsonrpc: '2.0', id: 1, method, params }, method), words);
  });

test('a row of an error says what went wrong, and one of a result repeats nothing', () => {
  assert.equal(
    about({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no such tool' } }, 'tools/call'),
    'no such tool',
  );
  assert.equal(about({ jsonrpc: '2.0', id: 1, result: { name: 'x' } }, 'tools/call'), undefined);
});

test('a row of a result that asks says what it asks', () => {
  const inputRequests = {
    trip: { method: 'elicitation/create', params: { message: 'When do you travel?', requestedSchema: {} } },
    folders: { method: 'roots/list' },
  };
  const result = { resultType: 'input_required', inputRequests, requestState: 'x' };
  for (const method of ['tools/call', 'prompts/get', 'resources/read'])
    assert.equal(about({ jsonrpc: '2.0', id: 1, result }, method), 'asks: When do you travel? roots/list');
  const plain = { resultType: 'complete', content: [], structuredContent: { inputRequests } };
  assert.equal(about({ jsonrpc: '2.0', id: 1, result: plain }, 'tools/call'), undefined);
});

test('a row of the answer to a poll says how the task stands', () => {
  const result = { taskId: 't-1', status: 'working', statusMessage: 'half done' };
  assert.equal(about({ jsonrpc: '2.0', id: 1, result }, 'tasks/get'), 'working half done');
});

test('whatever crossed has a row, and what is too long or cut off is about nothing', () => {
  assert.equal(about({ method: 'tools/call', params: { name: 'x'.repeat(70_000) } }, 'tools/call'), undefined);
  assert.equal(about({ method: 'tools/call', params: { name: 'x' } }, 'tools/call', { cut: 1 }), undefined);
  fc.assert(
    fc.property(
      fc.json(),
      fc.constantFrom('tools/call', 'completion/complete', 'notifications/message'),
      (text, method) => {
        about(text, method);
        about({ method, params: JSON.parse(text) as unknown, error: JSON.parse(text) as unknown }, method);
      },
    ),
  );
});

test('a result says that its tool failed, and nothing where it did not', () => {
  assert.equal(
    about({ jsonrpc: '2.0', id: 1, result: { content: [], isError: true } }, 'tools/call'),
    'the tool failed',
  );
  assert.equal(about({ jsonrpc: '2.0', id: 1, result: { content: [], isError: false } }, 'tools/call'), undefined);
  assert.equal(
    about({ jsonrpc: '2.0', id: 1, result: { structuredContent: { isError: true } } }, 'tools/call'),
    undefined,
  );
});
