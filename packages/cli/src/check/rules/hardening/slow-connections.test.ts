import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openSlowly } from './slow-connections.ts';

/** Listens with the shortest queue, and accepts nothing. */
const deaf = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen(0, '127.0.0.1', 1, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });`;

test('connections that a server neither accepts nor refuses wait, and count as no opened ones', async (t) => {
  const worker = new Worker(deaf, { eval: true });
  t.after(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const slow = await openSlowly(new URL(`http://127.0.0.1:${port}/mcp`), 20, 50);
  assert.equal(slow.opened + slow.waiting, 20);
  assert.ok(slow.waiting >= 10, `${slow.waiting} wait`);
  slow.close();
  assert.deepEqual([slow.opened, slow.waiting], [0, 0]);
});
