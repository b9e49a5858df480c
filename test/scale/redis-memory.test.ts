import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type Client } from '../../packages/parley/src/client.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { redis } from '../../packages/parley/src/redis.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { missing } from '../support/engines.ts';
import { startNode } from '../support/redis-nodes.ts';

const sessions = 60;
const answer = 'x'.repeat(1_000_000);
/** docs/operations.md: events of one owner, in characters. Each is one byte here. */
const maxOfOwner = 32 * 1024 * 1024;
/** Keys, leases and records of sessions, and what Redis adds to each value. */
const beside = 4 * 1024 * 1024;

test(
  `the streams of ${sessions} sessions of one address, 1 MB each, leave at most 32 MiB in Redis`,
  { skip: missing('redis-server') },
  async (t) => {
    const node = await startNode();
    t.after(() => node.stop());
    const used = async (): Promise<number> => {
      const [, bytes = assert.fail()] =
        /^used_memory_dataset:(\d+)/m.exec(String(await node.send('INFO', 'memory'))) ?? [];
      return Number(bytes);
    };
    const store = redis(`redis://127.0.0.1:${node.port}`, { name: 'memory' });
    const server = createServer(
      { name: 'service', version: '1' },
      { store, rounds: { keys: [new Uint8Array(32).fill(7)] } },
    );
    server.tool('much', {}, (_, ctx) => {
      ctx.progress(1, 2);
      return answer;
    });
    const errors = new Set<string>();
    const { url, close } = await listen(server, { port: 0, onError: ({ message }) => errors.add(message) });
    const clients: Client[] = [];
    t.after(async () => {
      await Promise.all(clients.map((client) => client.close()));
      await close();
      await server.close();
      await store.close();
    });
    const before = await used();
    for (let session = 0; session < sessions; session++) {
      const client = await connect(url, { revisions: ['2025-11-25'] });
      const { content } = await client.callTool('much', {}, { onProgress: () => undefined });
      assert.deepEqual(content, [{ type: 'text', text: answer }]);
      clients.push(client);
    }
    const left = (await used()) - before;
    assert.ok(left > maxOfOwner / 2, `only ${left} bytes are kept, so nothing is bounded`);
    assert.ok(left < maxOfOwner + beside, `${left} bytes are kept`);
    assert.deepEqual([...errors], ['a stream cannot be resumed: its owner keeps too many events in the store']);
  },
);
