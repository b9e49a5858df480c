/** Tools whose schemas name a dialect that is not supported, at clients, servers and bridges. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { agreed, agrees } from './agreed.ts';
import { oddFetch } from './odd-fetch.ts';
import { freshUrl, outcomes, type Peer } from './peers.ts';

/** Dialects, and what each client does with a tool that has an output schema of it, once the tools were listed. */
const rows: readonly (Readonly<Record<Peer, string>> & { readonly $schema: unknown })[] = [
  { $schema: 'https://json-schema.org/draft/2019-09/schema', '1.32.2': 'done', '2.4.0': 'done', parley: 'done' },
  { $schema: 'http://json-schema.org/draft-04/schema#', '1.32.2': 'done', '2.4.0': 'fails', parley: 'done' },
  { $schema: 'http://json-schema.org/draft-06/schema#', '1.32.2': 'done', '2.4.0': 'done', parley: 'done' },
  { $schema: 'http://json-schema.org/draft-07/schema#', '1.32.2': 'done', '2.4.0': 'done', parley: 'done' },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', '1.32.2': 'done', '2.4.0': 'done', parley: 'done' },
  { $schema: 'https://example.com/mine', '1.32.2': 'done', '2.4.0': 'fails', parley: 'done' },
];

for (const { $schema, ...columns } of rows)
  test(`a tool with an output schema of ${String($schema)} can be called`, async () => {
    const tool = {
      name: 'odd',
      inputSchema: { type: 'object', $schema },
      outputSchema: { type: 'object', $schema, properties: { a: { type: 'number' } } },
    };
    const fetch = oddFetch(({ method }) => {
      if (method === 'tools/list') return { tools: [tool] };
      return method === 'tools/call' ? { content: [], structuredContent: { a: 1 } } : undefined;
    });
    const { warnings, error, ...made } = await outcomes({ fetch }, async (user) => {
      await user.listTools();
      const { structuredContent } = await user.callTool('odd');
      return (structuredContent as { readonly a: number }).a === 1 ? 'done' : 'other';
    });
    assert.equal(error, undefined);
    assert.deepEqual(made, columns);
    const isKnown = /draft-07|2020-12/.test(String($schema));
    assert.deepEqual(warnings.length, isKnown ? 0 : 1);
    const bridge = await createBridge({ upstream: httpTransport(freshUrl(), { fetch }) });
    const client = await connect(memoryTransport(bridge), { onWarning: () => undefined });
    await client.listTools();
    assert.deepEqual((await client.callTool('odd')).structuredContent, { a: 1 });
    await client.close();
    await bridge.close();
    const all = await agreed({ fetch });
    assert.ok(agrees(all) && all.call.called === 'done', JSON.stringify(all));
  });

test('a server lists and checks tools of an older dialect, with one warning each', async () => {
  const warnings: string[] = [];
  const server = createServer({ name: 's', version: '1' }, { onWarning: (message) => void warnings.push(message) });
  const $schema = 'http://json-schema.org/draft-04/schema#';
  const input = {
    $schema,
    type: 'object',
    properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true } },
  } as const;
  const output = { $schema, type: 'object', properties: { b: { type: 'number' } } } as const;
  server.tool('older', { input, output }, () => ({ b: 1 }));
  const mine = { $schema: 'https://example.com/mine', type: 'object', properties: { a: { type: 'number' } } } as const;
  server.tool('mine', { input: mine }, () => 'done');
  const how = 'values are checked by the nearest of 2020-12 and draft-07, or not at all';
  assert.deepEqual(warnings, [
    `tool "older": input is of the dialect "${$schema}", and output is of the dialect "${$schema}"; ${how}`,
    `tool "mine": input is of the dialect "https://example.com/mine"; ${how}`,
  ]);
  const client = await connect(memoryTransport(server), { onWarning: () => undefined });
  const [older] = await client.listTools();
  assert.deepEqual(older?.inputSchema, input);
  assert.deepEqual((await client.callTool('older', { a: 1 })).structuredContent, { b: 1 });
  assert.equal((await client.callTool('older', { a: 0 })).isError, true);
  assert.equal((await client.callTool('mine', { a: 'anything' })).isError, undefined);
  await client.close();
});
