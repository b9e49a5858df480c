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
import { orphans, stubborn } from '../../../../test/support/orphans.ts';

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

// `node scripts/orphans.ts` does it 200 times.
test('leaves no stubborn server behind on a busy machine, however often a host closes it', async () => {
  const { started, left } = await orphans(4, 2, 2);
  assert.ok(started >= 4, `${started} servers were started`);
  assert.equal(left, 0);
});
