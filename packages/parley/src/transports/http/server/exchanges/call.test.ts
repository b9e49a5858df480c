/** One request on its way: what it takes, and gives back once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpCall } from './call.ts';

/** A request, the counts of its server, and what its owner was told. */
function scene(send: () => void = () => undefined) {
  const counts = { serving: 0, admitted: 1, bytes: 0 };
  const log: string[] = [];
  const context = {
    serving: { enter: () => counts.serving++, leave: () => counts.serving-- },
    admitted: { leave: () => counts.admitted--, rejoin: () => counts.admitted++ },
    bodies: {
      take: (bytes: number) => (bytes < 9 ? void (counts.bytes += bytes) : 'all'),
      give: (bytes: number) => (counts.bytes -= bytes),
    },
    settings: { onError: ({ message, cause }: Error) => log.push(`${message}: ${(cause as Error).message}`) },
  };
  const reply = { closed: false, send, destroy: () => log.push('destroyed') };
  const request = { method: 'POST', header: () => undefined };
  const place = { client: {}, beyond: undefined };
  return { call: new HttpCall(request as never, reply as never, { context, place } as never), counts, log };
}

test('a request gives back what it took when it ends, once', () => {
  const { call, counts } = scene();
  assert.equal(call.take(5), true);
  assert.equal(call.take(9), false);
  assert.deepEqual(counts, { serving: 1, admitted: 1, bytes: 5 });
  call.end();
  call.end();
  assert.deepEqual([counts, call.ended], [{ serving: 0, admitted: 0, bytes: 0 }, true]);
  assert.equal(call.take(5), false);
});

test('a request counts again once, while it is answered', () => {
  const { call, counts } = scene();
  call.comeBack();
  assert.equal(counts.admitted, 1);
  call.leave();
  call.leave();
  assert.equal(counts.admitted, 0);
  call.comeBack();
  call.comeBack();
  assert.equal(counts.admitted, 1);
  call.end();
  call.comeBack();
  assert.equal(counts.admitted, 0);
});

test('a request ends with the work that is done for it, unless it is kept', async () => {
  const [now, later, kept, failing] = [scene(), scene(), scene(), scene()];
  now.call.until(undefined);
  assert.equal(now.call.ended, true);
  let done!: () => void;
  later.call.until(new Promise<void>((resolve) => (done = resolve)));
  assert.equal(later.call.ended, false);
  done();
  kept.call.keep();
  kept.call.until(Promise.resolve());
  failing.call.until(Promise.reject(new Error('x')));
  await new Promise(setImmediate);
  assert.deepEqual([later.call.ended, kept.call.ended, failing.call.ended], [true, false, true]);
  assert.deepEqual(failing.log, ['a request could not be answered: x']);
});

test('a request that cannot be answered with 500 either is told, and its connection ends', () => {
  const { call, counts, log } = scene(() => {
    throw new Error('no socket');
  });
  call.fail(new Error('x'));
  assert.deepEqual(log, [
    'a request could not be answered: x',
    'a request could not be answered with 500 either: no socket',
    'destroyed',
  ]);
  assert.deepEqual([call.ended, counts.serving], [true, 0]);
});
