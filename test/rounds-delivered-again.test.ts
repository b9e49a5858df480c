/** A round of a stateless call that is delivered more than once: its effects run once, and each delivery gets the same outcome. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from '../packages/parley/src/client.ts';
import { listen } from '../packages/parley/src/node.ts';
import { createServer, inputRequired, type RoundOptions, type Server } from '../packages/parley/src/server.ts';
import { memoryStore } from '../packages/parley/src/storage/memory/store.ts';
import { McpError } from '../packages/parley/src/protocol/error.ts';
import { open, statelessDate, type Json, type Raw } from './support/raw.ts';
import { until } from './support/turns.ts';

const capabilities = { elicitation: {}, roots: {} };
const form = { message: 'Pay?', schema: { type: 'object', properties: {} } } as const;
const yes = { action: 'accept', content: {} };

/** Payments of a tool that asks, pays, and waits for a gate. */
interface Till {
  readonly paid: string[];
  /** Errors that the handler throws after it paid, in order. */
  readonly failures: Error[];
  gate: Promise<void>;
}

function till(): Till {
  return { paid: [], failures: [], gate: Promise.resolve() };
}

function shop(desk: Till, options: { store?: ReturnType<typeof memoryStore>; rounds?: RoundOptions } = {}): Server {
  const { paid, failures } = desk;
  const keys = [new Uint8Array(32).fill(7)];
  const server = createServer({ name: 'shop', version: '1' }, { ...options, rounds: { keys, ...options.rounds } });
  server.tool('pay', { annotations: { idempotentHint: true } }, async (_, ctx) => {
    const { action } = await ctx.elicit(form);
    if (action !== 'accept') return action;
    const receipt = await ctx.once('pay', (id) => {
      paid.push(id);
      return paid.length;
    });
    await desk.gate;
    ctx.signal.throwIfAborted();
    return `receipt ${receipt}`;
  });
  server.prompt('pay', {}, async (_, ctx) => {
    await ctx.elicit(form);
    await ctx.once('pay', (id) => void paid.push(id));
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'paid';
  });
  server.tool('pay-then-ask', {}, async (_, ctx) => {
    await ctx.elicit(form, { key: 'first' });
    await ctx.once('pay', (id) => void paid.push(id));
    await ctx.elicit(form, { key: 'second' });
    return 'done';
  });
  let step = 0;
  server.tool('waits', {}, (_, ctx) =>
    ctx.requestState === undefined ? inputRequired({ state: 1 }) : `run ${++step}`,
  );
  return server;
}

async function clientOf(server: Server): Promise<Raw> {
  return await open(server, statelessDate, { capabilities });
}

/** The request that brings an answer to what a result asks. */
async function round(client: Raw, name: string, answer: Json = yes, method = 'tools/call'): Promise<Json> {
  const asked = await client.result(method, { name });
  return { name, ...answersTo(asked, answer) };
}

function answersTo({ requestState, inputRequests }: Json, answer: Json): Json {
  const inputResponses = Object.fromEntries(Object.keys(inputRequests as Json).map((key) => [key, answer]));
  return { requestState, inputResponses };
}

function textOf({ content }: Json): unknown {
  return (content as readonly Json[])[0]?.['text'];
}

describe('a round that is delivered three times', () => {
  test('pays once if the deliveries come together, and each is told of that payment', async () => {
    const desk = till();
    const client = await clientOf(shop(desk));
    const request = await round(client, 'pay');
    const results = await Promise.all([1, 2, 3].map(() => client.result('tools/call', request)));
    assert.deepEqual([desk.paid.length, results.map(textOf)], [1, Array(3).fill('receipt 1')]);
  });

  test('pays once if they come one after the other', async () => {
    const desk = till();
    const client = await clientOf(shop(desk));
    const request = await round(client, 'pay');
    for (let at = 0; at < 3; at++) assert.equal(textOf(await client.result('tools/call', request)), 'receipt 1');
    assert.equal(desk.paid.length, 1);
  });

  test('pays once in two processes that share a store, while the first runs and after it', async () => {
    const desk = till();
    const store = memoryStore();
    const [here, there] = [await clientOf(shop(desk, { store })), await clientOf(shop(desk, { store }))];
    const request = await round(here, 'pay');
    const both = await Promise.all([here, there].map((client) => client.result('tools/call', request)));
    const late = await there.result('tools/call', request);
    assert.deepEqual([desk.paid.length, [...both, late].map(textOf)], [1, Array(3).fill('receipt 1')]);
  });

  test('pays in each of two processes that share no store', async () => {
    const desk = till();
    const [here, there] = [await clientOf(shop(desk)), await clientOf(shop(desk))];
    const request = await round(here, 'pay');
    for (const client of [here, there, here, there]) await client.result('tools/call', request);
    // The id of the effect is the same in both, so that a service can tell.
    assert.deepEqual([desk.paid.length, new Set(desk.paid).size], [2, 1]);
  });

  test('is asked the next question once, under the same state', async () => {
    const desk = till();
    const client = await clientOf(shop(desk));
    const request = await round(client, 'pay-then-ask');
    const first = await client.result('tools/call', request);
    assert.deepEqual(await client.result('tools/call', request), first);
    const last = { name: 'pay-then-ask', ...answersTo(first, yes) };
    assert.equal(textOf(await client.result('tools/call', last)), 'done');
    assert.equal(desk.paid.length, 1);
  });

  test('pays three times with singleUse: false', async () => {
    const desk = till();
    const client = await clientOf(shop(desk, { rounds: { singleUse: false } }));
    const request = await round(client, 'pay');
    for (let at = 0; at < 3; at++) await client.result('tools/call', request);
    assert.deepEqual([desk.paid.length, new Set(desk.paid).size], [3, 1]);
  });
});

test('an expired state gives the outcome of its round, and runs nothing [mrtr-013]', async () => {
  const desk = till();
  let time = 0;
  const rounds = { ttlMs: 1_000, now: () => time, maxStateLength: 0 };
  for (const options of [{ rounds }, { rounds, store: memoryStore() }]) {
    const client = await clientOf(shop(desk, options));
    const [request, unused] = [await round(client, 'pay'), await round(client, 'pay')];
    const outcome = await client.result('tools/call', request);
    const { length } = desk.paid;
    time += 1_001;
    assert.deepEqual(await client.result('tools/call', request), outcome);
    const { message } = await client.error('tools/call', unused);
    assert.match(message, /may have run: it is too old; begin again only if it may run twice/);
    assert.equal(desk.paid.length, length);
  }
});

test('a state of a process that is gone is not called harmless to begin again', async () => {
  const desk = till();
  const [before, after] = [1, 2].map((key) => shop(desk, { rounds: { keys: [new Uint8Array(32).fill(key)] } }));
  const request = await round(await clientOf(before as Server), 'pay');
  const { message } = await (await clientOf(after as Server)).error('tools/call', request);
  assert.match(message, /call .* may have run; begin again without it only if the call may run twice/);
});

test('a state that was used is refused with another answer', async () => {
  const desk = till();
  const client = await clientOf(shop(desk));
  const request = await round(client, 'pay', { action: 'decline' });
  assert.equal(textOf(await client.result('tools/call', request)), 'decline');
  const [key = ''] = Object.keys(request['inputResponses'] as Json);
  const { code, message } = await client.error('tools/call', { ...request, inputResponses: { [key]: yes } });
  assert.equal(code, -32602);
  assert.match(message, /used before, with other answers, .*begin again only if it may run twice/);
  assert.equal(desk.paid.length, 0);
});

test('a state that no answer and no effect came before may be used again', async () => {
  const client = await clientOf(shop(till()));
  const { requestState } = await client.result('tools/call', { name: 'waits' });
  const runs = [1, 2].map(async () => textOf(await client.result('tools/call', { name: 'waits', requestState })));
  assert.deepEqual(new Set(await Promise.all(runs)), new Set(['run 1', 'run 2']));
});

for (const [where, isElsewhere] of [
  ['the same process', false],
  ['another process', true],
] as const)
  test(`a round whose connection broke is finished for the client that repeats it in ${where}`, async () => {
    const desk = till();
    const store = memoryStore();
    const first = await clientOf(shop(desk, { store }));
    const second = isElsewhere ? await clientOf(shop(desk, { store })) : first;
    const request = await round(first, 'pay');
    let goOn = (): void => undefined;
    desk.gate = new Promise((resolve) => (goOn = resolve));
    const broken = first.send('tools/call', request, 'broken');
    while (desk.paid.length === 0) await new Promise(setImmediate);
    await first.notify('notifications/cancelled', { requestId: 'broken' });
    assert.equal(await broken, undefined);
    const repeated = second.result('tools/call', request);
    goOn();
    assert.deepEqual([textOf(await repeated), desk.paid.length], ['receipt 1', 1]);
  });

test('a round that failed with an error runs again, and its effects do not', async () => {
  const desk = till();
  desk.failures.push(new McpError('internalError', 'away'));
  const client = await clientOf(shop(desk));
  const request = await round(client, 'pay', yes, 'prompts/get');
  assert.equal((await client.error('prompts/get', request)).message, 'away');
  await client.result('prompts/get', request);
  assert.equal(desk.paid.length, 1);
});

test('a client that trusts hints repeats a round after a broken connection, and pays once', async (t) => {
  const desk = till();
  const served = await listen(shop(desk), { port: 0 });
  t.after(() => served.close({ drainTimeoutMs: 0 }));
  let goOn = (): void => undefined;
  desk.gate = new Promise((resolve) => (goOn = resolve));
  let rounds = 0;
  const breaking: typeof fetch = async (input, init) => {
    if (typeof init?.body !== 'string' || !init.body.includes('requestState') || ++rounds > 1)
      return await fetch(input, init);
    const broken = new AbortController();
    const answer = fetch(input, { ...init, signal: broken.signal }).catch(() => undefined);
    await until(() => desk.paid.length > 0, 'the payment');
    broken.abort();
    await answer;
    setImmediate(goOn);
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  };
  const client = await connect(served.url, {
    fetch: breaking,
    trustToolHints: true,
    onElicit: () => ({ action: 'accept', content: {} }),
  });
  t.after(() => client.close());
  await client.listTools();
  const { content } = await client.callTool('pay');
  assert.deepEqual([content, desk.paid.length, rounds], [[{ type: 'text', text: 'receipt 1' }], 1, 2]);
});
