/** How a server may be served over HTTP, and which requests are refused by their first line and headers alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEndpoint } from '../../../../../../test/support/fake-endpoint.ts';
import { visit, type Sent } from '../../../../../../test/support/fake-http.ts';
import type { RequestHandler, Servable } from '../../../server/runtime/request-handler.ts';
import { revisionOf } from '../../../protocol/revision.ts';
import { createHttpHandler } from './handler.ts';
import type { HttpOptions } from './exchanges/options.ts';

/** A fake endpoint with more parts; those that nobody calls here are empty. */
function served(more: Readonly<Record<string, unknown>> = {}): Servable {
  return { endpoint: { ...fakeEndpoint().endpoint, ...more } as unknown as RequestHandler };
}

const resume = (): undefined => undefined;
const authenticate: NonNullable<HttpOptions['authenticate']> = () => assert.fail('nobody is asked for credentials');
const protection = { metadata: () => false, admit: () => undefined };
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const message = ({ json }: { json: unknown }): unknown => Object(Object(json).error).message;

test('options that contradict the server are mistakes, each with what to do', () => {
  const cases: readonly (readonly [
    Readonly<Record<string, unknown>>,
    Readonly<Record<string, unknown>>,
    RegExp | undefined,
  ])[] = [
    [{}, { sessions: false }, /^TypeError: sessions: false is for servers; a bridge has connections that belong to/],
    [{ resume }, { sessions: false }, undefined],
    [{ resume }, {}, undefined],
    [{ protection }, { authenticate }, /^TypeError: give protect or authenticate, not both/],
    [{ protection }, {}, undefined],
    [{}, { authenticate }, undefined],
    [{ store: { shared: true } }, { events: 'none' }, undefined],
    [{ store: { shared: true } }, {}, undefined],
  ];
  for (const [parts, options, mistake] of cases) {
    const create = (): unknown => createHttpHandler(served(parts), options as HttpOptions);
    if (mistake === undefined) assert.doesNotThrow(create, JSON.stringify(options));
    else assert.throws(create, (error) => mistake.test(String(error)), String(mistake));
  }
});

test('a server that acts for one user learns how it is served, and whom it may refuse by address', async () => {
  for (const [options, knowsCallers] of [
    [{}, false],
    [{ allowedHosts: ['a.example'] }, false],
    [{ authenticate }, true],
  ] as const) {
    const ways: unknown[] = [];
    const behind = {
      requireServable: (way: unknown) => ways.push(way),
      refuses: (address?: string) => address !== '127.0.0.1',
    };
    const handler = createHttpHandler(served({ behind }), options);
    assert.deepEqual(ways, [{ knowsCallers, names: 'allowedHosts' in options ? options.allowedHosts : [] }]);
    const host = 'allowedHosts' in options ? { host: 'a.example' } : {};
    const sent = { method: 'PUT', headers: host };
    const [near, far] = [
      await visit(handler, { ...sent, remoteAddress: '127.0.0.1' }),
      await visit(handler, { ...sent, remoteAddress: '192.0.2.1' }),
    ];
    assert.equal(near.status, 405);
    assert.equal(far.status, knowsCallers ? 405 : 403);
    if (!knowsCallers) assert.equal(message(far), 'only clients of this machine are served here');
  }
});

test('the endpoint has one path, with or without a slash at its end', async () => {
  const handler = createHttpHandler(served(), { path: '/mcp' });
  for (const [path, status] of [
    ['/mcp', 405],
    ['/mcp/', 405],
    ['/mcp//', 404],
    ['/', 404],
    ['/mcps', 404],
  ] as const)
    assert.equal((await visit(handler, { method: 'PUT', path })).status, status, path);
  const missing = await visit(handler, { method: 'PUT', path: '/other' });
  assert.equal(message(missing), 'there is nothing at this path; the MCP server is at /mcp');
  const slash = createHttpHandler(served(), { path: '/mcp/' });
  assert.equal((await visit(slash, { method: 'PUT', path: '/mcp' })).status, 405);
});

test('a method that a path does not have is refused with those that it has', async () => {
  const all = 'GET, POST, DELETE, OPTIONS';
  const version = { 'MCP-Protocol-Version': '2026-07-28' };
  const session = { ...version, 'Mcp-Session-Id': 's' };
  const ssePair = { sse: '/sse', messages: '/messages' };
  const stateless = { revisions: [revisionOf('2026-07-28')] };
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, HttpOptions, Sent, string])[] = [
    [{}, {}, {}, all],
    [{}, {}, { headers: version }, 'POST, OPTIONS'],
    [{}, {}, { headers: session }, all],
    [{ resume }, { sessions: false }, {}, 'POST, OPTIONS'],
    [stateless, {}, {}, 'POST, OPTIONS'],
    [stateless, {}, { headers: session }, 'POST, OPTIONS'],
    [{}, { ssePair }, { path: '/sse' }, 'GET, OPTIONS'],
    [{}, { ssePair, path: '/mcp' }, { path: '/sse/' }, 'GET, OPTIONS'],
    [{}, { ssePair }, { path: '/messages' }, 'POST, OPTIONS'],
    [{}, { ssePair }, { path: '/mcp' }, all],
    [stateless, { ssePair }, { path: '/sse' }, 'POST, OPTIONS'],
  ];
  for (const [parts, options, sent, allow] of cases) {
    const answer = await visit(createHttpHandler(served(parts), options), { method: 'PUT', ...sent });
    assert.deepEqual(
      [answer.status, answer.headers['allow'], message(answer)],
      [405, allow, 'this method is not allowed here'],
      JSON.stringify([options, sent]),
    );
  }
});

test('a request names its media types', async () => {
  const handler = createHttpHandler(served());
  const cases: readonly (readonly [Sent, number, string])[] = [
    [{ headers: { accept: 'application/json' } }, 406, 'Accept must allow text/event-stream'],
    [{ body: ping, headers: { 'content-type': 'text/plain' } }, 415, 'Content-Type must be application/json in UTF-8'],
    [
      { body: ping, headers: { accept: 'text/plain' } },
      406,
      'Accept must allow application/json and text/event-stream',
    ],
  ];
  for (const [sent, status, words] of cases) {
    const answer = await visit(handler, sent);
    assert.deepEqual([answer.status, message(answer)], [status, words]);
  }
});

test('a platform may have no room for what begins something, and lets go on what is open', async () => {
  for (const admits of [true, false]) {
    const handler = createHttpHandler(served(), {}, { admits: () => admits });
    const [begins, goesOn] = [
      await visit(handler, { body: ping }),
      await visit(handler, { body: ping, headers: { 'Mcp-Session-Id': 's', 'MCP-Protocol-Version': '2025-11-25' } }),
    ];
    assert.deepEqual([begins.status, goesOn.status], [admits ? 400 : 503, 404]);
    if (!admits) assert.equal(message(begins), 'the server has more to do than it can');
    // A stream begins, unless it is one that broke.
    const streams = [{}, { 'Last-Event-ID': '1' }].map(async (headers) => {
      const all = { 'Mcp-Session-Id': 's', 'MCP-Protocol-Version': '2025-11-25', ...headers };
      return (await visit(handler, { headers: all })).status;
    });
    assert.deepEqual(await Promise.all(streams), [admits ? 404 : 503, 404]);
  }
});

test('listeners hear of each refused request, and of the drain', async () => {
  const told: unknown[] = [];
  const tell = ({ type, ...more }: { type: string }): void =>
    void told.push(type === 'drain-over' ? type : { type, ...more });
  const handler = createHttpHandler(served({ listeners: { tell } }), { health: { ready: '/readyz' } });
  for (let tries = 0; tries < 2; tries++) assert.equal((await visit(handler, { method: 'PUT' })).status, 405);
  assert.equal((await visit(handler, { path: '/readyz' })).status, 200);
  const refused = { type: 'request-refused', reason: 'unacceptable', status: 405 };
  assert.deepEqual(told.splice(0), [refused, refused]);
  await handler.close({ drainTimeoutMs: 0 });
  assert.equal((await visit(handler, { path: '/readyz' })).status, 503);
  assert.equal((await visit(handler, { body: ping })).status, 503);
  await handler.close({ drainTimeoutMs: 0 });
  const [begun, over, ...rest] = told;
  assert.deepEqual([begun, over], [{ type: 'drain-begun' }, 'drain-over']);
  assert.deepEqual(rest, [{ type: 'request-refused', reason: 'busy', status: 503 }]);
});

test('a server that is about to close serves until balancers know, and then nothing new', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const handler = createHttpHandler(served(), { health: { ready: '/readyz' } });
  const closing = handler.close({ readyTimeoutMs: 50, drainTimeoutMs: 0 });
  const status = async (sent: Sent): Promise<unknown> => (await visit(handler, sent)).status;
  assert.deepEqual([await status({ path: '/readyz' }), await status({ method: 'PUT' })], [503, 405]);
  t.mock.timers.tick(49);
  assert.equal(await status({ method: 'PUT' }), 405);
  t.mock.timers.tick(1);
  await new Promise<void>((resolve) => void setImmediate(resolve));
  assert.equal(await status({ method: 'PUT' }), 503);
  t.mock.timers.tick(0);
  await closing;
  assert.equal(await status({ method: 'OPTIONS', headers: { origin: 'http://localhost:3000' } }), 503);
});
