/** Reads of clients that do not share a connection with what hears of changes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeBefore, clientOf, serverAt } from '../../../../../test/support/bridged.ts';

for (const auth of [undefined, { principal: 'ann' }])
  test(`a client ${auth === undefined ? 'without' : 'with'} a principal reads new text after the notice of its change`, async (t) => {
    const server = serverAt('2026-07-28');
    let text = 'old';
    let [begun, finish] = [(): void => {}, (): void => {}];
    const begins = new Promise<void>((resolve) => (begun = resolve));
    let held: Promise<void> | undefined = new Promise((resolve) => (finish = resolve));
    server.resource('file:///a', { name: 'a', cache: { ttlMs: 600_000, cacheScope: 'public' } }, async () => {
      const said = text;
      begun();
      await held;
      return said;
    });
    const bridge = await bridgeBefore(t, server);
    const client = await clientOf(t, bridge, '2025-11-25', auth === undefined ? {} : { auth });
    let tell = (): void => {};
    const told = new Promise<void>((resolve) => (tell = resolve));
    await client.subscribe({ updates: ['file:///a'] }, ({ type }) => type === 'update' && tell());
    const read = async (): Promise<unknown> => Object((await client.readResource('file:///a')).contents[0]).text;
    const first = read();
    await begins;
    text = 'new';
    server.resourceUpdated('file:///a');
    await told;
    finish();
    held = undefined;
    assert.equal(await first, 'old');
    assert.equal(await read(), 'new');
  });
