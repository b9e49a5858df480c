import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../../../../../server.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import { StoreError, type Store } from '../../../../../storage/store.ts';
import { createHandler } from '../../fetch.ts';

/** A store that keeps the events of this text and says that it did not, where it keeps the others. */
function refusing(store: Store, text: string): Store {
  const open: Store['events']['open'] = (session) => {
    const log = store.events.open(session);
    return {
      ...log,
      write: async (stream, about, mark) => {
        const writer = await log.write(stream, about, mark);
        let isFull = false;
        const append: typeof writer.append = async (data, last) => {
          if (isFull) throw new StoreError('full', 'no more');
          const isRefused = (isFull = data.includes(text));
          const number = await writer.append(data, last);
          if (isRefused) throw new StoreError('full', 'no more');
          return number;
        };
        return { mark: writer.mark, append };
      },
    };
  };
  return { ...store, events: { open } };
}

type Send = (method: string, headers: Record<string, string>, body?: object) => Promise<Response>;

/** A process of a service, by what is sent to it. */
function served(t: TestContext, store: Store, keepAliveIntervalMs?: number): Send {
  const rounds = { keys: [new Uint8Array(32)] };
  const rateLimits = { requests: { perSecond: 100 } };
  const server = createServer({ name: 's', version: '1' }, { store: { ...store, shared: true }, rounds, rateLimits });
  server.tool('tells', {}, (_, ctx) => {
    ctx.progress(1, 2);
    ctx.closeStream(1);
    ctx.progress(2, 2);
    return 'told';
  });
  server.resource('memo:told', { name: 'told' }, (_, ctx) => {
    ctx.progress(1, 2);
    return 'told';
  });
  const handler = createHandler(server, {
    onError: () => undefined,
    ...(keepAliveIntervalMs !== undefined && { keepAliveIntervalMs }),
  });
  t.after(async () => {
    await handler.close();
    await server.close();
  });
  const always = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return async (method, headers, body) =>
    await handler(
      new Request('http://localhost/mcp', {
        method,
        headers: { ...always, 'mcp-protocol-version': '2025-11-25', ...headers },
        ...(body !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
      }),
    );
}

const telling = { method: 'tools/call', params: { name: 'tells', arguments: {}, _meta: { progressToken: 't' } } };

/** Opens a session, and sends a request in it. */
async function called(
  send: Send,
  request: object = telling,
): Promise<{ readonly session: Record<string, string>; readonly text: string }> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = await send('POST', {}, { id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? assert.fail('it has an id') };
  await send('POST', session, { method: 'notifications/initialized' });
  const answer = await send('POST', session, { id: 2, ...request });
  return { session, text: await answer.text() };
}

test('a stream that cannot be kept is not closed for its client to come back to', async (t) => {
  const { text } = await called(served(t, refusing(memoryStore(), '"progress":1')));
  assert.match(text, /"text":"told"/);
});

test('what a client was told of a stream that could not be kept is not told again by another process after its end', async (t) => {
  const store = memoryStore();
  const [one, other] = [served(t, refusing(store, '"progress":1')), served(t, store)];
  const { session, text } = await called(one);
  const [, id = assert.fail('the first event has an id')] = /^id: (.+)$/m.exec(text) ?? [];
  const again = await (await other('GET', { ...session, 'last-event-id': id })).text();
  assert.doesNotMatch(again, /"progress"/);
  assert.match(again, /"id":2,"error"/);
  // Its own process knows that too, and says so at once.
  assert.equal((await one('GET', { ...session, 'last-event-id': id })).status, 400);
});

test('a call that ran may not be sent again where its stream began while it was found out whether it may', async (t) => {
  const store = memoryStore();
  const take: typeof store.limits.take = async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return await store.limits.take(...given);
  };
  const one = served(t, { ...refusing(store, '"progress":1'), limits: { take } }, 50);
  const other = served(t, store);
  const { session, text } = await called(one);
  const [, id = assert.fail('the first event has an id')] = /^id: (.+)$/m.exec(text) ?? [];
  const again = await (await other('GET', { ...session, 'last-event-id': id })).text();
  assert.match(again, /"id":2,"error":.*not known/);
  assert.doesNotMatch(again, /retryAfterMs/);
});
