import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cached, cursorOf, names, tool } from '../../../../../test/support/cached-client.ts';
import type { Script } from '../../testing/scripted.ts';

describe('the pages of a list', () => {
  const paged =
    (ttls: readonly number[]): Script =>
    (sent, peer) => {
      const at = Number(cursorOf(sent) ?? 0);
      const more = at + 1 < ttls.length;
      peer.reply(sent, { tools: [tool(`t${at}`)], ttlMs: ttls[at], ...(more && { nextCursor: String(at + 1) }) });
    };

  it('are kept each by itself; a stale one is fetched again by its cursor [caching-014] [C44]', async () => {
    const { client, clock, transport } = await cached(paged([100, 10, 100]));
    await client.listTools();
    clock.now = 50;
    const before = transport.sent.length;
    assert.deepEqual(names(await client.listTools()), ['t0', 't1', 't2']);
    assert.deepEqual(transport.sent.slice(before).map(cursorOf), ['1']);
  });

  it('are fetched from the beginning for a consistent list [caching-015]', async () => {
    const { client, transport } = await cached(paged([100, 100]));
    await client.listTools();
    const before = transport.sent.length;
    await client.listTools({ cache: 'refresh' });
    assert.deepEqual(transport.sent.slice(before).map(cursorOf), [undefined, '1']);
  });

  it('are all forgotten when a cursor becomes invalid, and the list begins again [caching-016]', async () => {
    let generation = 'old';
    const { client, clock } = await cached((sent, peer) => {
      const cursor = cursorOf(sent);
      const [from, page = '0'] = typeof cursor === 'string' ? cursor.split(' ') : [generation];
      if (from !== generation) return peer.refuse(sent, { code: -32602, message: 'cursor' });
      const next = page === '2' ? {} : { nextCursor: `${generation} ${Number(page) + 1}` };
      peer.reply(sent, { tools: [tool(generation + page)], ttlMs: page === '2' ? 10 : 100, ...next });
    });
    await client.listTools();
    generation = 'new';
    clock.now = 50;
    assert.deepEqual(names(await client.listTools()), ['new0', 'new1', 'new2']);
    await assert.rejects(client.request('tools/list', { cursor: 'old 1' }, { cache: 'use' }), {
      kind: 'invalidParams',
    });
  });

  it('begin again once only', async () => {
    const { client, count } = await cached((sent, peer) =>
      cursorOf(sent) === undefined
        ? peer.reply(sent, { tools: [], ttlMs: 100, nextCursor: 'x' })
        : peer.refuse(sent, { code: -32602, message: 'cursor' }),
    );
    await assert.rejects(client.listTools(), { kind: 'invalidParams' });
    assert.equal(count('tools/list'), 4);
  });
});
