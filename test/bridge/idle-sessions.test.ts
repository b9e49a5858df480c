/** Sessions of a bridge over HTTP that were opened, used and left, before a handshake server. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { listen } from '../../packages/parley/src/node.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { bridgeTo, lineOver, serverAt, type Line, type QuietOptions } from '../support/bridged.ts';
import { initializeParams, type Json } from '../support/raw.ts';
import { until } from '../support/turns.ts';

interface Setup {
  readonly line: Line;
  readonly url: string;
  /** How many calls of `wait` run. */
  running(): number;
  release(): void;
}

async function setup(t: TestContext, options: QuietOptions, named = false): Promise<Setup> {
  const server = serverAt('2025-06-18');
  const waiting: (() => void)[] = [];
  server.tool('use', {}, () => 'used');
  server.tool('wait', {}, async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return 'waited';
  });
  const line = lineOver(memoryTransport(server));
  const bridge = await bridgeTo(t, line.transport, options);
  const http = await listen(bridge, {
    port: 0,
    drainTimeoutMs: 0,
    ...(named ? { authenticate: (request) => ({ principal: request.header('authorization') ?? '' }) } : {}),
  });
  t.after(() => http.close());
  return {
    line,
    url: http.url,
    running: () => waiting.length,
    release: () => waiting.splice(0).forEach((resolve) => resolve()),
  };
}

/** A client that only ever opens a session, uses it, and goes. */
class Session {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, authorization?: string) {
    this.#url = url;
    const accept = 'application/json, text/event-stream';
    this.#headers = { 'content-type': 'application/json', accept, ...(authorization && { authorization }) };
  }

  async send(message: Json): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return await fetch(this.#url, { method: 'POST', headers: this.#headers, body });
  }

  async open(): Promise<Response> {
    const opened = await this.send({ id: 1, method: 'initialize', params: initializeParams('2025-06-18') });
    await opened.text();
    const id = opened.headers.get('mcp-session-id');
    if (id === null) return opened;
    this.#headers['mcp-session-id'] = id;
    await (await this.send({ method: 'notifications/initialized' })).text();
    return opened;
  }

  async use(method: string, params: Json = {}): Promise<number> {
    const response = await this.send({ id: 2, method, params });
    const text = await response.text();
    if (response.status === 200) assert.match(text, /"result"/);
    return response.status;
  }
}

async function opened(url: string, count: number, use: (session: Session) => Promise<unknown>): Promise<Session[]> {
  const sessions = Array.from({ length: count }, () => new Session(url));
  for (const session of sessions) {
    assert.equal((await session.open()).status, 200);
    await use(session);
  }
  return sessions;
}

const useIt = async (session: Session): Promise<number> => await session.use('tools/call', { name: 'use' });

test('63 sessions that were opened, used once and abandoned leave room for the next client', async (t) => {
  const { url, line } = await setup(t, { maxUpstreamsPerClient: 64 });
  const [first] = await opened(url, 63, (session) => session.use('tools/list'));
  assert.equal(line.open, 64);
  const next = new Session(url);
  assert.equal((await next.open()).status, 200);
  assert.equal(await useIt(next), 200);
  assert.equal(line.open, 64);
  // The session itself lives on, and gets a new connection when it is used.
  assert.equal(await first?.use('tools/list'), 200);
  assert.equal(line.open, 64);
});

test("a session is ended with 404 where the upstream's state would be lost", async (t) => {
  const { url, line } = await setup(t, { maxUpstreams: 3, maxUpstreamsPerClient: 3 });
  const [first, second] = await opened(url, 2, useIt);
  // What was used least recently goes.
  assert.equal(await first?.use('tools/list'), 200);
  const [next] = await opened(url, 1, useIt);
  assert.equal(await second?.use('tools/list'), 404);
  assert.deepEqual([await first?.use('tools/list'), await next?.use('tools/list')], [200, 200]);
  assert.equal(line.open, 3);
});

test('that a session was ended for another client is told, at once and then once a minute with how many', async (t) => {
  const warnings: string[] = [];
  t.mock.method(performance, 'now', () => now);
  let now = 1_000_000;
  const { url } = await setup(t, { maxUpstreams: 8, maxUpstreamsPerClient: 2, warnings });
  await opened(url, 2, (session) => session.use('tools/list'));
  await opened(url, 2, useIt);
  // Connections that keep nothing for their sessions make way and nobody loses anything.
  assert.deepEqual(warnings, []);
  await opened(url, 4, useIt);
  assert.equal(warnings.length, 1);
  const said = /^a session was ended .* the 2 upstream connections of one address .* maxUpstreamsPerClient/;
  assert.match(warnings[0] ?? '', said);
  now += 60_000;
  await opened(url, 1, useIt);
  assert.equal(warnings.length, 2);
  assert.match(warnings[1] ?? '', /^4 sessions were ended/);
});

test('when truly full, initialize is 503 with Retry-After', async (t) => {
  const { url, running, release } = await setup(t, { maxUpstreams: 3, maxUpstreamsPerClient: 3 });
  const sessions = await opened(url, 2, async () => undefined);
  const calls = sessions.map((session) => session.use('tools/call', { name: 'wait' }));
  await until(() => running() === 2);
  const refused = await new Session(url).open();
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  release();
  assert.deepEqual(await Promise.all(calls), [200, 200]);
  assert.equal((await new Session(url).open()).status, 200);
});

for (const [who, name] of [
  ['address', undefined],
  ['principal', 'greedy'],
] as const) {
  test(`one ${who} has no more than its share of them`, async (t) => {
    const { url, running, release } = await setup(t, { maxUpstreams: 8, maxUpstreamsPerClient: 2 }, name !== undefined);
    const sessions = [new Session(url, name), new Session(url, name)];
    for (const session of sessions) await session.open();
    const calls = sessions.map((session) => session.use('tools/call', { name: 'wait' }));
    await until(() => running() === 2);
    assert.equal((await new Session(url, name).open()).status, 503);
    if (name !== undefined) {
      const other = new Session(url, 'modest');
      assert.equal((await other.open()).status, 200);
      assert.equal(await useIt(other), 200);
    }
    release();
    await Promise.all(calls);
    const again = new Session(url, name);
    assert.equal((await again.open()).status, 200);
    assert.equal(await useIt(again), 200);
  });
}
