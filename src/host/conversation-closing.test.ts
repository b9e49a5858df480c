import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, initializeParams, open, settle, statelessDate } from '../../test/support/raw.ts';
import { served } from '../../test/support/tested-server.ts';
import { revisions } from '../protocol/revision.ts';
import { createEndpoint } from './serve.ts';

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
    askTimeoutMs: 1000,
    maxRounds: 1,
    capabilities: () => ({}),
    handler: () => undefined,
    discoverHint: { ttlMs: 0, cacheScope: 'private' },
    headerParameters: () => [],
    onError: () => undefined,
    opened: (session) => seen.push(session),
    closed: (session) => seen.push(session),
  });
  const conversation = endpoint.converse({ lasting: true, send: () => undefined });
  await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams('2025-11-25') });
  conversation.close();
  assert.equal(seen.length, 2);
  assert.equal(seen[0], seen[1]);
});
