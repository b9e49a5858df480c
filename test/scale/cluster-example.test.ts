/** `npm run lab -- cluster`, as whoever tries it first starts and ends it. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import { freePort, missing } from '../support/engines.ts';
import { root } from '../support/sources.ts';
import { stuckAfterMs } from '../support/stuck.ts';

const skip = missing('redis-server');

function started(t: TestContext, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [join(root, 'examples/cluster/start.ts')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGTERM'));
  return child;
}

test('one command starts a service of three processes, and its end ends all of them', { skip }, async (t) => {
  const child = started(t, { PORT: '0', REDIS_PORT: String(await freePort()) });
  child.stderr.resume();
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const client = await connect(url, { revisions: ['2025-11-25'] });
  const answered = new Set<string>();
  for (let call = 0; call < 6; call++) answered.add(JSON.stringify((await client.callTool('where')).content));
  assert.equal(answered.size, 3);
  await client.close();
  child.kill('SIGTERM');
  // What it started holds its output open as long as it lives.
  assert.deepEqual(await once(child, 'close'), [0, null]);
});

test('a port that is in use ends the start, says so, and leaves nothing running', { skip }, async (t) => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  t.after(() => holder.close());
  const port = String((holder.address() as { readonly port: number }).port);
  for (const [env, words] of [
    [{ PORT: port, REDIS_PORT: String(await freePort()) }, /EADDRINUSE.*:\d+/],
    [{ PORT: '0', REDIS_PORT: port }, /redis-server ended before it was ready: [^]*in use/],
  ] as const) {
    const child = started(t, env);
    child.stdout.resume();
    const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assert.equal(child.exitCode, 1);
    assert.match(said, words);
  }
});

test('whoever ends npm ends what it started', { skip }, async (t) => {
  const env = { ...process.env, PORT: '0', REDIS_PORT: String(await freePort()) };
  const npm = spawn('npm', ['run', '--silent', 'lab', '--', 'cluster'], { cwd: root, env, detached: true });
  const group = -Number(npm.pid);
  t.after(() => {
    // Nothing is left of the group where all is well.
    try {
      process.kill(group, 'SIGTERM');
    } catch {}
  });
  npm.stderr.resume();
  await once(createInterface({ input: npm.stdout }), 'line');
  npm.kill('SIGTERM');
  // What it started holds its output open as long as it lives.
  await once(npm, 'close', { signal: AbortSignal.timeout(stuckAfterMs) });
});
