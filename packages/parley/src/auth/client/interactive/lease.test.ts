/** Of all who share a store one asks the person, and another takes over only when that one is gone. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import type { CredentialKey, CredentialStore } from '../../../storage/credentials.ts';
import { memoryCredentialStore } from '../../../storage/memory-credentials.ts';
import { asOnlyOne, type OnlyOne } from './lease.ts';

const key: CredentialKey = { kind: 'login', issuer: 'https://as.example' };

/** Processes that share a store, with a clock of the test. */
function scene(t: TestContext) {
  const clock = { now: 0 };
  t.mock.method(performance, 'now', () => clock.now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = memoryCredentialStore();
  const world = { isDone: false };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 500) {
      clock.now += Math.min(left, 500);
      t.mock.timers.tick(Math.min(left, 500));
      for (let turn = 0; turn < 3; turn++) await settle();
    }
  };
  /** A process that asks until the test ends that. */
  const asks = (own: CredentialStore = store) => {
    const state: { only?: OnlyOne; outcome: unknown; asked: number; waits: boolean } = {
      outcome: 'runs',
      asked: 0,
      waits: false,
    };
    const stop = new AbortController();
    let over: (error?: unknown) => void = () => undefined;
    const asking = { store: own, key, signal: stop.signal, waiting: (person: boolean) => void (state.waits = person) };
    const ask = (only: OnlyOne): Promise<void> => {
      state.only = only;
      state.asked++;
      return new Promise(
        (resolve, reject) => (over = (error) => (error === undefined ? resolve() : reject(error as Error))),
      );
    };
    asOnlyOne(asking, async () => world.isDone, ask).then(
      (outcome) => (state.outcome = outcome),
      (error: unknown) => (state.outcome = error),
    );
    const end = async (error?: unknown): Promise<void> => {
      over(error);
      await pass(500);
    };
    return { state, stop, end };
  };
  return { store, clock, world, pass, asks };
}

describe('one who asks', () => {
  test('is alone for as long as it lives, and the others wait for what comes of it', async (t) => {
    const { store, world, pass, asks } = scene(t);
    const one = asks();
    await pass(500);
    const other = asks();
    await pass(30_000);
    assert.deepEqual([one.state.asked, other.state.asked, one.state.waits, other.state.waits], [1, 0, false, true]);
    assert.equal(one.state.only?.lost.aborted, false);
    await one.state.only?.require();
    world.isDone = true;
    await one.end();
    assert.deepEqual([one.state.outcome, other.state.outcome, other.state.waits], [true, false, false]);
    assert.equal(await store.read(key), undefined);
  });

  test('lets the next one ask if nothing came of it', async (t) => {
    const { pass, asks } = scene(t);
    const [one, other] = [asks(), asks()];
    await pass(500);
    const [first, second] = one.state.asked === 1 ? [one, other] : [other, one];
    const failure = new Error('the page was closed');
    await first.end(failure);
    assert.deepEqual([first.state.outcome, second.state.asked], [failure, 1]);
  });

  test('asks nobody if it is done already', async (t) => {
    const { store, world, pass, asks } = scene(t);
    world.isDone = true;
    const one = asks();
    await pass(500);
    assert.deepEqual([one.state.outcome, one.state.asked, await store.read(key)], [false, 0, undefined]);
  });

  test('begins anew if somebody else got it meanwhile, which it finds before it goes on', async (t) => {
    const { world, pass, asks } = scene(t);
    const one = asks();
    await pass(500);
    world.isDone = true;
    const error = await one.state.only?.require().catch((cause: unknown) => cause);
    await one.end(error);
    assert.deepEqual([one.state.outcome, one.state.asked], [false, 1]);
  });

  test('hears that it was overtaken, and leaves the lease of the other', async (t) => {
    const { store, pass, asks } = scene(t);
    const one = asks();
    await pass(500);
    await store.write(key, 'another');
    await pass(1_499);
    assert.equal(one.state.only?.lost.aborted, false);
    await pass(501);
    assert.equal(one.state.only?.lost.aborted, true);
    await assert.rejects(async () => await one.state.only?.require(), { reason: 'timeout' });
    await one.end(new Error('x'));
    assert.equal((await store.read(key))?.text, 'another');
  });

  test('ends after a sign of life that is being written, and writes none after it', async (t) => {
    const { store, pass, asks } = scene(t);
    const written: unknown[] = [];
    let write: () => void = () => undefined;
    let isSlow = false;
    const slow: CredentialStore = {
      ...store,
      write: async (...given) => {
        written.push(given[1]);
        if (isSlow) await new Promise<void>((resolve) => (write = resolve));
        return await store.write(...given);
      },
    };
    const one = asks(slow);
    await pass(500);
    isSlow = true;
    await pass(2_000);
    await one.end();
    assert.deepEqual([one.state.outcome, written.length], ['runs', 2]);
    isSlow = false;
    write();
    await pass(30_000);
    assert.deepEqual([one.state.outcome, written.length, written[2]], [true, 3, undefined]);
    assert.equal(await store.read(key), undefined);
  });

  test('whose signs of life a store does not take tries again, and is lost after 5 seconds', async (t) => {
    const { store, pass, asks } = scene(t);
    let tries = 0;
    let isAway = false;
    const away: CredentialStore = {
      ...store,
      write: async (...given) => {
        tries++;
        if (isAway) throw new Error('away');
        return await store.write(...given);
      },
    };
    const one = asks(away);
    await pass(500);
    isAway = true;
    tries = 0;
    await pass(4_500);
    assert.deepEqual([one.state.only?.lost.aborted, tries >= 5], [false, true]);
    isAway = false;
    await pass(3_000);
    assert.equal(one.state.only?.lost.aborted, false);
    isAway = true;
    await pass(7_500);
    assert.equal(one.state.only?.lost.aborted, true);
  });
});

describe('one who waits', () => {
  test('takes over after 7 seconds of silence, and not before', async (t) => {
    const { store, pass, asks } = scene(t);
    await store.write(key, 'of a process that died');
    const one = asks();
    await pass(6_500);
    assert.deepEqual([one.state.asked, one.state.waits], [0, true]);
    await pass(1_000);
    assert.deepEqual([one.state.asked, one.state.waits], [1, false]);
  });

  test('counts the silence from the last sign of life', async (t) => {
    const { store, pass, asks } = scene(t);
    await store.write(key, 'of a process');
    const one = asks();
    await pass(5_000);
    await store.write(key, 'of a process, again');
    await pass(6_500);
    assert.equal(one.state.asked, 0);
    await pass(1_000);
    assert.equal(one.state.asked, 1);
  });

  test('stops when it is given up', async (t) => {
    const { store, pass, asks } = scene(t);
    await store.write(key, 'of a process');
    const one = asks();
    await pass(1_000);
    const reason = new Error('given up');
    one.stop.abort(reason);
    await pass(500);
    assert.deepEqual([one.state.outcome, one.state.waits, one.state.asked], [reason, false, 0]);
  });
});
