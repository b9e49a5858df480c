import assert from 'node:assert/strict';
import { test } from 'node:test';
import { features, groups } from './fidelity.ts';
import type { ServerCapabilities } from '../../../parley/src/protocol/capability.ts';
import { revisionOf, revisions, type RevisionDate } from '../../../parley/src/protocol/revision.ts';
import type { Tool } from '../../../parley/src/protocol/features/tool.ts';
import { foreign, needs, throughBridge } from './offered.ts';
import type { Loss, Offer } from './offer.ts';

/** What a client of a revision loses of a server with some capabilities and tools. */
function lossesOf(
  client: RevisionDate,
  server: RevisionDate,
  capabilities: ServerCapabilities,
  tools: readonly Tool[] = [],
): readonly Loss[] {
  const revision = revisionOf(server) ?? assert.fail();
  const offer: Offer = { revision: server, capabilities, tools: { items: tools, more: false } };
  return throughBridge(revision, offer).find((one) => one.client === client)?.losses ?? assert.fail();
}

const ids = (losses: readonly Loss[]): readonly string[] => losses.map(({ id }) => id);
const tool: Tool = { name: 't', inputSchema: { type: 'object' } };

test('every feature that is named for itself is one of the table', () => {
  const known = new Set(features.map(({ id }) => id));
  assert.deepEqual(
    [...needs.keys()].filter((id) => !known.has(id)),
    [],
  );
});

test('the part of the table that is passed over is one of it', () => {
  assert.ok(groups.includes(foreign));
});

test('each revision of clients is told of, newest first', () => {
  const revision = revisionOf('2025-11-25') ?? assert.fail();
  const found = throughBridge(revision, { revision: '2025-11-25', capabilities: {} });
  assert.deepEqual(
    found.map(({ client }) => client),
    revisions.map(({ date }) => date).toReversed(),
  );
});

test('a client of the same revision loses nothing of a server with tools alone', () => {
  assert.deepEqual(lossesOf('2025-11-25', '2025-11-25', { tools: {} }, [tool]), []);
});

test('what a server does not have cannot be lost', () => {
  const bare = ids(lossesOf('2024-11-05', '2026-07-28', {}));
  for (const id of [
    'logging-level',
    'resource-subscriptions',
    'list-changes',
    'audioAsText',
    'Tool.title',
    'tasks-methods',
  ])
    assert.ok(!bare.includes(id), id);
});

test('what a server has can be', () => {
  const capabilities = { tools: { listChanged: true }, logging: {}, resources: { subscribe: true } };
  const rich = ids(lossesOf('2024-11-05', '2026-07-28', capabilities, [tool]));
  for (const id of ['logging-level', 'resource-subscriptions', 'list-changes', 'audioAsText'])
    assert.ok(rich.includes(id), id);
});

test('a field is lost where the list shows that the server uses it', () => {
  const found = lossesOf('2024-11-05', '2025-06-18', { tools: {} }, [tool, { ...tool, name: 'u', title: 'U' }]);
  assert.equal(found.find(({ id }) => id === 'Tool.title')?.seen, true);
  assert.ok(!ids(found).includes('Tool.outputSchema'));
  assert.equal(found.find(({ id }) => id === 'TextContent._meta')?.seen, undefined);
});

test('what the schemas of tools show is lost where they show it', () => {
  const strange: Tool = {
    name: 'v',
    inputSchema: { type: 'object', properties: { any: true, region: { type: 'string', 'x-mcp-header': 'Region' } } },
    outputSchema: { type: 'array' },
  };
  const shown = ['wrappedOutputSchema', 'booleanSchemas', 'parameter-headers'];
  const [with_, without] = [[strange], [tool]].map((tools) =>
    ids(lossesOf('2025-06-18', '2026-07-28', { tools: {} }, tools)),
  );
  for (const id of shown) {
    assert.ok(with_?.includes(id), id);
    assert.ok(!without?.includes(id), id);
  }
});

test('a question that a client never heard of is refused, with the error that says so', () => {
  const found = lossesOf('2025-03-26', '2026-07-28', { tools: {} }, [tool]);
  const { kind, error } = found.find(({ id }) => id === 'elicitation-form') ?? assert.fail();
  assert.deepEqual([kind, error], ['refused', 'missingRequiredClientCapability']);
});
