/** A call that another process holds, as the process sees it to which the client came back. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import type { Bus } from '../../../storage/bus.ts';
import { takeElsewhere } from './call-resumer.ts';

/** A bus that keeps what is published on it, and over which a test answers. */
function busOf(options: Partial<Bus> = {}) {
  const told: string[] = [];
  const open = new Set<string>();
  let hear: (text: string) => void = () => undefined;
  const bus: Bus = {
    subscribe: (channel, hears) => {
      hear = hears;
      open.add(channel);
      return () => void open.delete(channel);
    },
    publish: (channel, text) => {
      const { kind, round } = JSON.parse(text) as { readonly kind: string; readonly round?: number };
      told.push([channel, kind, round ?? ''].join(' ').trim());
    },
    ...options,
  };
  const reply = (value: unknown): void => hear(typeof value === 'string' ? value : JSON.stringify(value));
  return { bus, told, open, reply };
}

async function take(over: Partial<Bus> = {}, signal: AbortController = new AbortController()) {
  const sent: unknown[] = [];
  const { bus, ...rest } = busOf(over);
  const resumer = { meta: {}, signal: signal.signal, send: (...words: unknown[]) => void sent.push(words) } as never;
  const outcome: { is?: unknown; error?: string } = {};
  void takeElsewhere(bus, { id: 'a', round: 2 }, { responses: {}, resumer }).then(
    (standing) => (outcome.is = standing ?? 'nobody'),
    (error: unknown) => (outcome.error = String(error)),
  );
  await turns();
  return { ...rest, sent, outcome, signal };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await settle();
}

function clock(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return async (ms) => {
    t.mock.timers.tick(ms);
    await turns();
  };
}

test('a call that nobody holds is given up when no process hears of it', async () => {
  const { outcome, open, told } = await take({ publish: () => 0 });
  assert.deepEqual([outcome, open.size, told], [{ is: 'nobody' }, 0, []]);
});

test('a call of which nobody speaks is given up after one beat', async (t) => {
  const pass = clock(t);
  const { outcome, told, open } = await take({});
  assert.deepEqual(told, ['parley/parked/a take 2']);
  await pass(4_999);
  assert.deepEqual([outcome, open.size], [{}, 1]);
  await pass(1);
  assert.deepEqual([outcome, open.size], [{ is: 'nobody' }, 0]);
});

test('a holder that falls silent for 15 seconds is gone, and each word of it counts', async (t) => {
  const pass = clock(t);
  const { outcome, reply } = await take();
  await pass(4_999);
  reply({ kind: 'alive' });
  await pass(14_999);
  for (const text of ['no JSON', '[]', '{"no":"kind"}']) reply(text);
  assert.deepEqual(outcome, {});
  reply({ kind: 'alive' });
  await pass(14_999);
  assert.deepEqual(outcome, {});
  await pass(1);
  assert.match(outcome.error ?? '', /the process of the call has ended/);
});

test('what the holder answers ends the wait, and notifications do not', async () => {
  const standing = { kind: 'complete', result: {} };
  const cases: readonly (readonly [object, object])[] = [
    [{ kind: 'past' }, { is: 'nobody' }],
    [{ kind: 'standing', standing }, { is: standing }],
    [{ kind: 'error', name: 'invalidParams', code: 7, message: 'no' }, { error: 'McpError: no' }],
    [{ kind: 'error', code: 7, message: 'seven' }, { error: 'McpError: seven' }],
  ];
  for (const [answer, expected] of cases) {
    const { outcome, reply, open, sent, signal, told } = await take();
    reply({ kind: 'notification', method: 'x', params: { a: 1 } });
    await turns();
    assert.deepEqual([outcome, sent], [{}, [['x', { a: 1 }]]]);
    reply(answer);
    await turns();
    assert.deepEqual([outcome, open.size, getEventListeners(signal.signal, 'abort').length], [expected, 0, 0]);
    signal.abort();
    await turns();
    assert.deepEqual(told, ['parley/parked/a take 2']);
  }
});

test('a wait that is over leaves no timer', async (t) => {
  const pending = new Set<unknown>();
  t.mock.method(globalThis, 'setTimeout', (run: () => void) => (pending.add(run), run));
  t.mock.method(globalThis, 'clearTimeout', (run: () => void) => void pending.delete(run));
  const { reply } = await take();
  assert.equal(pending.size, 1);
  reply({ kind: 'alive' });
  assert.equal(pending.size, 1);
  reply({ kind: 'past' });
  await turns();
  assert.equal(pending.size, 0);
});

test('the holder hears that the request was cancelled, before and after it took the call', async () => {
  const [take2, leave] = ['parley/parked/a take 2', 'parley/parked/a leave'];
  const { told, signal } = await take();
  signal.abort();
  await turns();
  assert.deepEqual(told, [take2, leave]);
  const before = new AbortController();
  before.abort();
  assert.deepEqual((await take({}, before)).told, [take2, leave]);
});

test('a bus that fails ends the wait with its error', async () => {
  const fail = (): never => {
    throw new Error('no bus');
  };
  for (const over of [{ subscribe: fail }, { publish: fail }])
    assert.deepEqual((await take(over)).outcome, { error: 'Error: no bus' });
  // The holder cannot be told, and nobody waits for that.
  let count = 0;
  const once = (): void => void (++count > 1 && fail());
  const { signal, outcome } = await take({ publish: once });
  signal.abort();
  await turns();
  assert.deepEqual([count, outcome], [2, {}]);
});
