import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../../test/support/turns.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { deliver, inTime } from './deliver.ts';

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

test('an answer is sent again after 250 ms, then twice that each time, 10 seconds at most', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let tries = 0;
  const refused = new ConnectionError('refused', 'not reached');
  const delivered = assert.rejects(
    deliver({
      send: async () => {
        tries++;
        throw refused;
      },
      lives: (count) => count < 8,
    }),
    refused,
  );
  await turns();
  for (const [index, ms] of [250, 500, 1000, 2000, 4000, 8000, 10_000].entries()) {
    context.mock.timers.tick(ms - 1);
    await turns();
    assert.equal(tries, index + 1);
    context.mock.timers.tick(1);
    await turns();
  }
  await delivered;
  assert.equal(tries, 8);
});

test('an answer that lives no more after the pause is not sent again', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let lives = true;
  const peer = busy(0);
  const delivered = assert.rejects(deliver({ send: () => peer.send(), lives: () => lives }), { status: 503 });
  await turns();
  lives = false;
  context.mock.timers.tick(250);
  await delivered;
  assert.equal(peer.tries, 1);
});

test('what fails for good is not sent again, and a signal that was aborted before ends the pause', async () => {
  const final = new ConnectionError('http', 'HTTP 400', { status: 400 });
  let tries = 0;
  const send = async (): Promise<void> => {
    tries++;
    throw final;
  };
  await assert.rejects(deliver({ send, lives: () => true }), final);
  assert.equal(tries, 1);
  const peer = busy(60_000);
  await deliver({ send: () => peer.send(), lives: () => true, signal: AbortSignal.abort() });
  assert.equal(peer.tries, 2);
});

for (const ms of [0, Infinity, 100])
  test(`a send of at most ${ms} ms is ${ms === 100 ? 'aborted then' : 'not limited'}`, async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let [isOver, taken] = [false, (): void => {}];
    let given: AbortSignal | undefined;
    const sent = inTime(ms, (signal) => {
      given = signal;
      return new Promise((resolve) => (taken = resolve));
    });
    const outcome = sent.then(
      () => 'taken',
      (error: Error) => error.message,
    );
    void outcome.then(() => (isOver = true));
    context.mock.timers.tick(99);
    await turns();
    assert.equal(isOver, false);
    context.mock.timers.tick(1);
    await turns();
    assert.deepEqual([isOver, given?.aborted], [ms === 100, ms === 100]);
    taken();
    assert.equal(await outcome, ms === 100 ? 'a message was not taken within 100 ms' : 'taken');
  });
