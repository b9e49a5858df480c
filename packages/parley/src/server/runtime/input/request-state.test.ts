import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ExactNumber } from '../../../json/exact-number.ts';
import { McpError } from '../../../protocol/error.ts';
import { canonical, digestOf } from '../../../connection/digest.ts';
import { bindingOf, freshState, packState, unpackState, type RoundSettings, type RoundState } from './request-state.ts';
import { SingleUse } from './single-use.ts';
import { memoryRoundStore } from './state-store.ts';
import { createSeal } from '../../../sealing/seal.ts';
import { metaKey } from '../../../protocol/meta.ts';
import { createServer, type Server } from '../../server.ts';
import { open } from '../../../../../../test/support/raw.ts';

function settings(change: Partial<RoundSettings> = {}): RoundSettings {
  let time = 1000;
  const now = (): number => time++;
  const store = memoryRoundStore({ now });
  return {
    seal: createSeal(),
    ttlMs: 60_000,
    maxStateLength: 65_536,
    store,
    singleUse: false,
    used: new SingleUse(store, store, 0),
    now,
    ...change,
  };
}

const state: RoundState = { ...freshState, rounds: 1, asked: { a: 'x' }, own: { step: 2 } };
const refused = (error: unknown): boolean => error instanceof McpError && error.kind === 'invalidParams';

test('a state comes back as it was, for the request that it belongs to', async () => {
  const rounds = settings();
  const bound = bindingOf('tools/call', { name: 'a', arguments: { b: 1, a: 2 } }, 'ann');
  const packed = await packState(state, bound, rounds);
  assert.deepEqual((await unpackState(packed, bound, rounds)).state, state);
});

test('a state is refused for another user, method or parameter, and when it was changed [mrtr-009, mrtr-010, mrtr-011, mrtr-012, mrtr-014]', async () => {
  const rounds = settings();
  const params = { name: 'a', arguments: { a: 1 } };
  const packed = await packState(state, bindingOf('tools/call', params, 'ann'), rounds);
  for (const bound of [
    bindingOf('tools/call', params, 'bob'),
    bindingOf('tools/call', params, undefined),
    bindingOf('prompts/get', params, 'ann'),
    bindingOf('tools/call', { ...params, arguments: { a: 2 } }, 'ann'),
    bindingOf('tools/call', { ...params, name: 'b' }, 'ann'),
  ]) {
    await assert.rejects(unpackState(packed, bound, rounds), refused, bound);
  }
  await assert.rejects(unpackState(`${packed}-TAMPERED`, bindingOf('tools/call', params, 'ann'), rounds), refused);
});

test('the rounds themselves and `_meta` do not change what a state is bound to', () => {
  const params = { name: 'a', arguments: {} };
  assert.equal(
    bindingOf('tools/call', params, 'ann'),
    bindingOf('tools/call', { ...params, _meta: { a: 1 }, inputResponses: { a: {} }, requestState: 's' }, 'ann'),
  );
});

test('a state has no time left after its time, and is refused once no outcome is kept', async () => {
  let time = 0;
  const rounds = settings({ now: () => time, ttlMs: 100 });
  const packed = await packState(state, 'x', rounds);
  time = 100;
  assert.deepEqual((await unpackState(packed, 'x', rounds)).state, state);
  time = 101;
  assert.equal((await unpackState(packed, 'x', rounds)).leftMs, -1);
  time = 600_101;
  await assert.rejects(unpackState(packed, 'x', rounds), refused);
});

test('text that is too long to be a state is refused without a look inside', async () => {
  let looks = 0;
  const seal = createSeal();
  const rounds = settings({ seal: { ...seal, open: (...given) => (looks++, seal.open(...given)) } });
  await assert.rejects(unpackState('A'.repeat(4_000_000), 'x', rounds), refused);
  assert.equal(looks, 0);
  const largest = { ...state, own: '界'.repeat(65_000) };
  assert.deepEqual((await unpackState(await packState(largest, 'x', rounds), 'x', rounds)).state, largest);
});

test('a state too large to travel waits in the store under a handle', async () => {
  const rounds = settings({ maxStateLength: 200 });
  const large = { ...state, own: 'y'.repeat(100_000) };
  const packed = await packState(large, 'x', rounds);
  assert.ok(packed.length < 300);
  assert.deepEqual((await unpackState(packed, 'x', rounds)).state, large);
  await assert.rejects(unpackState(packed, 'x', { ...rounds, store: memoryRoundStore() }), refused);
});

test('the store in memory keeps no more than it may', async () => {
  const store = memoryRoundStore({ maxEntries: 3, maxCharacters: 10 });
  for (const name of ['a', 'b', 'c', 'd']) await store.add(name, name, 1000);
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.get(name))), [undefined, 'b', 'c', 'd']);
  await store.add('e', '123456789', 1000);
  assert.deepEqual(await Promise.all(['c', 'd', 'e'].map((name) => store.get(name))), [undefined, 'd', '123456789']);
});

test('equal values have one digest whatever the order of their keys', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const reversed = JSON.parse(JSON.stringify(value), (_, part: unknown) =>
        typeof part === 'object' && part !== null && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).toReversed())
          : part,
      ) as unknown;
      assert.equal(canonical(value), canonical(reversed));
      assert.equal(digestOf(value), digestOf(reversed));
    }),
  );
  assert.notEqual(digestOf({ a: 1 }), digestOf({ a: 2 }));
});

test('the text of a value is the JSON of it, for what only a handler can give too', () => {
  const own = {
    b: undefined,
    a: [undefined, new Date(0), { toJSON: () => ({ y: 1, x: 2 }) }],
    __proto__: null,
    c: Number.NaN,
  };
  assert.equal(canonical(own), '{"a":[null,"1970-01-01T00:00:00.000Z",{"x":2,"y":1}],"c":null}');
  assert.equal(canonical(JSON.parse('{"__proto__":{"b":1},"a":"\\u2028"}')), '{"__proto__":{"b":1},"a":"\u2028"}');
});

test('numbers that keep their spelling are bound and kept by it', async () => {
  const [one, same, other] = ['1.0', '1.0', '1.00'].map((text) => bindingOf('any', { n: new ExactNumber(text) }, 'me'));
  assert.equal(one, same);
  assert.notEqual(one, other);
  assert.equal(digestOf([new ExactNumber('1.0')]), digestOf([new ExactNumber('1.0')]));
  const state: RoundState = { ...freshState, once: { n: { result: new ExactNumber('1.0') } } };
  for (const maxStateLength of [10_000, 0]) {
    const set = settings({ maxStateLength });
    assert.deepEqual((await unpackState(await packState(state, 'b', set), 'b', set)).state.once, {
      n: { result: new ExactNumber('1.0') },
    });
  }
});

test('a state that names no service is good for one lifetime after an upgrade', async () => {
  const params = { name: 'a' };
  const [named, earlier] = [bindingOf('tools/call', params, 'ann', 'pay'), bindingOf('tools/call', params, 'ann')];
  let time = 1000;
  const rounds = settings({ now: () => time, upgradedUntil: 5000 });
  const packed = await packState(state, earlier, rounds);
  assert.deepEqual((await unpackState(packed, named, rounds, earlier)).state, state);
  time = 5000;
  await assert.rejects(unpackState(packed, named, rounds, earlier), refused);
});

test('a state is refused by another service that shares the keys', async () => {
  const keys = [new Uint8Array(32).fill(7)];
  const asking = (name: string): Server => {
    const server = createServer({ name, version: '1' }, { rounds: { keys } });
    server.tool('pay', {}, async (_, ctx) => {
      await ctx.roots();
      return name;
    });
    return server;
  };
  const meta = { [metaKey.clientCapabilities]: { roots: {} } };
  const [pay, payAgain, other] = [asking('pay'), asking('pay'), asking('other')];
  const raw = await open(pay, '2026-07-28', { meta });
  const { requestState } = await raw.result('tools/call', { name: 'pay', arguments: {} });
  const answered = { name: 'pay', arguments: {}, requestState, inputResponses: { 'ask-1': { roots: [] } } };
  const elsewhere = await (await open(other, '2026-07-28', { meta })).error('tools/call', answered);
  assert.match(elsewhere.message, /requestState is not valid for this request/);
  const { content } = await (await open(payAgain, '2026-07-28', { meta })).result('tools/call', answered);
  assert.deepEqual(content, [{ type: 'text', text: 'pay' }]);
});
