import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionOf, revisions, type RevisionDate } from '../../../parley/src/protocol/revision.ts';
import { madeUp } from './by-bridge.ts';
import { throughLens, type Lens } from './lens.ts';

function seen(client: RevisionDate, server: RevisionDate, value: unknown, method = 'tools/list'): Lens {
  const sides = { client: revisionOf(client) ?? assert.fail(), server: revisionOf(server) ?? assert.fail() };
  return throughLens({ method, part: 'result', from: 'server', value }, sides);
}

const tool = { name: 'a', title: 'A', inputSchema: { type: 'object' } };

test('a client gets what is left of a message, with the reason of each change', () => {
  const lens = seen('2025-03-26', '2025-11-25', { tools: [tool] });
  const { title: _, ...rest } = tool;
  assert.ok(lens.kind === 'arrives');
  assert.deepEqual(lens.value, { tools: [rest] });
  const [change, ...others] = lens.changes;
  assert.deepEqual([change?.path, change?.kind, others], ['.tools[0].title', 'left-out', []]);
  assert.equal(change?.why, "left out; the client's revision has none");
});

test('a place is told apart from others, whatever the names around it are', () => {
  const info = { name: 'a', version: '1' };
  const value = { tools: [], resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': info, 'a.b': 1 } };
  const lens = seen('2025-11-25', '2026-07-28', { ...value, ttlMs: 0, cacheScope: 'private' });
  assert.ok(lens.kind === 'arrives');
  assert.ok(lens.changes.some(({ path }) => path === '._meta["io.modelcontextprotocol/serverInfo"]'));
});

test('what a client of the same revision gets is the same value, and nothing changed', () => {
  const value = { tools: [tool] };
  const lens = seen('2025-11-25', '2025-11-25', value);
  assert.ok(lens.kind === 'arrives');
  assert.equal(lens.value, value);
  assert.deepEqual([lens.changes, lens.misread], [[], false]);
});

test('what is of another revision than its sender was read otherwise, and says so', () => {
  const lens = seen('2025-11-25', '2025-03-26', { tools: [tool] });
  assert.equal(lens.kind === 'arrives' && lens.misread, true);
});

test('what cannot be read, and what the other side lacks, is told', () => {
  assert.equal(seen('2025-11-25', '2026-07-28', { tools: 7 }).kind, 'wrong');
  assert.equal(seen('2024-11-05', '2025-11-25', {}, 'notifications/tools/list_changed').kind, 'unknown');
});

test('what no revision knows passes as it is', () => {
  const value = { own: 1 };
  const lens = seen('2024-11-05', '2026-07-28', value, 'own/method');
  assert.deepEqual([lens.kind, 'value' in lens && lens.value === value], ['arrives', true]);
});

test('what a bridge makes other messages of is said to be of the bridge, in the words of its line', () => {
  const round = { resultType: 'input_required', inputRequests: {} };
  const asked = seen('2025-06-18', '2026-07-28', round, 'tools/call');
  assert.match(asked.kind === 'bridge' ? asked.why : '', /several rounds.*requests/);
  assert.equal(seen('2026-07-28', '2026-07-28', round, 'tools/call').kind, 'arrives');
  const task = { taskId: 'a', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null };
  assert.equal(seen('2026-07-28', '2025-11-25', { task }, 'tools/call').kind, 'bridge');
  assert.equal(seen('2024-11-05', '2025-11-25', { task }, 'tools/call').kind, 'bridge');
  const same = seen('2025-11-25', '2025-11-25', { task }, 'tools/call');
  assert.deepEqual(same.kind === 'arrives' && same.value, { task: { ...task, taskId: madeUp } });
});

test('whatever a peer sent is shown or told, and nothing throws', () => {
  for (const client of revisions)
    for (const server of revisions)
      for (const value of [undefined, null, 7, 'text', [], { tools: [null] }, { tools: [{ name: 1 }] }, { content: 7 }])
        for (const method of ['tools/list', 'tools/call', 'initialize', 'server/discover', 'elicitation/create'])
          for (const part of ['params', 'result'] as const)
            assert.ok(throughLens({ method, part, from: 'client', value }, { client, server }).kind);
});
