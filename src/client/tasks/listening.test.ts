import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { playing, type Played } from '../../../test/support/played-tasks.ts';

const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
const working = { taskId: 'a', status: 'working', ...times, ttlMs: null };

/** A server that acknowledges each listen request, and ends its stream after a time. */
async function ending(t: TestContext, afterMs: number): Promise<Played> {
  return await playing(t, {
    'tools/call': () => ({ resultType: 'task', ...working }),
    'tasks/get': () => working,
    'subscriptions/listen': ({ notifications }, peer, sent) => {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': sent.message['id'] };
      const method = 'notifications/subscriptions/acknowledged';
      peer.send({ jsonrpc: '2.0', method, params: { notifications, _meta } } as never);
      setTimeout(() => peer.reply(sent, { resultType: 'complete' }), afterMs);
      return undefined;
    },
  });
}

/** Times between the listen requests. */
function gaps({ asked }: Played): readonly number[] {
  const at = asked.filter(({ method }) => method === 'subscriptions/listen').map((one) => one.at);
  return at.slice(1).map((time, index) => time - (at[index] ?? 0));
}

test('a stream of tasks that ends as soon as it is acknowledged is asked for more and more seldom', async (t) => {
  const one = await ending(t, 10);
  one.client.callTool('t').catch(() => undefined);
  await one.pass(300_000);
  const between = gaps(one);
  // After 1, 2, 4, 8, 16 and then each 30 seconds.
  assert.ok(between.length >= 10 && between.length <= 15, `${between.length}`);
  assert.ok(Math.min(...between.slice(5)) >= 30_000, between.join());
});

test('a stream of tasks that stood for a while is asked for again soon, however often that was', async (t) => {
  const one = await ending(t, 20_000);
  one.client.callTool('t').catch(() => undefined);
  await one.pass(300_000);
  assert.ok(gaps(one).length >= 10, `${gaps(one).length}`);
  assert.ok(Math.max(...gaps(one)) <= 22_000, gaps(one).join());
});
