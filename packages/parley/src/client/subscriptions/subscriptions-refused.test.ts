import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { listen } from '../../../../../test/support/http-answers.ts';
import { connect, type Client } from '../../client.ts';
import { text } from 'node:stream/consumers';

const handshake = '2025-06-18';
const capabilities = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } };
const topics = { tools: true, resources: true, updates: ['x:a'] };
const lines = { 'content-type': 'text/event-stream' };

interface Reached {
  readonly client: Client;
  readonly warnings: readonly string[];
}

/** A client of a server that answers the GET for what it tells unasked with a status, sooner or later, or not at all. */
async function reached(
  t: TestContext,
  answered: number | undefined | Promise<number> | ((streams: number) => number),
): Promise<Reached> {
  let streams = 0;
  let session = 's1';
  const url = await listen(t, async (request, response) => {
    const isGet = request.method === 'GET';
    const status = isGet ? await (typeof answered === 'function' ? answered(++streams) : answered) : undefined;
    if (request.method === 'GET' && status === undefined) return;
    if (request.method === 'GET') return response.writeHead(status ?? 0, status === 200 ? lines : {}).flushHeaders();
    if (request.method !== 'POST') return void response.end();
    const { id, method } = JSON.parse(await text(request)) as { readonly id?: number; readonly method: string };
    if (id === undefined) return void response.writeHead(202).end();
    // A session is lost by what is named so, and another one is had.
    if (method === 'x/lose' && request.headers['mcp-session-id'] === 's1') {
      session = 's2';
      return void response.writeHead(404).end();
    }
    if (method === 'initialize') response.setHeader('mcp-session-id', session);
    const serverInfo = { name: 's', version: '1' };
    const result = method === 'initialize' ? { protocolVersion: handshake, capabilities, serverInfo } : {};
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  const warnings: string[] = [];
  const options = { revisions: [handshake], onWarning: (message: string) => void warnings.push(message) };
  const client = await connect(url, options);
  t.after(() => client.close());
  return { client, warnings };
}

describe('a subscription at a handshake revision over HTTP', () => {
  // "`subscribe` says `honored` where nothing can come": "told"
  it('is not honored where the server refuses the stream for it, and that is a warning', async (t) => {
    const { client, warnings } = await reached(t, 405);
    const subscription = await client.subscribe(topics, () => {});
    assert.deepEqual(subscription.honored, {});
    assert.deepEqual(warnings, ['the server refused the stream for change notifications, so none may arrive']);
    await subscription.close();
  });

  it('is honored where the stream is open', async (t) => {
    const { client, warnings } = await reached(t, 200);
    assert.deepEqual((await client.subscribe(topics, () => {})).honored, topics);
    assert.deepEqual(warnings, []);
  });

  it('is honored where the server does not say within a second whether it has the stream', async (t) => {
    const { client, warnings } = await reached(t, undefined);
    assert.deepEqual((await client.subscribe(topics, () => {})).honored, topics);
    assert.deepEqual(warnings, []);
  });

  it('is not honored any more where the server refuses the stream later, and that is a warning', async (t) => {
    let answer = (_: number): void => {};
    const { client, warnings } = await reached(t, new Promise((resolve) => (answer = resolve)));
    const subscription = await client.subscribe(topics, () => {});
    assert.deepEqual([subscription.honored, warnings], [topics, []]);
    answer(405);
    while (warnings.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(subscription.honored, {});
    assert.match(warnings.join(), /^the server refused the stream for change notifications/);
  });

  it('is not honored any more where the stream is refused in the next session, and that is a warning', async (t) => {
    const { client, warnings } = await reached(t, (streams) => (streams === 1 ? 200 : 405));
    const subscription = await client.subscribe(topics, () => {});
    assert.deepEqual([subscription.honored, warnings], [topics, []]);
    await assert.rejects(client.request('x/lose'), { reason: 'session-lost' });
    await client.ping();
    while (warnings.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(subscription.honored, {});
    assert.match(warnings.join(), /^the server refused the stream for change notifications/);
  });

  it('is honored where the stream failed for now, which is a warning and tried again', async (t) => {
    const { client, warnings } = await reached(t, 503);
    assert.deepEqual((await client.subscribe(topics, () => {})).honored, topics);
    assert.equal(warnings.length, 1);
  });
});
