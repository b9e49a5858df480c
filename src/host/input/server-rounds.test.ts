import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../server.ts';
import { createSeal } from '../../seal/seal.ts';
import { roundSettings, type ServerRounds } from './server-rounds.ts';

const rounds: ServerRounds = {
  keys: [],
  ttlMs: undefined,
  maxStateLength: undefined,
  store: undefined,
  records: undefined,
  singleUse: undefined,
  maxRounds: 32,
  now: undefined,
};

test('a wrong key is told of at once, though the seal is made late', () => {
  for (const key of ['short', new Uint8Array(31)])
    assert.throws(() => createServer({ name: 'x', version: '1' }, { rounds: { keys: [key] } }), TypeError);
});

test('a seal that is made late is the seal of its keys', async () => {
  const key = new Uint8Array(32).fill(7);
  const { seal } = roundSettings({ ...rounds, keys: [key] });
  const other = createSeal([key]);
  assert.equal(await other.open(await seal.seal('text', 'to'), 'to'), 'text');
  assert.equal(await seal.open(await other.seal('text', 'to'), 'to'), 'text');
});

test('one seal and one store belong to the rounds of a server, and to no other', async () => {
  const { seal, store } = roundSettings(rounds);
  assert.equal(roundSettings(rounds).store, store);
  assert.equal(await roundSettings(rounds).seal.open(await seal.seal('text', 'to'), 'to'), 'text');
  const other = roundSettings({ ...rounds });
  assert.notEqual(other.store, store);
  assert.equal(await other.seal.open(await seal.seal('text', 'to'), 'to'), undefined);
});
