import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../test/support/turns.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { deliver } from './deliver.ts';

/** A peer that says once to come back after a while. */
function busy(retryAfterMs: number): { tries: number; send(): Promise<void> } {
  return {
    tries: 0,
    async send() {
      this.tries++;
      if (this.tries === 1) throw new ConnectionError('http', 'HTTP 503', { status: 503, retryAfterMs });
    },
  };
}

for (const [asked, ms] of [
  [5_000, 5_000],
  [24 * 60 * 60_000, 60_000],
  [Infinity, 60_000],
] as const) {
  test(`an answer that its peer wants ${asked} ms later is sent after ${ms} ms`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const peer = busy(asked);
    const delivered = deliver({ send: () => peer.send(), lives: () => true });
    await turns();
    context.mock.timers.tick(ms - 1);
    await turns();
    assert.equal(peer.tries, 1);
    context.mock.timers.tick(1);
    await delivered;
    assert.equal(peer.tries, 2);
  });
}

test('an answer that is given up ends its pause at once', async () => {
  const controller = new AbortController();
  const peer = busy(60_000);
  const waiting = deliver({
    send: () => peer.send(),
    lives: () => !controller.signal.aborted,
    signal: controller.signal,
  });
  await turns();
  controller.abort();
  await assert.rejects(waiting, { status: 503 });
  assert.equal(peer.tries, 1);
});
