import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { test, type TestContext } from 'node:test';
import { PendingRequest, type WaitOptions } from './pending.ts';

/** A request whose time passes by hand. */
function pendingIn(t: TestContext, options: WaitOptions): { pending: PendingRequest; pass(ms: number): void } {
  let now = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => now);
  const pending = new PendingRequest({ id: 1, method: 'tools/call', token: undefined }, options, {
    over: () => undefined,
    givenUp: () => undefined,
  });
  return {
    pending,
    pass(ms) {
      now += ms;
      t.mock.timers.tick(ms);
    },
  };
}

test('the longest time stands still while a person is asked, and goes on after it', async (t) => {
  const { pending, pass } = pendingIn(t, { maxTotalTimeoutMs: 1_000 });
  const answer = assert.rejects(pending.answer, /tools\/call was not answered within 1000 ms/);
  let isOver = false;
  void answer.then(() => (isOver = true));
  for (const _ of [1, 2]) {
    pass(400);
    pending.waiting(true);
    pass(60_000);
    pending.waiting(false);
  }
  pass(199);
  await Promise.resolve();
  assert.equal(isOver, false);
  pass(1);
  await answer;
});

test('the time that nothing is heard begins anew after a person was asked', async (t) => {
  const { pending, pass } = pendingIn(t, { timeoutMs: 1_000 });
  const answer = assert.rejects(pending.answer, { reason: 'timeout' });
  let isOver = false;
  void answer.then(() => (isOver = true));
  pass(900);
  pending.waiting(true);
  pass(60_000);
  pending.waiting(false);
  pass(999);
  await Promise.resolve();
  assert.equal(isOver, false);
  pass(1);
  await answer;
});

test('the time in which a person is asked is told to who counts the time of several attempts', (t) => {
  const still = { ms: 0 };
  const { pending, pass } = pendingIn(t, { maxTotalTimeoutMs: 1_000, still });
  pending.answer.catch(() => undefined);
  pass(100);
  pending.waiting(true);
  pass(3_000);
  pending.waiting(false);
  pending.waiting(true);
  pass(4_000);
  pending.settle(new Error('the connection is lost'));
  assert.equal(still.ms, 7_000);
});

test('a process lives long enough to tell that a request was not answered in time', () => {
  const source = `import { PendingRequest } from ${JSON.stringify(new URL('pending.ts', import.meta.url).href)};
    const owner = { over() {}, givenUp() {} };
    const pending = new PendingRequest({ id: 1, method: 'tools/call' }, { timeoutMs: 1, keepsAlive: true }, owner);
    await pending.answer.catch((error) => console.log(error.message));`;
  const said = execFileSync(execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
  assert.equal(said, 'tools/call was not answered within 1 ms (timeoutMs)\n');
});
