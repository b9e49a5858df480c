/** The globals by which a program knows time and chance, put in place of the real ones while a world runs. */

import type { World } from './world.ts';
import { digestSubtle } from './subtle.ts';

/** The wall clock of a world when it begins: milliseconds since 1970. */
export const beginning = 1_800_000_000_000;

/** Runs something in a world: timers, clocks, random numbers, digests and ciphers are those of the world. */
export async function inWorld<Result>(world: World, run: () => Promise<Result>): Promise<Result> {
  const { random } = world;
  const timers = new Map<object, () => void>();
  const restore = [
    replace(globalThis, 'setTimeout', (callback: () => void, ms = 0) => {
      const timer = { unref: () => timer };
      const owner = world.current;
      owner?.timers.add(timer);
      const cancel = world.later(Math.max(1, Math.ceil(ms)), owner, () => {
        timers.delete(timer);
        owner?.timers.delete(timer);
        callback();
      });
      timers.set(timer, () => {
        owner?.timers.delete(timer);
        cancel();
      });
      return timer;
    }),
    replace(globalThis, 'clearTimeout', (timer: object) => {
      timers.get(timer)?.();
      timers.delete(timer);
    }),
    replace(globalThis, 'setImmediate', (callback: () => void) => void world.later(0, world.current, callback)),
    replace(performance, 'now', () => world.now),
    replace(Date, 'now', () => beginning + Math.floor(world.now) + (world.current?.clockOffset ?? 0)),
    replace(Math, 'random', () => random.next()),
    replace(crypto, 'getRandomValues', (array: Uint8Array) => {
      for (let at = 0; at < array.length; at++) array[at] = random.next() * 256;
      return array;
    }),
    replace(crypto, 'randomUUID', () => {
      const digits = Array.from({ length: 32 }, () => random.whole(0, 15).toString(16)).join('');
      return [0, 8, 12, 16, 20].map((from, at, all) => digits.slice(from, all[at + 1])).join('-');
    }),
    ...Object.entries(digestSubtle()).map(([name, value]) => replace(crypto.subtle, name, value)),
  ];
  try {
    return await run();
  } finally {
    for (const one of restore) one();
  }
}

function replace(owner: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, before);
  };
}
