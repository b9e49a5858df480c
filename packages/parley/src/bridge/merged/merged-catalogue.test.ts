/** Pages of a merged list. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverAt } from '../../../../../test/support/bridged.ts';
import { open, statelessDate } from '../../../../../test/support/raw.ts';
import { createBridge } from '../../bridge.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';

test('a cursor belongs to one kind of list, and names an entry of it', async (t) => {
  const server = serverAt('2025-11-25');
  for (const name of ['pay', 'look']) server.tool(name, {}, () => 'done');
  const bridge = await createBridge({ upstreams: { shop: { upstream: memoryTransport(server) } }, prefix: 'always' });
  t.after(() => bridge.close());
  const raw = await open(bridge, statelessDate, {});
  const cursorOf = (...parts: readonly unknown[]): string => btoa(encodeURIComponent(JSON.stringify(parts)));
  const { tools } = await raw.result('tools/list', { cursor: cursorOf('tools', 'shop__pay', '') });
  assert.deepEqual(
    (tools as readonly { readonly name: string }[]).map(({ name }) => name),
    ['shop__look'],
  );
  const wrong = [
    cursorOf('prompts', 'shop__pay', ''),
    cursorOf('tools', 7),
    cursorOf('tools', 'gone', ''),
    'x',
    btoa('7'),
  ];
  for (const cursor of wrong) {
    const { code, message } = await raw.error('tools/list', { cursor });
    assert.equal(code, -32602);
    assert.match(message, /^invalid cursor /);
  }
});
