/** One resource that a session watches, while the streams that follow it end. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import type { Subscription } from '../../client/api/subscription.ts';
import { McpError } from '../../protocol/error.ts';
import { SessionWatch } from './session-watch.ts';

interface Opened {
  readonly signal: AbortSignal;
  onMissed(): void;
  /** The upstream agrees, to nothing where it is told so. */
  agree(uris?: readonly string[]): void;
  refuse(error: Error): void;
  /** The stream ends. */
  end(): void;
}

function watching(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const opened: Opened[] = [];
  const log: string[] = [];
  const state = { isLast: false };
  const watch = new SessionWatch({
    uri: 'memo:1',
    open: (onMissed, signal) =>
      new Promise((resolve, reject) => {
        const at = opened.length;
        let end: () => void = () => undefined;
        const closed = new Promise<void>((resolve) => (end = resolve));
        const close = async (): Promise<void> => {
          await Promise.resolve();
          log.push(`closed ${at}`);
          end();
        };
        signal.addEventListener('abort', () => reject(new Error('given up')));
        opened.push({
          signal,
          onMissed,
          agree: (updates = ['memo:1']) => resolve({ honored: { updates }, closed, close } as unknown as Subscription),
          refuse: reject,
          end,
        });
      }),
    isLast: () => state.isLast,
    onMissed: () => void log.push('missed'),
    onEnd: () => void log.push('over'),
    onWarning: (message) => void log.push(message),
    random: () => 0,
  });
  const last = (): Opened => opened.at(-1) ?? assert.fail('nothing was opened');
  return {
    watch,
    opened,
    log,
    state,
    last,
    async pass(ms: number) {
      await settle();
      now += ms;
      t.mock.timers.tick(ms);
      await settle();
    },
    /** The stream that is open now ends after a while. */
    async endAfter(ms: number) {
      await settle();
      now += ms;
      last().end();
      await settle();
    },
  };
}

const forever = new AbortController().signal;

describe('a session that watches a resource', () => {
  test('is told whether the server agreed', async (t) => {
    for (const [updates, agreed] of [
      [['memo:1'], true],
      [['memo:2'], false],
      [[], false],
    ] as const) {
      const { watch, last } = watching(t);
      const answer = watch.agreed(forever);
      last().agree(updates);
      assert.equal(await answer, agreed);
      t.mock.reset();
    }
  });

  test('follows a stream again after 1 s, 2 s and 4 s, and after 1 s again once one lasted', async (t) => {
    const { opened, log, last, pass, endAfter } = watching(t);
    last().agree();
    for (const [lasted, rest] of [
      [0, 1_000],
      [0, 2_000],
      [29_999, 4_000],
      [30_000, 1_000],
      [0, 2_000],
    ] as const) {
      const before = opened.length;
      await endAfter(lasted);
      await pass(rest - 1);
      assert.equal(opened.length, before);
      await pass(1);
      assert.equal(opened.length, before + 1);
      last().agree();
      await settle();
    }
    assert.equal(log[0], 'missed');
    assert.equal(log.includes('over'), false);
  });

  test('opens it again after a failure that may pass, and after no other', async (t) => {
    for (const [error, isRepeated] of [
      [new McpError('internalError', 'down'), true],
      [new McpError('busy', 'full'), true],
      [new Error('lost'), true],
      [new McpError('invalidParams', 'no such memo'), false],
    ] as const) {
      const { opened, log, last, pass, endAfter } = watching(t);
      last().agree();
      await endAfter(0);
      await pass(1_000);
      last().refuse(error);
      await pass(2_000);
      assert.equal(opened.length, isRepeated ? 3 : 2);
      const warning = 'a session no longer receives changes of "memo:1": no such memo';
      assert.deepEqual(log, isRepeated ? [] : [warning, 'over']);
      t.mock.reset();
    }
  });

  test('ends if the server does not agree any more', async (t) => {
    const { log, last, pass, endAfter } = watching(t);
    last().agree();
    await endAfter(0);
    await pass(1_000);
    last().agree([]);
    await settle();
    last().onMissed();
    assert.deepEqual(log, [
      'closed 1',
      'a session no longer receives changes of "memo:1": the upstream server would not watch it any more',
      'over',
    ]);
  });

  test('follows nothing that ends, or that rests, once its server is closed', async (t) => {
    for (const isEnded of [true, false]) {
      const { opened, state, log, last, pass, endAfter } = watching(t);
      last().agree();
      state.isLast = isEnded;
      await endAfter(0);
      assert.deepEqual(log, isEnded ? ['over'] : []);
      state.isLast = true;
      await pass(60_000);
      assert.deepEqual([opened.length, log], [1, ['over']]);
      t.mock.reset();
    }
  });

  test('that leaves closes what is open, gives up what is not, and hears nothing more', async (t) => {
    const open = watching(t);
    open.last().agree();
    await settle();
    await open.watch.leave();
    open.last().onMissed();
    await open.pass(60_000);
    assert.deepEqual([open.log, open.opened.length], [['closed 0'], 1]);
    t.mock.reset();

    const opening = watching(t);
    await opening.watch.leave();
    assert.equal(opening.last().signal.aborted, true);
    assert.deepEqual(opening.log, []);
    t.mock.reset();

    const resting = watching(t);
    resting.last().agree();
    await resting.endAfter(0);
    const left = resting.watch.leave();
    await resting.pass(60_000);
    await left;
    assert.deepEqual([resting.log, resting.opened.length], [['closed 0'], 1]);
  });

  test('abandons what the server has not agreed to once every request is cancelled', async (t) => {
    const { watch, last } = watching(t);
    const cancels = [new AbortController(), new AbortController()];
    const requests = cancels.map(({ signal }) => watch.agreed(signal).catch(() => 'cancelled'));
    assert.equal(watch.isAbandoned, false);
    for (const [at, cancel] of cancels.entries()) {
      cancel.abort();
      assert.equal(await requests[at], 'cancelled');
      assert.equal(watch.isAbandoned, at === 1);
    }
    last().agree();
    await settle();
    assert.equal(watch.isAbandoned, false);
  });

  test('hears of a request that the server refuses, and ends', async (t) => {
    const { watch, log, last } = watching(t);
    const answer = watch.agreed(forever);
    last().refuse(new McpError('invalidParams', 'no such memo'));
    await assert.rejects(answer, /no such memo/);
    await settle();
    assert.deepEqual(log, ['over']);
  });
});
