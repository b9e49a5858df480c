import { test } from 'node:test';
import { memoryTasks } from 'parley-mcp';
import { taskStoreContract } from 'parley-mcp/testing';

for (const { title, run } of taskStoreContract(async () => {
  const store = memoryTasks();
  return { one: store, other: store, close: async () => undefined };
}))
  test(title, run);
