import assert from 'node:assert/strict';
import { createServer as createHttp, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { listen } from '../../../../parley/src/node.ts';
import { revisions } from '../../../../parley/src/protocol/revision.ts';
import { createServer } from '../../../../parley/src/server.ts';
import { rawHttp } from '../harness/http.ts';
import { judgeServer } from './check.ts';
import { checkRules } from '../rules/rules.ts';
import { runRules } from '../run.ts';
import type { CheckReport } from '../report.ts';

const info = { name: 'parley-check', version: '1.0.0' };

async function checked(t: TestContext, url: string, names: readonly string[] = []): Promise<CheckReport> {
  const http = rawHttp(new URL(url));
  t.after(() => http.close());
  const way = { over: 'http', http } as const;
  const calls = names.map((name) => ({ name }));
  return await judgeServer({ way, target: url, info, calls, isNear: true, signal: t.signal });
}

async function served(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createHttp(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  // A server that listens on a port has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('nothing is found in a server of ours, at any revision', async (t) => {
  const server = createServer({ name: 'clean', version: '1.0.0' });
  server.tool('add', { description: 'Adds.' }, () => 'added');
  server.resource('a://b', { name: 'b' }, () => 'text');
  server.prompt('p', {}, () => 'text');
  const listening = await listen(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  const { findings, revisions: seen, counts, rows } = await checked(t, listening.url);
  assert.deepEqual(findings, []);
  assert.deepEqual(
    seen.filter(({ spoken }) => spoken).map(({ revision }) => revision),
    revisions.map(({ date }) => date),
  );
  assert.ok(counts.judged > 15, `${counts.judged} rows`);
  assert.deepEqual(
    rows.filter(({ verdict }) => verdict === 'not-judged'),
    [],
  );
});

test('no listed tool is called that is not allowed, in any spelling of its name', async (t) => {
  const called: unknown[] = [];
  const server = createServer({ name: 'clean', version: '1.0.0' });
  for (const name of ['add', 'Book', 'burn'])
    server.tool(name, { annotations: { destructiveHint: name === 'burn' } }, () => `done ${called.push(name)}`);
  const listening = await listen(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  await checked(t, listening.url);
  assert.deepEqual(called, []);
  const { uncalled } = await checked(t, listening.url, ['add', 'book', 'burn']);
  assert.deepEqual(new Set(called), new Set(['add']));
  assert.deepEqual(
    new Set(uncalled.map(({ name, why }) => `${name}: ${why}`)),
    new Set(['book: it is not listed', 'burn: it has destructiveHint: allow it by burn!']),
  );
});

test('the name of a tool in another case, which is called to see whether it is that of none, is not among those that were not', async (t) => {
  const server = createServer({ name: 'clean', version: '1.0.0' });
  server.tool('sum', {}, () => '3');
  const listening = await listen(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  const { uncalled, rows } = await checked(t, listening.url, ['sum', 'SUM', 'Other']);
  assert.deepEqual(
    rows.filter(({ id }) => id === 'tools-017').map(({ verdict }) => verdict),
    ['holds'],
  );
  assert.deepEqual(new Set(uncalled.map(({ name, why }) => `${name}: ${why}`)), new Set(['Other: it is not listed']));
});

test('a page of HTML, a refusal and nothing at all are no faults of a server', async (t) => {
  const page = await served(t, (_, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no</p>'),
  );
  const busy = await served(t, (_, response) => response.writeHead(503).end());
  for (const url of [page, busy, 'http://127.0.0.1:1/mcp']) {
    const { findings, revisions: seen, counts } = await checked(t, url);
    assert.deepEqual(findings, []);
    assert.equal(counts.judged, 0);
    assert.ok(seen.every(({ spoken, why }) => !spoken && why !== undefined));
  }
});

test('what was seen before a run is cut short is told all the same', async (t) => {
  const url = await served(t, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const id: unknown = text === '' ? undefined : JSON.parse(text).id;
      if (id === undefined) return void response.writeHead(202).end();
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'nameless' } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  const http = rawHttp(new URL(url));
  t.after(() => http.close());
  const { judged, cut } = await runRules({
    info,
    way: { over: 'http', http },
    revisions: revisions.filter(({ date }) => date === '2025-11-25'),
    rules: checkRules.filter(({ id }) => ['lifecycle-003', 'basic-018'].includes(id)),
    limits: { messages: 8, children: 1, perSecond: Infinity, ms: 60_000 },
    calls: [],
    waitTimeoutMs: 1_000,
    openMs: 1_000,
    quietMs: 50,
    signal: t.signal,
  });
  assert.match(cut ?? '', /no more than 8 messages/);
  assert.deepEqual(
    judged.map(({ rule, outcome }) => [rule.id, outcome.verdict]),
    [['lifecycle-003', 'breaks']],
  );
});

test('a run ends when its time is over, whatever the server goes on with', { timeout: 60_000 }, async (t) => {
  const url = await served(t, (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chat = setInterval(() => response.write('data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'), 5);
    response.once('close', () => clearInterval(chat));
  });
  const http = rawHttp(new URL(url));
  t.after(() => http.close());
  const { cut } = await runRules({
    info,
    way: { over: 'http', http },
    revisions,
    rules: checkRules,
    limits: { messages: 100_000, children: 1, perSecond: Infinity, ms: 300 },
    calls: [],
    waitTimeoutMs: 3_600_000,
    openMs: 3_600_000,
    quietMs: 50,
    signal: t.signal,
  });
  assert.equal(cut, 'it is given no more than 0.005 minutes');
});
