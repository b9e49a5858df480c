import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../../client.ts';
import { createHandler } from '../../../http.ts';
import { createServer } from '../../../server.ts';
import { connectInMemory } from '../../../testing/pair.ts';
import { createSeal } from '../../../sealing/seal.ts';
import type { ServerRounds } from '../server-core.ts';
import { roundSettings } from './server-rounds.ts';

const rounds: ServerRounds = {
  keys: [],
  ttlMs: undefined,
  maxStateLength: undefined,
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
  const other = createSeal([key], { purpose: 'rounds' });
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

test('keys that cannot be had are told of to the owner of the server', async () => {
  const told: unknown[] = [];
  const server = createServer(
    { name: 'x', version: '1' },
    {
      rounds: { keys: () => Promise.reject(new Error('away')) },
      onError: (error, where) => told.push([where, String(error)]),
    },
  );
  server.tool('ask', {}, async (_, ctx) =>
    String((await ctx.elicit({ message: 'who?', schema: { type: 'object', properties: {} } })).action),
  );
  const client = await connectInMemory(server, { revision: '2026-07-28', onElicit: () => ({ action: 'decline' }) });
  await assert.rejects(client.callTool('ask'));
  assert.deepEqual(told[0], ['rounds.keys', 'Error: the sealing keys could not be had']);
  await client.close();
});

test('processes change their keys while they run, in the middle of calls too', async (t) => {
  const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
  let [now, turn] = [1e12, 0];
  let keys = [key(1)];
  const processes = [1, 2].map(() => {
    const server = createServer({ name: 'x', version: '1' }, { rounds: { keys: () => keys, now: () => now } });
    server.tool('twice', {}, async (_, ctx) => {
      const ask = async (message: string): Promise<string> =>
        (await ctx.elicit({ message, schema: { type: 'object', properties: {} } })).action;
      return `${await ask('first')} ${await ask('second')}`;
    });
    return createHandler(server);
  });
  t.after(() => Promise.all(processes.map((handler) => handler.close())));
  const next: typeof fetch = async (input, init) =>
    (await processes[turn++ % processes.length]?.(new Request(input, init))) ?? Response.error();
  const rotated = async (to: readonly Uint8Array[]): Promise<void> => {
    keys = [...to];
    // Whoever was idle for long waits for the keys of now.
    now += 600_000;
  };
  let rotate: (() => Promise<void>) | undefined;
  const client = await connect('http://127.0.0.1/mcp', {
    fetch: next,
    revisions: ['2026-07-28'],
    onElicit: async ({ message }) => {
      if (message === 'second') await rotate?.();
      return { action: 'accept', content: {} };
    },
  });
  for (const to of [[key(1), key(2)], [key(2), key(1)], [key(2)]]) {
    rotate = () => rotated(to);
    const { content } = await client.callTool('twice');
    assert.deepEqual(content, [{ type: 'text', text: 'accept accept' }]);
  }
  rotate = () => rotated([key(3)]);
  await assert.rejects(client.callTool('twice'), /requestState/);
  await client.close();
});
