/** States and outcomes of rounds, of which each owner has a share. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createHandler } from '../../../index.ts';
import { McpError } from '../../../protocol/error.ts';
import { createServer } from '../../server.ts';
import type { Records } from '../../../storage/records.ts';
import { roundSettings } from './server-rounds.ts';
import { memoryRoundStore } from './state-store.ts';

describe('the owner with the most loses its oldest', () => {
  for (const [what, limits] of [
    ['texts', { maxEntries: 4 }],
    ['characters', { maxCharacters: 40 }],
  ] as const)
    test(what, async () => {
      const store = memoryRoundStore(limits);
      const text = 'x'.repeat(10);
      await store.add('ann 0', text, 1_000, 'ann');
      for (let at = 0; at < 9; at++) await store.add(`bob ${at}`, text, 1_000, 'bob');
      const names = ['ann 0', 'bob 5', 'bob 6', 'bob 7', 'bob 8'];
      const kept = await Promise.all(names.map(async (name) => (await store.get(name)) !== undefined));
      assert.deepEqual(kept, [true, false, true, true, true]);
      for (let at = 0; at < 3; at++) await store.add(`cid ${at}`, text, 1_000, 'cid');
      assert.equal(await store.get('ann 0'), text);
    });
});

test('an owner marks as many states as it leaves free, until marks expire', async () => {
  let time = 0;
  const store = memoryRoundStore({ maxMarks: 4, now: () => time });
  const mark = (name: string, owner?: string): Promise<boolean> => store.add(name, '', 1_000, owner);
  await mark('bob 1', 'bob');
  await mark('bob 2', 'bob');
  const busy = (error: unknown): boolean => error instanceof McpError && error.kind === 'busy';
  await assert.rejects(mark('bob 3', 'bob'), busy);
  assert.equal(await mark('ann 1', 'ann'), true);
  assert.equal(await mark('without an owner'), true);
  await assert.rejects(mark('without a place'), busy);
  time = 20_000;
  assert.equal(await mark('bob 3', 'bob'), true);
});

interface Answer {
  readonly requestState?: string;
  readonly inputRequests?: object;
  readonly content?: readonly { readonly text: string }[];
  readonly message?: string;
}

/** Calls tools of a server as one of several principals. */
function callers(): (who: string, name: string, before?: Answer) => Promise<Answer> {
  const rounds = { keys: [new Uint8Array(32)], maxStateLength: 300 };
  const server = createServer({ name: 's', version: '1' }, { rounds });
  let paid = 0;
  const question = { message: 'x', schema: { type: 'object', properties: {} } } as const;
  server.tool('pay', {}, async (_, ctx) => {
    await ctx.elicit(question);
    return `paid ${await ctx.once('pay', () => ++paid)}`;
  });
  server.tool('verbose', {}, async (_, ctx) => {
    await ctx.elicit(question);
    return await ctx.once('verbose', () => 'x'.repeat(1_000_000));
  });
  server.tool('huge', {}, async (_, ctx) => {
    await ctx.once('huge', () => 'x'.repeat(8_000_000));
    await ctx.elicit(question);
    return 'done';
  });
  server.tool('large', {}, async (_, ctx) => {
    await ctx.once('large', () => 'x'.repeat(300));
    await ctx.elicit(question);
    return 'done';
  });
  const handler = createHandler(server, { authenticate: (request) => ({ principal: request.header('x-who') ?? '' }) });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  return async (who, name, { requestState, inputRequests = {} } = {}) => {
    const keys = Object.keys(inputRequests);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept', content: {} }]));
    const params = { name, arguments: {}, _meta, ...(requestState !== undefined && { requestState, inputResponses }) };
    const headers = {
      'x-who': who,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const response = await handler(
      new Request('http://localhost/', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body,
      }),
    );
    const { result, error } = (await response.json()) as { readonly result?: Answer; readonly error?: Answer };
    return result ?? error ?? {};
  };
}

test('a client keeps its outcome and its waiting conversation, whatever others leave', async () => {
  const call = callers();
  const asked = await call('ann', 'pay');
  const waiting = await call('ann', 'large');
  assert.equal((await call('ann', 'pay', asked)).content?.[0]?.text, 'paid 1');
  // States are kept up to 64 Mi characters, and outcomes up to 16 Mi.
  for (let at = 0; at < 9; at++) await call('bob', 'huge');
  for (let at = 0; at < 18; at++) await call('bob', 'verbose', await call('bob', 'verbose'));
  assert.equal((await call('ann', 'pay', asked)).content?.[0]?.text, 'paid 1');
  assert.equal((await call('ann', 'large', waiting)).content?.[0]?.text, 'done');
});

test('a conversation whose state is lost is not called harmless to begin again', async () => {
  const [call, elsewhere] = [callers(), callers()];
  const waiting = await call('ann', 'large');
  assert.match(
    (await elsewhere('ann', 'large', waiting)).message ?? '',
    /may have run: its state is no longer kept; begin again only if it may run twice/,
  );
});

test('in a store that processes share, an owner keeps a bounded amount in five minutes', async () => {
  let time = 0;
  const records = { add: async () => true, get: async () => undefined } as unknown as Records;
  const { store } = roundSettings({
    keys: [],
    ttlMs: undefined,
    maxStateLength: undefined,
    records,
    singleUse: undefined,
    maxRounds: 32,
    now: () => time,
  });
  const text = 'x'.repeat(4 * 1024 * 1024);
  const kept = async (owner: string | undefined): Promise<string> =>
    await store.add('a', text, 1_000, owner).then(String, ({ kind }: McpError) => String(kind));
  for (let at = 0; at < 7; at++) assert.equal(await kept('bob'), 'true');
  assert.deepEqual([await kept('bob'), await kept('ann'), await kept(undefined)], ['busy', 'true', 'true']);
  await assert.rejects(store.add('a', text, 1_000, 'bob'), { data: { retryAfterMs: 300_000 } });
  time = 300_000;
  assert.equal(await kept('bob'), 'true');
});
