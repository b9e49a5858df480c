import { test } from 'node:test';
import { memoryStore } from 'parley-mcp';
import { testStore } from 'parley-mcp/testing';

// Replace `memoryStore()` with your store. Return one for each process that shares the data.
for (const { title, run } of testStore(
  () => {
    const store = memoryStore();
    return { stores: [store, store], close: () => undefined };
  },
  { races: 100, histories: 10 },
))
  test(title, run);
