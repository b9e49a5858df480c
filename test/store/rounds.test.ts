/** Rounds of two processes with one store: what does not travel is found in either. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer, type RoundOptions, type Server } from '../../packages/parley/src/server.ts';
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { StoreError, type Store } from '../../packages/parley/src/storage/store.ts';
import { open, statelessDate, type Json } from '../support/raw.ts';

const capabilities = { elicitation: {} };
const form = { message: 'Your name?', schema: { type: 'object', properties: { name: { type: 'string' } } } } as const;

/** Two servers, as of two processes, that greet whoever gives a name. */
function both(store: Store, rounds: RoundOptions = {}): readonly [Server, Server] {
  const make = (): Server => {
    const options = { store, rounds: { keys: [new Uint8Array(32).fill(7)], ...rounds } };
    const server = createServer({ name: 'greeter', version: '1' }, options);
    server.tool('greet', { description: 'Greets.' }, async (_, ctx) => {
      const answer = await ctx.elicit(form);
      return answer.action === 'accept' ? `hello ${String(answer.content['name'])}` : answer.action;
    });
    return server;
  };
  return [make(), make()];
}

function retry({ requestState, inputRequests }: Json, name = 'Ann'): Json {
  const [key = ''] = Object.keys(Object(inputRequests));
  const inputResponses = { [key]: { action: 'accept', content: { name } } };
  return { name: 'greet', requestState, inputResponses };
}

test('a state that is too large to travel is found by the other process', async () => {
  const [one, other] = both(memoryStore(), { maxStateLength: 10 });
  const here = await open(one, statelessDate, { capabilities });
  const there = await open(other, statelessDate, { capabilities });
  const asked = await here.result('tools/call', { name: 'greet' });
  assert.ok(String(asked['requestState']).length < 300);
  const { content } = await there.result('tools/call', retry(asked));
  assert.deepEqual(content, [{ type: 'text', text: 'hello Ann' }]);
});

test('a state that is good for one request was used in the other process too', async () => {
  const [one, other] = both(memoryStore(), { singleUse: true });
  const here = await open(one, statelessDate, { capabilities });
  const there = await open(other, statelessDate, { capabilities });
  const asked = await here.result('tools/call', { name: 'greet' });
  await there.result('tools/call', retry(asked));
  assert.equal((await here.error('tools/call', retry(asked, 'Bob'))).code, -32602);
});

for (const [what, reason] of [
  ['away', 'unavailable'],
  ['full', 'full'],
] as const)
  test(`a store that is ${what} keeps a state from being used, and says that it is busy`, async () => {
    const store = memoryStore();
    let isRefusing = false;
    const add: Store['records']['add'] = async (...record) => {
      if (isRefusing) throw new StoreError(reason, `the store is ${what}`);
      return await store.records.add(...record);
    };
    const [server] = both({ ...store, records: { ...store.records, add } }, { singleUse: true });
    const client = await open(server, statelessDate, { capabilities });
    const asked = await client.result('tools/call', { name: 'greet' });
    isRefusing = true;
    const error = await client.error('tools/call', retry(asked));
    assert.deepEqual([error.code, error.data], [-32603, { retryAfterMs: 1000 }]);
    isRefusing = false;
    await client.result('tools/call', retry(asked));
  });
