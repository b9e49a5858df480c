import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './check.ts';
import { McpError } from '../error.ts';
import { fromWire } from './from-wire.ts';
import { pathText } from './read.ts';
import { newestRevision, revisionOf, revisions, type Revision, type RevisionDate } from '../revision.ts';
import { readResourceResultShape } from '../features/resources.ts';
import { loggingMessageNotificationParamsShape } from '../features/logging.ts';
import type { Type } from '../shape.ts';
import { callToolRequestParamsShape, callToolResultShape, listToolsResultShape } from '../features/tools.ts';
import { paginatedRequestParamsShape } from '../features/envelope.ts';
import { taskShape } from '../features/tasks.ts';
import { elicitRequestParams, elicitResultShape } from '../features/elicitation.ts';
import { iconShape } from '../features/common.ts';
import { getPromptRequestParamsShape } from '../features/prompts.ts';
import { cancelledNotificationParamsShape, progressNotificationParamsShape } from '../features/lifecycle.ts';

function at(date: RevisionDate): Revision {
  const revision = revisionOf(date);
  assert.ok(revision !== undefined);
  return revision;
}

test('a value that is fine is read as the same object', () => {
  const params = { name: 't', arguments: { a: [1, { b: null }] }, 'com.example/x': 1 };
  for (const revision of revisions) assert.equal(fromWire(revision, callToolRequestParamsShape, params), params);
});

test('null for an optional field counts as absent', () => {
  assert.deepEqual(fromWire(newestRevision, paginatedRequestParamsShape, { cursor: null, other: null }), {
    other: null,
  });
});

test('null stays where it is a value', () => {
  const task = { taskId: '1', status: 'working', createdAt: 't', lastUpdatedAt: 't', ttl: null };
  assert.equal(fromWire(at('2025-11-25'), taskShape, task), task);
  const result = { content: [], structuredContent: null };
  assert.equal(fromWire(newestRevision, callToolResultShape, result), result);
});

test('null counts as absent where only a later revision has it as a value', () => {
  const result = { content: [], structuredContent: null };
  for (const date of ['2025-06-18', '2025-11-25'] as const)
    assert.deepEqual(fromWire(at(date), callToolResultShape, result), { content: [] });
});

test('a result without a type or cache hints is understood [basic-022] [caching-008]', () => {
  const result = { tools: [] };
  assert.equal(fromWire(newestRevision, listToolsResultShape, result), result);
  assert.deepEqual(
    check(newestRevision, listToolsResultShape, result).map(({ path }) => path),
    ['resultType', 'ttlMs', 'cacheScope'],
  );
});

test('fields of other revisions are taken away', () => {
  const params = { name: 't', task: { ttl: 1 }, requestState: 's' };
  assert.deepEqual(fromWire(at('2025-06-18'), callToolRequestParamsShape, params), { name: 't' });
  assert.deepEqual(fromWire(at('2025-11-25'), callToolRequestParamsShape, params), { name: 't', task: { ttl: 1 } });
  assert.deepEqual(fromWire(newestRevision, callToolRequestParamsShape, params), { name: 't', requestState: 's' });
});

test('an empty request state is one', () => {
  const params = { name: 't', requestState: '' };
  assert.equal(fromWire(newestRevision, callToolRequestParamsShape, params), params);
});

test('content of an unknown kind is kept, and found by a check', () => {
  const result = { content: [{ type: 'hologram' }], resultType: 'complete' };
  assert.equal(fromWire(newestRevision, callToolResultShape, result), result);
  assert.deepEqual(check(newestRevision, callToolResultShape, result), [
    { path: 'content[0].type', message: 'must be one of text, image, audio, resource_link, resource' },
  ]);
});

test('a field of a form that no revision has is kept, and found by a check', () => {
  const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }], default: null };
  const form = {
    message: 'm',
    requestedSchema: { type: 'object', properties: { nullable, name: { type: 'string' } } },
  };
  for (const date of ['2025-06-18', '2025-11-25', '2026-07-28'] as const) {
    assert.equal(fromWire(at(date), elicitRequestParams, form), form);
    assert.equal(check(at(date), elicitRequestParams, form).length, 1);
  }
  const junk = { message: 'm', requestedSchema: { type: 'object', properties: { a: 1 } } };
  assert.throws(() => fromWire(newestRevision, elicitRequestParams, junk), /properties\.a must be one of/);
});

test('content of a later revision is kept as it came', () => {
  const result = { content: [{ type: 'audio', data: '', mimeType: 'a/b' }] };
  assert.equal(fromWire(at('2024-11-05'), callToolResultShape, result), result);
});

test('structured content that is no object is understood before 2026-07-28', () => {
  const result = { content: [], structuredContent: [1] };
  assert.equal(fromWire(at('2025-06-18'), callToolResultShape, result), result);
  assert.equal(check(at('2025-06-18'), callToolResultShape, result).length, 1);
});

test('a hint that nobody knows counts as absent', () => {
  assert.deepEqual(fromWire(newestRevision, iconShape, { src: 'x', theme: 'sepia' }), { src: 'x' });
});

test('answers that do not fit are ignored, but not any number of them', () => {
  const answers = (count: number): unknown => ({
    name: 't',
    inputResponses: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, at])),
  });
  assert.deepEqual(fromWire(newestRevision, callToolRequestParamsShape, answers(1000)), {
    name: 't',
    inputResponses: {},
  });
  assert.throws(() => fromWire(newestRevision, callToolRequestParamsShape, answers(1001)), {
    message: 'CallToolRequestParams.inputResponses has more than 1000 entries that do not fit',
  });
});

test('missing parameters read as none', () => {
  assert.deepEqual(fromWire(at('2025-11-25'), paginatedRequestParamsShape, undefined), {});
});

const long = 'x'.repeat(1000);

const mistakes: readonly (readonly [Type, unknown, string])[] = [
  [callToolRequestParamsShape, {}, 'CallToolRequestParams.name is required'],
  [callToolRequestParamsShape, { name: 1 }, 'CallToolRequestParams.name must be a string'],
  [callToolRequestParamsShape, { name: null }, 'CallToolRequestParams.name must be a string'],
  [callToolRequestParamsShape, { name: 't', arguments: [] }, 'CallToolRequestParams.arguments must be an object'],
  [callToolRequestParamsShape, [], 'CallToolRequestParams must be an object'],
  [callToolRequestParamsShape, null, 'CallToolRequestParams must be an object'],
  [
    getPromptRequestParamsShape,
    { name: 'p', arguments: { a: 1 } },
    'GetPromptRequestParams.arguments.a must be a string',
  ],
  [
    callToolResultShape,
    { content: [{ type: 'text', text: 'a' }, { type: 'text' }] },
    'CallToolResult.content[1].text is required',
  ],
  [callToolResultShape, { content: [{}] }, 'CallToolResult.content[0].type is required'],
  [callToolResultShape, { content: 'x' }, 'CallToolResult.content must be an array'],
  [
    readResourceResultShape,
    { contents: [{ uri: 'x' }] },
    'ReadResourceResult.contents[0] must be one of TextResourceContents, BlobResourceContents',
  ],
  [
    progressNotificationParamsShape,
    { progressToken: {}, progress: 1 },
    'ProgressNotificationParams.progressToken must be string or number',
  ],
  [
    loggingMessageNotificationParamsShape,
    { level: long, data: 1 },
    'LoggingMessageNotificationParams.level must be one of debug, info, notice, warning, error, critical, alert, emergency',
  ],
  [elicitResultShape, { action: 'maybe' }, 'ElicitResult.action must be one of accept, decline, cancel'],
  [
    getPromptRequestParamsShape,
    { name: 'p', arguments: { [long]: 1 } },
    `GetPromptRequestParams.arguments.${long.slice(0, 64)}… must be a string`,
  ],
];

for (const [type, value, message] of mistakes) {
  test(`reading says where the mistake is: ${message.slice(0, 100)}`, () => {
    assert.throws(
      () => fromWire(newestRevision, type, value),
      (error) => error instanceof McpError && error.kind === 'invalidParams' && error.message === message,
    );
  });
}

test('keys of a prototype are fields like any other', () => {
  const value: unknown = JSON.parse(
    '{"name":"t","__proto__":{"polluted":1},"constructor":null,"task":1,"arguments":null}',
  );
  const read = fromWire(newestRevision, callToolRequestParamsShape, value);
  assert.deepEqual(Object.keys(read), ['name', '__proto__', 'constructor']);
  assert.equal(Object.getPrototypeOf(read), Object.prototype);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  const prompt: unknown = JSON.parse('{"name":"p","arguments":{"__proto__":"x"}}');
  assert.deepEqual(Object.keys(fromWire(newestRevision, getPromptRequestParamsShape, prompt).arguments ?? {}), [
    '__proto__',
  ]);
});

test('a cancellation without a request is understood', () => {
  assert.deepEqual(fromWire(at('2025-11-25'), cancelledNotificationParamsShape, {}), {});
  assert.deepEqual(check(at('2025-11-25'), cancelledNotificationParamsShape, {}), []);
  assert.equal(check(newestRevision, cancelledNotificationParamsShape, {}).length, 1);
});

test('a name in the path of a mistake is cut at 64 characters', () => {
  const [fits, over] = ['k'.repeat(64), 'k'.repeat(65)];
  assert.deepEqual([pathText([fits]), pathText([over])], [fits, `${fits}…`]);
  assert.equal(pathText(['a', 0, 'b', 1]), 'a[0].b[1]');
  assert.equal(pathText([0, 'a']), '[0].a');
});
