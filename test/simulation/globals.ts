/** The globals by which a program knows time and chance, put in place of the real ones while a world runs. */

import { createHash } from 'node:crypto';
import type { World } from './world.ts';

/** Runs something in a world: timers, the monotonic clock, random numbers and digests are those of the world. */
export async function inWorld<Result>(world: World, run: () => Promise<Result>): Promise<Result> {
  const { random } = world;
  const timers = new Map<object, () => void>();
  const restore = [
    replace(globalThis, 'setTimeout', (callback: () => void, ms = 0) => {
      const timer = { unref: () => timer };
      const cancel = world.later(Math.max(1, ms), world.current, () => {
        timers.delete(timer);
        callback();
      });
      timers.set(timer, cancel);
      return timer;
    }),
    replace(globalThis, 'clearTimeout', (timer: object) => {
      timers.get(timer)?.();
      timers.delete(timer);
    }),
    replace(performance, 'now', () => world.now),
    replace(Math, 'random', () => random.next()),
    replace(crypto, 'getRandomValues', (array: Uint8Array) => {
      for (let at = 0; at < array.length; at++) array[at] = random.whole(0, 255);
      return array;
    }),
    // The real one answers from another thread, at a time of its own.
    replace(crypto.subtle, 'digest', async (_: unknown, bytes: Uint8Array) => {
      const hash = createHash('sha256').update(bytes).digest();
      return hash.buffer.slice(hash.byteOffset, hash.byteOffset + hash.byteLength);
    }),
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
