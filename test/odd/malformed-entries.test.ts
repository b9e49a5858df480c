/** Lists of which an entry is malformed: the others are there, for clients, explain, inspect and bridges. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { explainServer } from '../../packages/cli/src/commands/explain/server.ts';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { ServerLists } from '../../packages/cli/src/inspect/servers/lists.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { takeViolations } from '../support/sent-wrong.ts';
import { agreed, agrees } from './agreed.ts';
import { oddFetch } from './odd-fetch.ts';
import { freshUrl, outcomes, type Fetch } from './peers.ts';

type Json = Readonly<Record<string, unknown>>;

const good = { name: 'good', inputSchema: { type: 'object' } };

/** Tools that are malformed, with what is wrong. */
const wrong: readonly (readonly [why: string, entry: unknown])[] = [
  ['inputSchema is required', { name: 'bad' }],
  ['inputSchema.type is required', { name: 'bad', inputSchema: {} }],
  ['inputSchema must be an object', { name: 'bad', inputSchema: null }],
  ['inputSchema must be an object', { name: 'bad', inputSchema: [] }],
  ['inputSchema.type must be object', { name: 'bad', inputSchema: { type: 'string' } }],
  ['description must be a string', { name: 'bad', description: 7, inputSchema: { type: 'object' } }],
  ['outputSchema must be an object', { name: 'bad', inputSchema: { type: 'object' }, outputSchema: 'x' }],
];

function serving(tools: readonly unknown[], others: Readonly<Record<string, Json>> = {}): Fetch {
  return oddFetch(({ method }) => (method === 'tools/list' ? { tools } : others[String(method)]));
}

const reach = (fetch: Fetch): Transport => httpTransport(freshUrl(), { fetch });
const names = async (client: Client): Promise<readonly string[]> => (await client.listTools()).map(({ name }) => name);

for (const [why, entry] of wrong)
  test(`a tool of a list is left out: ${why}: ${JSON.stringify(entry)}`, async () => {
    const fetch = serving([entry, good]);
    const made = await outcomes({ fetch }, async (user) => (await user.listTools()).map(({ name }) => name).join());
    // The official clients give nothing of such a list.
    assert.deepEqual([made['1.32.2'], made['2.4.0'], made.parley], ['fails', 'fails', 'good']);
    assert.deepEqual(made.warnings, [`tools/list: "bad" is malformed and left out: ${why}`]);
    const all = await agreed({ fetch });
    assert.ok(agrees(all) && all.call.called === 'done', JSON.stringify(all));
  });

test('an entry that is no object is left out, and entries without a name', async () => {
  const made = await outcomes({ fetch: serving([null, 7, { inputSchema: { type: 'object' } }, good]) }, async (user) =>
    (await user.listTools()).map(({ name }) => name).join(),
  );
  assert.equal(made.parley, 'good');
  assert.deepEqual(made.warnings, [
    'tools/list: an entry without a name is malformed and left out: must be an object',
    'tools/list: an entry without a name is malformed and left out: name is required',
  ]);
});

test('malformed prompts, resources and templates are left out too', async () => {
  const fetch = serving([], {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { prompts: {}, resources: {} },
      serverInfo: { name: 'odd', version: '1' },
    },
    'prompts/list': { prompts: [{ name: 'bad', arguments: {} }, { name: 'good' }] },
    'resources/list': { resources: [{ uri: 'x:bad' }, { uri: 'x:good', name: 'good' }] },
    'resources/templates/list': {
      resourceTemplates: [{ uriTemplate: 'x:bad' }, { uriTemplate: 'x:{a}', name: 'good' }],
    },
  });
  const warnings: string[] = [];
  const client = await connect(reach(fetch), { onWarning: (message) => void warnings.push(message) });
  assert.deepEqual(
    (await client.listPrompts()).map(({ name }) => name),
    ['good'],
  );
  assert.deepEqual(
    (await client.listResources()).map(({ uri }) => uri),
    ['x:good'],
  );
  assert.deepEqual(
    (await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate),
    ['x:{a}'],
  );
  assert.deepEqual(warnings, [
    'prompts/list: "bad" is malformed and left out: arguments must be an array',
    'resources/list: "x:bad" is malformed and left out: name is required',
    'resources/templates/list: "x:bad" is malformed and left out: name is required',
  ]);
  await client.close();
});

test('more than 1,000 malformed entries make a list fail', async () => {
  const client = await connect(reach(serving(Array.from({ length: 1_001 }, () => ({})))));
  await assert.rejects(client.listTools(), { reason: 'invalid-message', message: /tools\[1000\]\.name is required/ });
  await client.close();
});

test('a tool whose entry is malformed, and every other, can be called', async () => {
  const client = await connect(reach(serving([{ name: 'bad' }, good])), { onWarning: () => undefined });
  await client.listTools();
  for (const name of ['bad', 'good'])
    assert.partialDeepStrictEqual(await client.callTool(name), { content: [{ text: 'done' }] });
  await client.close();
});

for (const [version, seen] of [
  ['2025-11-25', ['bad', 'good']],
  ['2025-06-18', ['good']],
  ['2026-07-28', ['good']],
] as const)
  test(`a bridge before a server of 2025-11-25 gives a client of ${version} the tools ${seen.join()}`, async () => {
    for (const [, entry] of wrong) {
      const warnings: string[] = [];
      const onWarning = (message: string): void => void warnings.push(message);
      const bridge = await createBridge({ upstream: reach(serving([entry, good])), onWarning });
      const client = await connect(memoryTransport(bridge), { revisions: [version] });
      const { tools } = await client.request('tools/list');
      assert.deepEqual(
        (tools as readonly Json[]).map(({ name }) => name),
        seen,
      );
      if (seen.length === 2) assert.deepEqual((tools as readonly Json[])[0], entry);
      assert.equal(new Set(warnings).size, warnings.length);
      assert.match(warnings.join(), /tools\/list: "bad" is malformed/);
      assert.deepEqual(await names(client), ['good']);
      assert.partialDeepStrictEqual(await client.callTool('bad'), { content: [{ text: 'done' }] });
      await client.close();
      await bridge.close();
    }
    // The bridge sends what its server sent.
    takeViolations();
  });

test('a bridge before several servers passes on what has a name', async () => {
  const bridge = await createBridge({
    upstreams: {
      one: { upstream: reach(serving([{ name: 'bad' }, null, good])) },
      two: { upstream: reach(serving([good])) },
    },
    onWarning: () => undefined,
  });
  const client = await connect(memoryTransport(bridge), { revisions: ['2025-11-25'], onWarning: () => undefined });
  const { tools } = await client.request('tools/list');
  assert.deepEqual(
    (tools as readonly Json[]).map(({ name }) => name),
    ['bad', 'one__good', 'two__good'],
  );
  await client.close();
  await bridge.close();
  takeViolations();
});

test('explain names what is malformed, and lists the others', async () => {
  const { offer } = await explainServer({
    reach: () => reach(serving([{ name: 'bad' }, good])),
    timeoutMs: undefined,
    wire: false,
    signal: new AbortController().signal,
  });
  assert.partialDeepStrictEqual(offer?.tools, {
    items: [good],
    more: false,
    malformed: ['"bad": inputSchema is required'],
  });
});

test('explain lists a server once that gives the same page for each cursor', async () => {
  const { offer } = await explainServer({
    reach: () =>
      reach(oddFetch(({ method }) => (method === 'tools/list' ? { tools: [good], nextCursor: 'x' } : undefined))),
    timeoutMs: undefined,
    wire: false,
    signal: new AbortController().signal,
  });
  assert.deepEqual(offer?.tools, { items: [good], more: false });
});

test('inspect shows which entries are malformed', async () => {
  const client = await connect(reach(serving([{ name: 'bad' }, null, good])), { onWarning: () => undefined });
  const reading = { client, byOne: false, now: () => 0, words: String };
  const view = await new ServerLists().read(reading);
  assert.deepEqual(view.tools, [good]);
  assert.deepEqual(view.problems, {
    tools: '"bad" is malformed: inputSchema is required;\nan entry without a name is malformed: must be an object',
  });
  await client.close();
});
