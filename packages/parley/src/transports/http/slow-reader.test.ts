import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { listen as serve } from '../../node.ts';
import { createServer } from '../../server.ts';
import { fakeEndpoint, type Fake, type FakeConversation } from '../../../../../test/support/fake-endpoint.ts';
import { begin, headersOf, settle, visit, type FakeVisit } from '../../../../../test/support/fake-http.ts';
import { call } from '../../../../../test/support/stateless-call.ts';
import { createHandler } from './server/fetch.ts';
import { createHttpHandler } from './server/handler.ts';
import type { HttpOptions } from './server/exchanges/options.ts';

const report = (text: string): { jsonrpc: '2.0'; method: string; params: { data: string } } => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { data: text },
});
const question = { jsonrpc: '2.0', id: 's1', method: 'elicitation/create', params: {} } as const;
const kibibyte = 'x'.repeat(1024);

function flood({ link }: FakeConversation, id: number | undefined, count: number = 100): void {
  for (let at = 0; at < count; at++) link.send(report(kibibyte), id);
}

function only({ conversations }: Fake): FakeConversation {
  const [conversation] = conversations;
  assert.ok(conversation);
  return conversation;
}

/** A session of a client, and a request with id 2 that runs in it. */
async function inSession(options: HttpOptions): Promise<{
  readonly conversation: FakeConversation;
  readonly answer: FakeVisit;
  resume(lastEventId: string): FakeVisit;
  listen(): FakeVisit;
}> {
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, options);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  const opened = await visit(handler, {
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  const own = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] };
  const answer = begin(handler, {
    headers: own,
    body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'slow' }),
  });
  await settle();
  return {
    conversation: only(fake),
    answer,
    resume: (id) => begin(handler, { headers: { ...own, 'last-event-id': id } }),
    listen: () => begin(handler, { headers: own }),
  };
}

test('a slow reader of an exchange loses log messages and gets the response', async () => {
  const fake = fakeEndpoint();
  const errors: Error[] = [];
  const handler = createHttpHandler(fake, { maxStreamBufferBytes: 10_000, onError: (error) => errors.push(error) });
  const answer = begin(handler, call({ method: 'slow' }));
  await settle();
  answer.stalled = true;
  flood(only(fake), 7);
  only(fake).release(7);
  await settle();
  assert.deepEqual(answer.events.at(-1), { jsonrpc: '2.0', id: 7, result: { released: true } });
  assert.ok(answer.written.length < 12_000);
  assert.deepEqual(errors.map(String), [
    'Error: the reader of an event stream is slow: log messages and progress to it are dropped',
  ]);
});

test('a slow reader in a session gets the question and the response', async () => {
  const { conversation, answer } = await inSession({ maxStreamBufferBytes: 10_000 });
  conversation.link.send(report('first'), 2);
  answer.stalled = true;
  flood(conversation, 2);
  conversation.link.send(question, 2);
  conversation.release(2);
  await settle();
  assert.deepEqual(answer.events.slice(-2), [question, { jsonrpc: '2.0', id: 2, result: { released: true } }]);
  assert.equal(answer.destroyed, false);
});

test('a slow reader of the HTTP+SSE pair gets the response', async () => {
  const fake = fakeEndpoint();
  const handler = createHttpHandler(fake, {
    ssePair: { sse: '/sse', messages: '/messages' },
    maxStreamBufferBytes: 10_000,
  });
  const stream = begin(handler, { path: '/sse' });
  await settle();
  const path = /data: (\S+)/.exec(stream.written)?.[1] ?? '';
  begin(handler, { path, body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'slow' }) });
  await settle();
  stream.stalled = true;
  flood(only(fake), 2);
  only(fake).release(2);
  await settle();
  assert.deepEqual(JSON.parse(stream.frames.at(-1)?.data ?? ''), { jsonrpc: '2.0', id: 2, result: { released: true } });
});

test('responses and questions to a reader that never reads are bounded too', async () => {
  const { conversation, answer } = await inSession({ maxStreamBufferBytes: 10_000 });
  conversation.link.send(report('first'), 2);
  answer.stalled = true;
  const large = { ...question, params: { message: kibibyte } };
  for (let at = 0; at < 100; at++) conversation.link.send(large, 2);
  assert.equal(answer.destroyed, true);
  assert.ok(answer.written.length < 82_000);
});

test('a client that lost its stream gets the response after 6 MB of log messages', async () => {
  const { conversation, answer, resume } = await inSession({});
  conversation.link.send(report('first'), 2);
  const [id] = answer.frames.flatMap((frame) => (frame.id === undefined ? [] : [frame.id]));
  answer.leave();
  flood(conversation, 2, 6_000);
  conversation.link.send(question, 2);
  conversation.release(2);
  await settle();
  const resumed = resume(id ?? '');
  await resumed.done();
  assert.equal(resumed.status, 200);
  assert.deepEqual(resumed.events.slice(-2), [question, { jsonrpc: '2.0', id: 2, result: { released: true } }]);
});

test('log messages do not push a question out of the queue for a closed stream', async () => {
  const { conversation, listen } = await inSession({});
  conversation.link.send(question);
  flood(conversation, undefined);
  const stream = listen();
  await settle();
  assert.deepEqual(
    stream.events.filter((event) => 'id' in (event as object)),
    [question],
  );
});

test('a slow reader of a web stream gets the response', async () => {
  const fake = fakeEndpoint();
  const { headers, body } = call({ method: 'slow' });
  const sent = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: Object.fromEntries(headersOf({ headers: headers ?? {}, body: body ?? '' })),
    body: String(body),
  });
  const answering = createHandler(fake, { maxStreamBufferBytes: 10_000 })(sent);
  await settle();
  flood(only(fake), 7);
  only(fake).release(7);
  const text = await (await answering).text();
  assert.match(text, /"released":true/);
  assert.ok(text.length < 13_000);
});

test('a tool that logs 6 MB to a client that reads later keeps its answer', async (t) => {
  const server = createServer({ name: 'chatty', version: '1' });
  server.tool('chatty', {}, (_, ctx) => {
    for (let at = 0; at < 96; at++) ctx.log('info', 'x'.repeat(65_536));
    return 'the answer';
  });
  const http = await serve(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => http.close());
  const { headers, body } = call({
    method: 'tools/call',
    params: { name: 'chatty', arguments: {} },
  });
  const sentHeaders = Object.fromEntries(headersOf({ headers: headers ?? {}, body: '' }));
  sentHeaders['host'] = new URL(http.url).host;
  const client = request(http.url, { method: 'POST', headers: sentHeaders });
  client.end(body?.toString().replace('"_meta":{', '"_meta":{"io.modelcontextprotocol/logLevel":"info",'));
  const [response] = (await once(client, 'response')) as [NodeJS.ReadableStream];
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  let text = '';
  response.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-10_000)));
  await once(response, 'end');
  assert.match(text, /the answer/);
});
