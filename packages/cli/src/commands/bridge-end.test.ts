/** The end of a bridge that a host started: real processes, closed by a real client. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../../parley/src/client.ts';
import { parley } from '../../../../test/support/cli-process.ts';
import { spawnNode } from '../../../../test/support/programs.ts';
import { isGone } from '../../../../test/support/is-gone.ts';

/** A server that never answers a call, and that neither the end of its input nor SIGTERM ends. */
const stubborn = [
  process.execPath,
  '-e',
  `process.stderr.write('[pid ' + process.pid + ']');
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: 'stubborn', version: '1' };
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
      'tools/list': { tools: [{ name: 'slow', inputSchema: { type: 'object' } }] },
    };
    if (method === 'tools/call') process.stderr.write('[called]');
    else if (id !== undefined) {
      const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no' } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    }
  });`,
] as const;

for (const kind of ['single', 'merged'] as const) {
  test(`leaves no stubborn server behind when a host closes it during a call (${kind})`, async (t) => {
    const pids: number[] = [];
    let called = (): void => {};
    const running = new Promise<void>((resolve) => (called = resolve));
    const folder = mkdtempSync(join(tmpdir(), 'parley-end-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const config = join(folder, 'servers.json');
    const [command, ...args] = stubborn;
    writeFileSync(config, JSON.stringify({ mcpServers: { one: { command, args } } }));
    const target = kind === 'single' ? ['--', ...stubborn] : ['--config', config];
    const host = spawnNode([parley, 'bridge', '--stdio', ...target], {
      onStderr: (text) => {
        for (const [, pid] of text.matchAll(/\[pid (\d+)\]/g)) pids.push(Number(pid));
        if (text.includes('[called]')) called();
      },
    });
    const client = await connect(host);
    const call = client.callTool('slow').catch(() => undefined);
    await running;
    await client.close();
    await call;
    assert.ok(pids.length > 0);
    for (const pid of pids) assert.ok(await isGone(pid), `${pid} lives on`);
  });
}
