import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { memoryStore } from '../../../storage/memory/store.ts';
import { StoreError, type Store } from '../../../storage/store.ts';
import { usableStore } from './usable-store.ts';

/** A store that is away at first, and a clock that timers move. */
function starting(t: TestContext, awayFor: number): { readonly store: Store; readonly tries: () => number } {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let tries = 0;
  const check = async (): Promise<void> => {
    if (tries++ < awayFor) throw new StoreError('unavailable', 'no answer', { cause: new Error('ECONNREFUSED') });
  };
  return { store: { ...memoryStore(), check }, tries: () => tries };
}

async function waited(t: TestContext, store: Store, readyTimeoutMs: number): Promise<readonly string[]> {
  const told: string[] = [];
  let clock = 0;
  let isOver = false;
  const waiting = usableStore(store, {
    readyTimeoutMs,
    onError: ({ message }) => told.push(message),
    now: () => clock,
  });
  waiting.finally(() => (isOver = true)).catch(() => undefined);
  for (let turn = 0; turn < 100; turn++) {
    await setImmediate();
    if (isOver) break;
    clock += 250;
    t.mock.timers.tick(250);
  }
  await waiting;
  return told;
}

test('a store that starts later is tried again until it can be used', async (t) => {
  const { store, tries } = starting(t, 3);
  assert.deepEqual(await waited(t, store, 10_000), ['the store cannot be used yet; it has 10000 ms (readyTimeoutMs)']);
  assert.equal(tries(), 4);
});

test('a store that stays away is an error after its time', async (t) => {
  const { store, tries } = starting(t, Infinity);
  await assert.rejects(waited(t, store, 1_000), { reason: 'unavailable', message: 'no answer' });
  assert.equal(tries(), 5);
});

test('a store that can never be used is an error at once', async (t) => {
  const { store, tries } = starting(t, 0);
  const check = (): never => {
    tries();
    throw new StoreError('unavailable', 'this Redis is a replica');
  };
  await assert.rejects(waited(t, { ...store, check }, 10_000), { message: 'this Redis is a replica' });
});
