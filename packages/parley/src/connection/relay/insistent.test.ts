import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Bus } from '../../storage/bus.ts';
import { insistent, type InsistentBus } from './insistent.ts';

/** A bus whose channels are heard or not, and what was published on it. */
function scene(t: TestContext): {
  bus: InsistentBus;
  sent: string[];
  deaf: Set<string>;
  pass(ms: number): Promise<void>;
} {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent: string[] = [];
  const deaf = new Set<string>();
  const publish: Bus['publish'] = async (channel, text) => {
    sent.push(text);
    return deaf.has(channel) ? 0 : 1;
  };
  const pass = async (ms: number): Promise<void> => {
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { bus: insistent({ publish, subscribe: () => () => undefined }), sent, deaf, pass };
}

test('what nobody hears is said once more, and what comes meanwhile after it', async (t) => {
  const { bus, sent, deaf, pass } = scene(t);
  deaf.add('a');
  const first = bus.publish('a', 'first');
  await pass(0);
  const second = bus.publish('a', 'second');
  assert.equal(await bus.publish('b', 'other'), 1);
  deaf.clear();
  await pass(249);
  assert.deepEqual(sent, ['first', 'other']);
  await pass(51);
  assert.deepEqual(await Promise.all([first, second]), [1, 1]);
  assert.deepEqual(sent, ['first', 'other', 'first', 'second']);
});

test('what was on its way behind what nobody heard comes after it too', async (t) => {
  const { bus, sent, deaf, pass } = scene(t);
  deaf.add('a');
  const [first, second] = [bus.publish('a', 'first'), bus.publish('a', 'second')];
  await Promise.resolve();
  deaf.clear();
  await pass(0);
  assert.deepEqual(sent, ['first']);
  await pass(300);
  assert.deepEqual(await Promise.all([first, second]), [1, 1]);
  assert.deepEqual(sent, ['first', 'first', 'second']);
});

test('who is not heard then either is not there', async (t) => {
  const { bus, sent, deaf, pass } = scene(t);
  deaf.add('a');
  const heard = bus.publish('a', 'text');
  await pass(0);
  await pass(300);
  assert.equal(await heard, 0);
  assert.equal(sent.length, 2);
});

const long = 'x'.repeat(9 * 1024 * 1024);

test('what there is no room for is not waited with, and comes after what waits', async (t) => {
  const { bus, sent, deaf, pass } = scene(t);
  deaf.add('a');
  const first = bus.publish('a', `first ${long}`);
  await pass(0);
  const second = bus.publish('a', `second ${long}`);
  assert.deepEqual(await Promise.all([first, second]), [0, 0]);
  assert.deepEqual(sent.map(beginning), ['first', 'first', 'second']);
  // There is room again.
  const later = bus.publish('a', long);
  await pass(0);
  deaf.clear();
  await pass(300);
  assert.equal(await later, 1);
});

test('what there is no room for on a channel where nothing waits is said once', async (t) => {
  const { bus, sent, deaf, pass } = scene(t);
  deaf.add('a').add('b');
  const first = bus.publish('a', `first ${long}`);
  await pass(0);
  assert.equal(await bus.publish('b', `other ${long}`), 0);
  assert.deepEqual(sent.map(beginning), ['first', 'other']);
  deaf.clear();
  await pass(300);
  assert.equal(await first, 1);
});

/** Short enough to be shown where a test fails. */
function beginning(text: string): string | undefined {
  return text.split(' ', 1)[0];
}

test('what waits is said at once when its process closes, and later nothing waits', async (t) => {
  const { bus, sent, deaf, pass } = scene(t);
  deaf.add('a');
  const waiting = bus.publish('a', 'waits');
  await pass(0);
  bus.close();
  assert.equal(await waiting, 0);
  assert.equal(await bus.publish('a', 'late'), 0);
  assert.deepEqual(sent, ['waits', 'waits', 'late']);
});

test('what was on its way when its process closed does not wait', async (t) => {
  const { bus, sent, deaf } = scene(t);
  deaf.add('a');
  const onItsWay = bus.publish('a', 'text');
  bus.close();
  assert.equal(await onItsWay, 0);
  assert.deepEqual(sent, ['text']);
});

test('what is said in the turn in which its process closes comes after what waits', async (t) => {
  const { bus, sent, deaf, pass } = scene(t);
  deaf.add('a');
  const waiting = bus.publish('a', 'waits');
  await pass(0);
  bus.close();
  const last = bus.publish('a', 'last');
  assert.deepEqual(await Promise.all([waiting, last]), [0, 0]);
  assert.deepEqual(sent, ['waits', 'waits', 'last']);
});
