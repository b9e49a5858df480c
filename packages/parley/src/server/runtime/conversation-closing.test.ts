import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, initializeParams, open, settle, statelessDate } from '../../../../../test/support/raw.ts';
import { served } from '../../../../../test/support/tested-server.ts';
import { McpError } from '../../protocol/error.ts';
import { revisions } from '../../protocol/revision.ts';
import { createEndpoint } from './conversation/serve.ts';

test('closing aborts what runs, and nothing more is sent', async () => {
  const server = served();
  const aborted: unknown[] = [];
  server.tool('wait', {}, async (_, ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    aborted.push(ctx.signal.reason);
    ctx.log('error', 'too late');
    ctx.progress(1);
    return 'too late';
  });
  for (const date of dates) {
    const raw = await open(server, date);
    const answers = [1, 2].map((id) => raw.send('tools/call', { name: 'wait', _meta: { progressToken: id } }, id));
    await settle();
    raw.conversation.close();
    raw.conversation.close();
    assert.deepEqual(await Promise.all(answers), [undefined, undefined]);
    await settle();
    assert.equal(aborted.splice(0).length, 2);
    assert.deepEqual(raw.heard, []);
  }
});

test('what comes after the end of a conversation is not run', async () => {
  const server = served();
  const ran: unknown[] = [];
  server.tool('note', {}, (_, ctx) => void ran.push(ctx.revision));
  for (const date of dates) {
    const raw = await open(server, date);
    raw.conversation.close();
    assert.equal(await raw.send('tools/call', { name: 'note' }), undefined);
    if (date === statelessDate) assert.equal(await raw.send('subscriptions/listen', { notifications: {} }), undefined);
  }
  assert.deepEqual(ran, []);
});

test('closing the server ends every conversation', async () => {
  const server = served();
  let aborted = 0;
  server.tool(
    'wait',
    {},
    (_, ctx) =>
      new Promise<undefined>((resolve) =>
        ctx.signal.addEventListener('abort', () => {
          aborted++;
          resolve(undefined);
        }),
      ),
  );
  const raws = await Promise.all(dates.map((date) => open(server, date)));
  const answers = raws.map((raw) => raw.send('tools/call', { name: 'wait' }));
  await settle();
  await server.close();
  await server.close();
  assert.deepEqual(
    await Promise.all(answers),
    dates.map(() => undefined),
  );
  assert.equal(aborted, dates.length);
});

test('the host hears of the end of the very session whose beginning it heard', async () => {
  const seen: unknown[] = [];
  const endpoint = createEndpoint({
    info: { name: 'h', version: '1' },
    instructions: undefined,
    revisions,
    requestTimeoutMs: 1000,
    maxRounds: 1,
    capabilities: () => ({}),
    handler: () => undefined,
    discoverHint: { ttlMs: 0, cacheScope: 'private' },
    headerParameters: () => [],
    onError: () => undefined,
    opened: (session) => seen.push(session),
    closed: (session) => seen.push(session),
  });
  const conversation = endpoint.openConnection({ lasting: true, send: () => undefined });
  await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams('2025-11-25') });
  conversation.close();
  assert.equal(seen.length, 2);
  assert.equal(seen[0], seen[1]);
});

test('of several initialize one opens a session, and none where the client disconnected by then', async () => {
  const events: string[] = [];
  const server = served({ onEvent: ({ type }) => events.push(type) });
  const waiting: (() => void)[] = [];
  server.use('initialize', async (_, next) => {
    const result = await next();
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return result;
  });
  const begin = async () => {
    const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
    const ask = (id: number) =>
      conversation.receive({ jsonrpc: '2.0', id, method: 'initialize', params: initializeParams('2025-11-25') });
    const before = waiting.length;
    const answers = [ask(1), ask(2)];
    while (waiting.length === before) await settle();
    return { conversation, answers };
  };
  const [one, gone] = [await begin(), await begin()];
  gone.conversation.close();
  for (const go of waiting) go();
  const [first, second] = await Promise.all(one.answers);
  assert.ok(first !== undefined && 'result' in first);
  assert.partialDeepStrictEqual(second, {
    error: { code: -32600, message: 'this conversation is already initialized' },
  });
  one.conversation.close();
  await Promise.all(gone.answers);
  assert.deepEqual(events, ['session-opened', 'session-ended']);
});

test('an initialize that middleware refused at last leaves the place to the next', async () => {
  const server = served();
  let refuses = true;
  server.use('initialize', async (_, next) => {
    const result = await next();
    if (refuses) throw new McpError('invalidParams', 'not now');
    return result;
  });
  const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
  const ask = () =>
    conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams('2025-11-25') });
  assert.partialDeepStrictEqual(await ask(), { error: { message: 'not now' } });
  refuses = false;
  assert.partialDeepStrictEqual(await ask(), { result: { protocolVersion: '2025-11-25' } });
});
