/** Results of tools without content, and fields whose types are wrong without harm. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../../packages/parley/src/bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { agreed, agrees } from './agreed.ts';
import { oddFetch } from './odd-fetch.ts';
import { freshUrl, outcomes, type Fetch } from './peers.ts';

const answering = (method: string, result: object): Fetch =>
  oddFetch((message) => (message['method'] === method ? { ...result } : undefined));

for (const result of [{ structuredContent: { a: 1 } }, { isError: true }, {}])
  test(`a result of a tool without content has an empty one: ${JSON.stringify(result)}`, async () => {
    const fetch = answering('tools/call', result);
    const made = await outcomes({ fetch }, async (user) => JSON.stringify((await user.callTool('odd'))['content']));
    assert.deepEqual([made['1.32.2'], made['2.4.0'], made.parley], ['[]', '[]', '[]']);
    assert.deepEqual(made.warnings, ['a result of tools/call has no content, which counts as empty']);
    const all = await agreed({ fetch });
    assert.ok(agrees(all), JSON.stringify(all));
  });

test('a result of a tool without content reaches clients of each version through a bridge', async () => {
  const fetch = answering('tools/call', { structuredContent: { a: 1 } });
  const bridge = await createBridge({ upstream: httpTransport(freshUrl(), { fetch }), onWarning: () => undefined });
  for (const version of ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const) {
    const client = await connect(memoryTransport(bridge), { revisions: [version] });
    const result = await client.request('tools/call', { name: 'odd' });
    // Before 2025-06-18 there is no structured content, and the bridge writes it as text.
    const expected = version === '2024-11-05' ? [{ type: 'text', text: '{"a":1}' }] : [];
    assert.deepEqual(result['content'], expected, version);
    await client.close();
  }
  await bridge.close();
});

test('a $schema that is no text, and a title of an argument, are ignored', async () => {
  const tool = { name: 'odd', inputSchema: { type: 'object', $schema: 7 } };
  const listed = await outcomes({ fetch: answering('tools/list', { tools: [tool] }) }, async (user) =>
    String((await user.listTools()).length),
  );
  assert.deepEqual([listed['1.32.2'], listed['2.4.0'], listed.parley], ['1', '1', '1']);
  const prompt = { name: 'odd', arguments: [{ name: 'a', title: 7 }] };
  const fetch = oddFetch(({ method }) => {
    if (method === 'prompts/list') return { prompts: [prompt] };
    if (method !== 'initialize') return undefined;
    const serverInfo = { name: 'odd', version: '1' };
    return { protocolVersion: '2025-11-25', capabilities: { prompts: {} }, serverInfo };
  });
  const prompts = await outcomes({ fetch }, async (user) => String((await user.listPrompts()).length));
  assert.deepEqual([prompts['1.32.2'], prompts['2.4.0'], prompts.parley], ['1', '1', '1']);
});
