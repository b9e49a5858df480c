/** Connections that are being closed, beside those that are open. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo, serverAt } from '../../../../../test/support/bridged.ts';
import { open, settle } from '../../../../../test/support/raw.ts';
import { closedBy } from './closing.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';

const never = new Promise<void>(() => undefined);

it('an owner whose connections do not close opens no more of them, and keeps nobody else from it', () => {
  const places = new ConnectionLimit(40, 20);
  const cycle = (owner: string): string | undefined => {
    const full = places.take(owner);
    if (full === undefined) places.giveBack(owner, never);
    return full;
  };
  const outcomes = Array.from({ length: 21 }, () => cycle('eve'));
  assert.deepEqual(new Set(outcomes.slice(0, 20)), new Set([undefined]));
  assert.equal(outcomes[20], 'own');
  assert.equal(places.makeRoom('eve'), 'own');
  for (let count = 0; count < 20; count++) assert.equal(cycle('ada'), undefined);
  assert.equal(places.take('bob'), 'all');
});

it('nothing makes way for an owner as long as what gave way before is not closed', async () => {
  const places = new ConnectionLimit(2, 2);
  let closed!: () => void;
  const closing = new Promise<void>((resolve) => (closed = resolve));
  let given = 0;
  places.join({
    idleSince: () => 1,
    giveUp: () => {
      given++;
      places.giveBack('eve', closing);
    },
  });
  let full: string | undefined;
  for (let count = 0; count < 100 && full === undefined; count++) full = places.take('eve');
  assert.deepEqual([full, given], ['own', 16]);
  closed();
  await settle();
  assert.equal(places.take('eve'), undefined);
});

it('sessions that ended for their places are told once a minute, with whose places they were', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const warnings: string[] = [];
  const places = new ConnectionLimit(4, 2, (message) => warnings.push(message));
  let dismissed = 0;
  const end = (owner?: string): void => places.endSession(() => dismissed++, owner);
  end('principal "eve"');
  end('principal "eve"');
  now = 59_999;
  end();
  assert.deepEqual([warnings.length, dismissed], [1, 3]);
  assert.match(
    warnings[0] ?? '',
    /^a session was ended .* the 2 upstream connections of one principal .*maxUpstreamsPerClient \(--max-upstreams-per-client\) allows more$/,
  );
  now = 60_000;
  end();
  assert.match(
    warnings[1] ?? '',
    /^3 sessions were ended .* all 4 upstream connections .*maxUpstreams \(--max-upstreams\)/,
  );
  now = 120_000;
  places.endedSessions(0, undefined);
  assert.equal(warnings.length, 2);
});

it('a place that counts for another owner takes one of theirs', () => {
  const places = new ConnectionLimit(4, 1);
  const place = { owner: undefined as string | undefined };
  assert.equal(places.take(), undefined);
  assert.equal(places.handOver(place, 'ada'), true);
  assert.deepEqual(
    [place.owner, places.holds('ada'), places.holds('bob'), places.holds(undefined)],
    ['ada', true, false, false],
  );
  assert.equal(places.handOver(place, 'ada'), true);
  assert.equal(places.handOver({ owner: undefined }, 'ada'), false);
  assert.equal(places.take('ada'), 'own');
  places.giveBack('ada', never);
  assert.equal(places.holds('ada'), false);
});

it('each place counts once, however it is taken, given back and moved', async () => {
  const places = new ConnectionLimit(6, 3);
  const free = (owner: string): number => {
    let taken = 0;
    while (places.take(owner) === undefined) taken++;
    return taken;
  };
  assert.deepEqual([free('ada'), free('bob'), places.take('eve')], [3, 3, 'all']);
  places.giveBack('ada', never);
  assert.deepEqual([free('ada'), places.take('ada'), places.take('bob')], [1, 'own', 'own']);
  for (let count = 0; count < 2; count++) places.giveBack('bob', never);
  const place = { owner: 'ada' as string | undefined };
  assert.equal(places.handOver(place, 'bob'), true);
  assert.deepEqual([place.owner, free('bob'), free('ada'), places.take('eve')], ['bob', 1, 1, 'all']);
});

it('each connection that closed makes room for one more to close', async () => {
  const places = new ConnectionLimit(40, 1);
  const closes: (() => void)[] = [];
  const cycles = (): number => {
    let count = 0;
    for (; places.take('eve') === undefined; count++)
      places.giveBack('eve', new Promise<void>((resolve) => void closes.push(resolve)));
    return count;
  };
  assert.equal(cycles(), 16);
  for (const close of closes.splice(0, 3)) close();
  await settle();
  assert.equal(cycles(), 3);
});

it('a client that opens and ends sessions has no more processes than may be open and closing', async (t) => {
  const server = serverAt('2025-11-25');
  server.tool('any', {}, () => 'any');
  const inner = memoryTransport(server);
  let alive = 0;
  let isSlow = true;
  const closing: (() => void)[] = [];
  const transport: Transport = {
    ...factsOf(inner),
    async open(receiver) {
      const channel = await inner.open(receiver);
      alive++;
      return closedBy(channel, async () => {
        if (isSlow) await new Promise<void>((resolve) => void closing.push(resolve));
        alive--;
        await channel.close();
      });
    },
  };
  const bridge = await bridgeTo(t, transport, { maxUpstreams: 2 });
  let refused = 0;
  for (let count = 0; count < 60; count++) {
    const raw = await open(bridge, '2025-11-25', { address: `192.0.2.${count}` }).catch(() => undefined);
    const answer = await raw?.ask('tools/list');
    if (answer === undefined || 'error' in answer) refused++;
    raw?.conversation.close();
  }
  // The one that all share, and those that do not close.
  assert.deepEqual([alive, refused], [33, 28]);
  isSlow = false;
  for (const resolve of closing) resolve();
  while (alive > 1) await settle();
  const raw = await open(bridge, '2025-11-25');
  await raw.result('tools/list');
});
