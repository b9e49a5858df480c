import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeBefore, clientOf, pairs } from '../../../../test/support/bridged.ts';
import { createServer } from '../server.ts';
import { metaKey } from '../protocol/meta.ts';

const icons = [{ src: `data:image/png;base64,${'A'.repeat(3_000)}` }];
const info = { name: 'described', version: '1', title: 'Described', icons };

for (const { down, up } of pairs.filter((pair) => pair.down === '2026-07-28' && pair.up >= '2025-11-25'))
  test(`a bridge from ${down} to ${up} tells the description of its server once`, async (t) => {
    const server = createServer(info, { revisions: [up] });
    server.tool('t', {}, () => 'x');
    const client = await clientOf(t, await bridgeBefore(t, server), down);
    const result = await client.callTool('t');
    assert.deepEqual(result._meta?.[metaKey.serverInfo], { name: 'described', version: '1' });
    assert.deepEqual(client.server, info);
  });
