import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestRevision, revisionOf, revisions, type Revision, type RevisionDate } from '../revision.ts';
import { toWire } from './to-wire.ts';
import { callToolResultShape, listToolsResultShape } from '../features/tools.ts';
import { listPromptsResultShape } from '../features/prompts.ts';
import {
  listResourceTemplatesResultShape,
  listResourcesResultShape,
  readResourceResultShape,
} from '../features/resources.ts';
import { discoverResultShape } from '../features/lifecycle.ts';
import { cancelTaskResultShape, createTaskResultShape } from '../features/tasks.ts';
import { toolShape } from '../features/tool.ts';
import { requestParamsShape } from '../features/envelope.ts';
import { subscriptionFilterShape } from '../features/subscriptions.ts';

function at(date: RevisionDate): Revision {
  const revision = revisionOf(date);
  assert.ok(revision !== undefined);
  return revision;
}

test('a complete result is sent as the same object, and its content is not walked', () => {
  const content = new Proxy([], {
    get: () => assert.fail('the content was read'),
  });
  const result = { content, resultType: 'complete' };
  assert.equal(toWire(newestRevision, callToolResultShape, result), result);
});

test('results say that they are complete since 2026-07-28 [basic-021]', () => {
  for (const revision of revisions) {
    const sent = toWire(revision, callToolResultShape, { content: [] });
    assert.deepEqual(sent, revision.era === 'stateless' ? { content: [], resultType: 'complete' } : { content: [] });
  }
});

test('what may be cached says for how long, since 2026-07-28 [caching-001]', () => {
  const hints = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  assert.deepEqual(toWire(newestRevision, listToolsResultShape, { tools: [] }), { tools: [], ...hints });
  assert.deepEqual(toWire(newestRevision, listPromptsResultShape, { prompts: [] }), { prompts: [], ...hints });
  assert.deepEqual(toWire(newestRevision, listResourcesResultShape, { resources: [] }), { resources: [], ...hints });
  assert.deepEqual(toWire(newestRevision, listResourceTemplatesResultShape, { resourceTemplates: [] }), {
    resourceTemplates: [],
    ...hints,
  });
  assert.deepEqual(toWire(newestRevision, readResourceResultShape, { contents: [] }), { contents: [], ...hints });
  assert.deepEqual(toWire(newestRevision, discoverResultShape, { supportedVersions: [], capabilities: {} }), {
    supportedVersions: [],
    capabilities: {},
    ...hints,
  });
});

test('cache hints stay at home before 2026-07-28', () => {
  const result = { tools: [], ttlMs: 5, cacheScope: 'public', resultType: 'complete' } as const;
  assert.equal(toWire(newestRevision, listToolsResultShape, result), result);
  assert.deepEqual(toWire(at('2025-11-25'), listToolsResultShape, result), { tools: [] });
});

test('a task is nested in the core and flat in the extension [tasks-056]', () => {
  const task = { taskId: '1', status: 'working', createdAt: 't', lastUpdatedAt: 't' } as const;
  assert.deepEqual(toWire(at('2025-11-25'), createTaskResultShape, { task }), { task: { ...task, ttl: null } });
  assert.deepEqual(toWire(newestRevision, createTaskResultShape, { ...task, ttlMs: 5 }), {
    ...task,
    ttlMs: 5,
    resultType: 'task',
  });
  assert.deepEqual(toWire(newestRevision, cancelTaskResultShape, { ...task, ttl: 5 }), { resultType: 'complete' });
});

test('execution of tools lives in 2025-11-25 alone', () => {
  const tool = { name: 't', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } } as const;
  assert.deepEqual(
    revisions.map((revision) => 'execution' in toWire(revision, toolShape, tool)),
    [false, false, false, true, false],
  );
});

test('fields that nobody knows pass untouched', () => {
  const tool = { name: 't', inputSchema: { type: 'object' as const }, 'com.example/x': 1 };
  for (const revision of revisions) assert.equal(toWire(revision, toolShape, tool), tool);
});

test('the metadata of a stateless request stays away from a handshake revision', () => {
  const _meta = { progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'com.example/x': 1 };
  assert.deepEqual(toWire(at('2025-11-25'), requestParamsShape, { _meta }), {
    _meta: { progressToken: 1, 'com.example/x': 1 },
  });
});

test('a type that does not exist in a revision cannot be sent', () => {
  const filter = { toolsListChanged: true };
  assert.throws(
    () => toWire(at('2025-11-25'), subscriptionFilterShape, filter),
    /SubscriptionFilter cannot be expressed in 2025-11-25/,
  );
});

test('a `_meta` with nothing that a revision knows is left out, and one that was empty stays', () => {
  const serverInfo = { name: 's', version: '1' };
  for (const revision of revisions) {
    const named = { content: [], _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } };
    assert.equal('_meta' in toWire(revision, callToolResultShape, named), revision.serverNamed === 'each-result');
    assert.deepEqual(toWire(revision, callToolResultShape, { content: [], _meta: {} })['_meta'], {});
  }
});
