import { test } from 'node:test';
import { memoryStore } from 'parley-mcp';
import { testStore } from 'parley-mcp/testing';

// A store of your own stands in the place of `memoryStore()`: one for each process that shares what is kept.
for (const { title, run } of testStore(
  () => {
    const store = memoryStore();
    return { stores: [store, store], close: () => undefined };
  },
  { races: 100, histories: 10 },
))
  test(title, run);
