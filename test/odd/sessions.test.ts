/** Odd session ids, and responses on the stream of GET; the server is right otherwise. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreed, agrees } from './agreed.ts';
import { json, oddFetch } from './odd-fetch.ts';
import { outcomes, peers, type Fetch, type User } from './peers.ts';

type Ask = Readonly<{ method?: string; id?: unknown }>;

const listed = async (user: User): Promise<string> => {
  const names = (await user.listTools()).map(({ name }) => name).join();
  return `${names} ${JSON.stringify((await user.callTool('odd'))['content'])}`;
};
const works = 'odd [{"type":"text","text":"done"}]';

/** A server that gives a session id with its answer to one method, and wants it in requests for tools. */
function withSession(session: string, at: string): Fetch {
  const right = oddFetch(({ method, id }, request) => {
    const isKnown = request.headers.get('mcp-session-id') === session;
    if (isKnown || !String(method).startsWith('tools/')) return undefined;
    return json({ jsonrpc: '2.0', id, error: { code: -32_001, message: 'no session' } }, 404);
  });
  return async (url, init) => {
    const request = new Request(url, init);
    const { method } = request.method === 'POST' ? ((await request.clone().json()) as Ask) : {};
    const response = await right(request.url, request);
    if (method !== at) return response;
    return withId(response, session);
  };
}

function withId(response: Response, session: string): Response {
  const headers = new Headers(response.headers);
  headers.set('mcp-session-id', session);
  return new Response(response.body, { status: response.status, headers });
}

/** A server that answers each request after `initialize` on the stream of GET, and the request itself with no response. */
function onStream(answer: () => Response): Fetch {
  const right = oddFetch(() => undefined);
  const encoder = new TextEncoder();
  const waiting: string[] = [];
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const say = (data: string): void => stream?.enqueue(encoder.encode(`data: ${data}\n\n`));
  return async (url, init) => {
    const request = new Request(url, init);
    if (request.method === 'GET') {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
      for (const data of waiting.splice(0)) say(data);
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    const { method, id } = request.method === 'POST' ? ((await request.clone().json()) as Ask) : {};
    const response = await right(request.url, request);
    if (method === 'initialize') return withId(response, 's1');
    if (id === undefined || method === 'server/discover') return response;
    const data = await response.text();
    if (stream === undefined) waiting.push(data);
    else setImmediate(() => say(data));
    return answer();
  };
}

/** What SDK 1.32.2, SDK 2.4.0 and our client have of a server; the warnings of ours. */
const rows: readonly (readonly [title: string, make: () => Fetch, outcomes: readonly string[], warnings?: number])[] = [
  ['a session id', () => withSession('s1', 'initialize'), [works, works, works]],
  ['a session id with blanks', () => withSession('a b; c="d"', 'initialize'), [works, works, works], 1],
  ['a session id that is not ASCII', () => withSession('caf\u00e9', 'initialize'), [works, works, works], 1],
  ['a session id of 4,000 characters', () => withSession('x'.repeat(4_000), 'initialize'), [works, works, works]],
  [
    'a session id in the answer to another message',
    () => withSession('s1', 'notifications/initialized'),
    [works, 'fails', works],
  ],
  [
    'responses on the stream of GET, after 202',
    () => onStream(() => new Response(null, { status: 202 })),
    [works, works, works],
  ],
  [
    'responses on the stream of GET, after streams without them',
    () => onStream(() => new Response('', { headers: { 'content-type': 'text/event-stream' } })),
    [works, works, works],
  ],
];

for (const [title, make, expected, warnings = 0] of rows) {
  test(`${title}: each client`, async () => {
    const fetches = make();
    const { error, warnings: given, ...made } = await outcomes({ fetch: fetches }, listed);
    assert.deepEqual(
      peers.map((peer) => made[peer]),
      expected,
      String(error),
    );
    assert.equal(given.length, warnings, given.join());
  });

  // A server in a network has no stream there.
  if (title.startsWith('a session id'))
    test(`${title}: explain, connect, call and bridge agree`, async () => {
      const made = await agreed({ fetch: make() });
      assert.ok(agrees(made) && made.connect.called === 'done', JSON.stringify(made));
    });
}
