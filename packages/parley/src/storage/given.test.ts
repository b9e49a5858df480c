import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../bridge.ts';
import { createServer } from '../server.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import { memoryStore } from './memory/store.ts';
import type { Store } from './store.ts';

const info = { name: 'x', version: '1' };

function makers(store: unknown, keys?: readonly Uint8Array[]): readonly (() => unknown)[] {
  // What a program without a compiler gives.
  const options = { store: store as Store, rounds: keys === undefined ? {} : { keys } };
  return [
    () => createServer(info, options),
    () => createBridge({ upstream: memoryTransport(createServer(info)), ...options }),
  ];
}

async function refused(store: unknown, message: RegExp): Promise<void> {
  for (const make of makers(store)) await assert.rejects(async () => await make(), message);
}

test('what is no store is refused, by the name of what is missing', async () => {
  await refused(null, /store must be one that memoryStore or redis makes, not null/);
  await refused({}, /store\.records\.add must be a function, not null/);
  await refused({ ...memoryStore(), bus: { publish: () => 0 } }, /store\.bus\.subscribe must be a function/);
  await refused({ ...memoryStore(), limits: { take: 1 } }, /store\.limits\.take must be a function, not 1/);
  await refused({ ...memoryStore(), shared: undefined }, /store\.shared must be true or false/);
  await refused({ ...memoryStore(), close: undefined }, /store\.close must be a function/);
});

test('a store that processes share needs keys that they share', async () => {
  const store: Store = { ...memoryStore(), shared: true };
  await refused(store, /needs rounds\.keys of 32 bytes/);
  for (const make of makers(store, [new Uint8Array(32)])) {
    // Both are made then, and have the store where an edge looks for it.
    const served = (await make()) as { readonly endpoint: { readonly store?: Store }; close(): Promise<void> };
    await served.endpoint.store?.records.add('key', 'text', 60_000);
    assert.equal((await store.records.get('key'))?.text, 'text');
    await store.records.delete('key');
    await served.close();
  }
});
