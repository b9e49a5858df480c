/** A recording of real conversations: over HTTP with a guarded header, and with a process. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../packages/parley/src/client.ts';
import { httpTransport } from '../packages/parley/src/http.ts';
import { listen, nodeFetch } from '../packages/parley/src/node.ts';
import { createServer } from '../packages/parley/src/server.ts';
import { spawn } from '../packages/parley/src/stdio.ts';
import { readRecording, recordTo } from '../packages/cli/src/recorder/file.ts';
import { createLog } from '../packages/cli/src/recorder/log.ts';
import { tapHttp } from '../packages/cli/src/recorder/tap-http.ts';
import { tapLines } from '../packages/cli/src/recorder/tap-lines.ts';

const secret = 'planted-0123456789-secret';
const clock = { now: () => performance.timeOrigin + performance.now() };

test('a recording of a conversation over HTTP pairs every request, and has no credential', async (t) => {
  const server = createServer({ name: 'weather', version: '1.0.0' });
  server.tool('echo', { description: 'Says it again.' }, () => `you sent Bearer ${secret}`);
  const listening = await listen(server, { port: 0 });
  t.after(() => listening.close());
  const folder = mkdtempSync(join(tmpdir(), 'parley-recording-'));
  t.after(() => rmSync(folder, { recursive: true }));

  const log = createLog({ server: 'weather', ...clock });
  const path = join(folder, 'a.ndjson');
  const file = await recordTo(path);
  file.add(log);
  const fetch = tapHttp(nodeFetch(), { recorder: log, connection: log.connect() });
  const client = await connect(httpTransport(listening.url, { fetch, headers: { Authorization: `Bearer ${secret}` } }));
  await client.callTool('echo', {});
  await client.close();
  await file.close();

  assert.equal(JSON.stringify(log.since(0)).includes(secret), false);
  assert.equal(readFileSync(path, 'utf8').includes(secret), false);
  const { entries } = await readRecording(path);
  const call = entries.find(({ method, from }) => method === 'tools/call' && from === 'client');
  const answer = entries.find(({ sequence }) => sequence === call?.pair);
  assert.equal(call?.http?.headers['authorization'], 'Bearer •••');
  assert.match(answer?.text ?? '', /you sent Bearer •••/);
  assert.deepEqual([answer?.http?.status, answer?.exchange], [200, call?.sequence]);
  assert.ok(answer?.http?.headers['date'], 'all headers are there');
  assert.equal(call?.revision, client.revision);
});

test('a recording of a process has its lines, what is not JSON, its standard error and its end', async () => {
  const script = `
    console.log('Server started');
    console.error('warning');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, params } = JSON.parse(line);
      if (id === undefined) return;
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'a', version: '1' } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }).on('close', () => process.exit(7));
  `;
  const log = createLog({ server: 'a', ...clock });
  const tap = tapLines(log);
  const transport = tap.listen(spawn(process.execPath, ['-e', script], { onStderr: tap.onStderr }));
  const client = await connect(transport, { revisions: ['2025-06-18'], onWarning: () => {} });
  await client.close();
  const entries = log.since(0);
  const request = entries.find(({ method }) => method === 'initialize');
  assert.equal(entries.find(({ sequence }) => sequence === request?.pair)?.revision, '2025-06-18');
  assert.ok(entries.some(({ text, problem }) => text === 'Server started' && problem !== undefined));
  assert.ok(entries.some(({ lane, text }) => lane === 'stderr' && text?.includes('warning')));
  assert.deepEqual(entries.find(({ exit }) => exit !== undefined)?.exit, { code: 7, signal: null });
});
