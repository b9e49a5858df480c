import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createServerOfHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createServer } from '../../../../parley/src/server.ts';
import { checkServer } from './check-server.ts';

function small(): ReturnType<typeof createServer> {
  const server = createServer({ name: 'small', version: '1.0.0' });
  server.tool('add', { input: { type: 'object', properties: { a: { type: 'number' } } } }, () => 'added');
  return server;
}

test('a server of this process is served, judged in every revision, and left open', async () => {
  const server = small();
  const report = await checkServer(server, { calls: ['add'] });
  assert.deepEqual(report.findings, []);
  assert.ok(
    report.revisions.length > 1 && report.revisions.every(({ spoken }) => spoken),
    JSON.stringify(report.revisions),
  );
  assert.ok(report.counts.judged > 80, `${report.counts.judged} rows`);
  assert.match(report.tool.version, /^\d+\.\d+\.\d+/);
  assert.deepEqual((await checkServer(server, { only: ['basic-018'] })).findings, []);
});

test('a fault of a server is found, with the row that it breaks', async () => {
  const server = small();
  server.tool('no good name', {}, () => 'done');
  const { findings } = await checkServer(server);
  assert.deepEqual(
    findings.map(({ id, severity, where }) => [id, severity, where]),
    [['tools-018', 'warning', 'tools/no good name']],
  );
});

test('a server that a command starts is judged over its streams', async () => {
  const script = "process.stdout.write('ready\\n')";
  const report = await checkServer({ command: process.execPath, args: ['-e', script] });
  assert.ok(report.revisions.every(({ spoken }) => !spoken));
  assert.equal(report.transport, 'stdio');
  assert.equal(report.counts.starts, 1);
});

test('a report does not have what a server repeats of the headers', async (t) => {
  const secret = 'planted-0123456789-secret';
  const http = createServerOfHttp((request, response) => {
    response
      .writeHead(400)
      .end(`I do not know ${request.headers.authorization} and ${String(request.headers['x-key'])}`);
  });
  http.listen(0, '127.0.0.1');
  t.after(() => http.closeAllConnections());
  t.after(() => http.close());
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const report = await checkServer(url, { headers: { authorization: `Bearer ${secret}`, 'x-key': `${secret}-too` } });
  assert.match(JSON.stringify(report), /I do not know/);
  assert.doesNotMatch(JSON.stringify(report), /planted/);
});

test('a mistake in the options is told at once', async () => {
  await assert.rejects(checkServer(small(), { revision: '2025-11-25' } as never), /no option "revision"/);
  await assert.rejects(checkServer(small(), { revisions: ['2025-11-24' as never] }), /unknown revision "2025-11-24"/);
  await assert.rejects(checkServer('localhost'), /"localhost" is none/);
  // A test of a server that judges nothing would find nothing.
  await assert.rejects(checkServer(small(), { only: ['tools', 'tool'] }), /no row or area "tool" exists/);
});

test('an answer of which no more is read is told as that, and a silent server is waited for as long as was said, or wished', async (t) => {
  let isSilent = false;
  const http = createServerOfHttp((_, response) => void (isSilent || response.end('a'.repeat(5_000_000))));
  http.listen(0, '127.0.0.1');
  t.after(() => http.closeAllConnections());
  t.after(() => http.close());
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const revisions = ['2025-11-25'] as const;
  const large = await checkServer(url, { revisions });
  assert.deepEqual(
    large.revisions[0]?.why,
    'HTTP 200 with more than 2 MiB, of which no more is read; is it the URL of an MCP server?',
  );
  isSilent = true;
  const options = { revisions, timeoutMs: 100 };
  let requests = 0;
  http.on('request', () => requests++);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = checkServer(url, { ...options, signal: AbortSignal.timeout(20_000) });
  // Every revision opens a conversation, of which the others say what is right in this one.
  while (requests < 5) await setImmediate();
  t.mock.timers.tick(100);
  assert.equal((await silent).revisions[0]?.why, 'silence');
  const ending = new AbortController();
  const ended = checkServer(url, { ...options, signal: ending.signal });
  while (requests < 10) await setImmediate();
  ending.abort(new Error('enough'));
  await assert.rejects(ended, /enough/);
});
