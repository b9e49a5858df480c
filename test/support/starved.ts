/**
 * Has a process sleep now and then, and what other threads do for it come late, so that a quiet machine is as hard on it as one that does
 * a dozen other things. Processes that it starts do the same. What fails so waits for turns of the loop, or for less time than it may take.
 */

import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Longest sleep, in milliseconds; there are two to three in a second. */
const maxMs = Number(process.env['PARLEY_STARVED_MS'] ?? 150);
/** Share of what threads do that comes late, and by how many milliseconds at most. */
const [late, lateMs] = [0.3, 80] as const;
// Tests may stop the clocks.
const later = setTimeout;
const cell = new Int32Array(new SharedArrayBuffer(4));

function sleep(): void {
  Atomics.wait(cell, 0, 0, 10 + Math.random() * maxMs);
  later(sleep, 30 + Math.random() * 400).unref();
}

type Call = (...values: readonly unknown[]) => unknown;

/** Has functions of an object begin late. */
function delay(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const own = Reflect.get(owner, name) as Call;
    Reflect.set(owner, name, async function delayed(this: unknown, ...values: readonly unknown[]) {
      await new Promise((resolve) => later(resolve, Math.random() < late ? Math.random() * lateMs : 0));
      return await Reflect.apply(own, this, values);
    });
  }
}

if (isMainThread) {
  later(sleep, Math.random() * 300).unref();
  delay(Object.getPrototypeOf(crypto.subtle) as object, [
    'encrypt',
    'decrypt',
    'sign',
    'verify',
    'digest',
    'generateKey',
    'deriveKey',
    'importKey',
    'exportKey',
  ]);
  delay(fs, [
    'readFile',
    'writeFile',
    'rename',
    'mkdir',
    'stat',
    'lstat',
    'readdir',
    'unlink',
    'rm',
    'access',
    'chmod',
  ]);
  syncBuiltinESMExports();
}
