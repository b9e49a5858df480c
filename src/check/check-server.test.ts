import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../server.ts';
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
});

test('a mistake in the options is told at once', async () => {
  await assert.rejects(checkServer(small(), { revision: '2025-11-25' } as never), /no option "revision"/);
  await assert.rejects(checkServer(small(), { revisions: ['2025-11-24' as never] }), /unknown revision "2025-11-24"/);
  await assert.rejects(checkServer('localhost'), /"localhost" is none/);
});
