import { test } from 'node:test';
import { testStore } from '../../testing/test-store.ts';
import { memoryStore } from './store.ts';

for (const { title, run } of testStore((processes) => {
  const store = memoryStore();
  return { stores: Array.from({ length: processes }, () => store), close: () => store.close() };
}))
  test(`the store in memory: ${title}`, run);
