/** What is printed of a server that answered the first question too late: clocks of the test, and a real process. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { passing, until } from '../../../../test/support/turns.ts';
import { run } from './run.ts';

/**
 * A server that answers `server/discover` once it was asked to `initialize`, as one does that took long to start. It
 * makes a file when it has the question: what a process writes first is held back until clocks of the test go on.
 */
const slow = (asked: string): readonly string[] => [
  process.execPath,
  '-e',
  `let probe;
  process.on('SIGTERM', () => process.exit());
  const answer = (id, result) => JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n';
  const say = (id, result) => process.stdout.write(answer(id, result));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'server/discover') {
      probe = id;
      require('node:fs').writeFileSync(${JSON.stringify(asked)}, '');
    }
    if (method === 'tools/list') say(id, { tools: [{ name: 'hi', inputSchema: { type: 'object' } }] });
    if (method === 'tools/call') say(id, { content: [{ type: 'text', text: 'hello' }] });
    if (method !== 'initialize') return;
    const serverInfo = { name: 'slow', version: '1' };
    const capabilities = { tools: {} };
    const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const late = probe && answer(probe, { supportedVersions: ['2026-07-28'], capabilities, serverInfo, ...fresh });
    // Both in one chunk, so that the client has one when it reads the other.
    process.stdout.write(answer(id, { protocolVersion: '2025-11-25', capabilities, serverInfo }) + (late ?? ''));
  });`,
];

/** Runs a command line, and lets the time of the first question pass once the server has it. */
async function ran(
  t: TestContext,
  argv: (server: readonly string[]) => readonly string[],
  input: readonly object[],
  done: RegExp,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-late-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const asked = join(folder, 'asked');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let printed = '';
  for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)));
  const stop = new AbortController();
  const code = run(argv(slow(asked)), { stdin, stdout, stderr, env: {}, signal: stop.signal });
  for (const message of input) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await until(() => existsSync(asked));
  t.mock.timers.tick(8_000);
  // The process of a session is asked again, since the late answer names another version.
  const tick = (): void => t.mock.timers.tick(100);
  await passing(() => done.test(printed), tick);
  stdin.end();
  stop.abort();
  let isOver = false;
  void code.catch(() => undefined).finally(() => (isOver = true));
  await passing(() => isOver, tick);
  return printed;
}

const warning =
  /is spoken to in 2025-11-25, since the probe failed \(server\/discover was not answered within 8000 ms .*\); its answer came later: --revision 2026-07-28 gives it that time \(in a bridge --upstream-revision\)/;

test('call warns that the first question timed out, and how to wait for the answer', async (t) => {
  const printed = await ran(t, (server) => ['call', '--', ...server, '--', 'hi'], [], /hello/);
  assert.match(printed, warning);
});

test('bridge warns that the first question timed out, and how to wait for the answer', async (t) => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const input = [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ];
  const printed = await ran(t, (server) => ['bridge', '--stdio', '--', ...server], input, /"id":2,"result".*"hi"/);
  assert.match(printed, warning);
});
