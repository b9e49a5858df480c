/** How often a bridge starts processes for one client. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bridgeTo } from '../../../../../test/support/bridged.ts';
import { open, statelessDate, type Json } from '../../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../../test/support/scripted-upstream.ts';
import { metaKey } from '../../protocol/meta.ts';
import { ownerOf } from '../../auth/common/owner.ts';
import { StartLimit } from './start-limit.ts';

const [ann, bob] = ['ann', 'bob'].map((principal) => ownerOf(principal, undefined));

describe('the limit of process starts', () => {
  it('bounds the starts of one owner, and those of another owner not by that', () => {
    const limit = new StartLimit({ own: 2, all: 10 }, () => 0);
    limit.take(ann);
    limit.take(ann);
    assert.throws(() => limit.take(ann), /started 2 processes for one principal within a minute/);
    limit.take(bob);
  });

  it('bounds the starts of all, with owners or without', () => {
    const limit = new StartLimit({ own: 2, all: 3 }, () => 0);
    for (const owner of [ann, bob, undefined]) limit.take(owner);
    for (const owner of ['eve', undefined])
      assert.throws(() => limit.take(owner), /started 3 processes for all clients within a minute/);
  });

  it('allows one more when its share of a minute has passed', () => {
    let now = 0;
    const limit = new StartLimit({ own: 2, all: 10 }, () => now);
    for (let count = 0; count < 2; count++) limit.take(ann);
    now = 29_999;
    assert.throws(() => limit.take(ann), /within a minute/);
    now = 30_000;
    limit.take(ann);
    assert.throws(() => limit.requireOne(ann), /within a minute/);
  });
});

it('a refused start says when the next one is allowed', () => {
  let now = 0;
  const limit = new StartLimit({ own: 2, all: 10 }, () => now);
  for (let count = 0; count < 2; count++) limit.take(ann);
  assert.throws(() => limit.take(ann), { kind: 'busy', data: { retryAfterMs: 30_000 } });
  now = 10_000;
  assert.throws(() => limit.requireOne(ann), { kind: 'busy', data: { retryAfterMs: 20_000 } });
  now = 30_000;
  limit.take(ann);
});

describe('120 calls of one anonymous client before a process', () => {
  // A start comes back each second, and a slow machine may take some seconds.
  const most = 100;
  const cases: readonly (readonly [what: string, options: (count: number) => Json, starts: number])[] = [
    ['version', (at) => ({ meta: { [metaKey.clientInfo]: { name: 'one', version: String(at) } } }), 2],
    ['set of capabilities', (at) => ({ capabilities: { elicitation: {}, experimental: { [`x${at}`]: {} } } }), most],
  ];
  for (const [what, options, starts] of cases)
    it(`with another ${what} each start no more than ${starts} processes`, async (t) => {
      const upstream = scriptedUpstream({
        up: '2025-11-25',
        kind: 'stdio',
        answers: { 'tools/call': { content: [] } },
      });
      const bridge = await bridgeTo(t, upstream);
      for (let at = 0; at < 120; at++) {
        const raw = await open(bridge, statelessDate, { capabilities: { elicitation: {} }, ...options(at) });
        const answer = await raw.ask('tools/call', { name: 'any' });
        if ('error' in answer)
          assert.match(JSON.stringify(answer), /started 64 processes for one address within a minute/);
      }
      assert.ok(upstream.peers.length <= starts, `${upstream.peers.length}`);
    });

  it(`with another session each start no more than ${most} processes`, async (t) => {
    const upstream = scriptedUpstream({ up: '2025-11-25', kind: 'stdio', answers: { 'tools/call': { content: [] } } });
    const bridge = await bridgeTo(t, upstream);
    for (let at = 0; at < 120; at++) {
      const raw = await open(bridge, '2025-11-25').catch(() => undefined);
      await raw?.ask('tools/call', { name: 'any' });
      raw?.conversation.close();
    }
    assert.ok(upstream.peers.length <= most, `${upstream.peers.length}`);
  });
});
