/** What a start must not touch: Node takes milliseconds to load the clock `performance` and to load `crypto`. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from '../packages/parley/src/server.ts';
import { open, settle } from './support/raw.ts';
import { until } from './support/turns.ts';

/** Counts the uses of a global value while a test runs. */
function uses(t: TestContext, name: 'performance' | 'crypto'): () => number {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  assert.ok(before);
  const value = globalThis[name];
  let count = 0;
  Object.defineProperty(globalThis, name, { configurable: true, get: () => (count++, value) });
  t.after(() => Object.defineProperty(globalThis, name, before));
  return () => count;
}

test('tools are defined, listed and called without the clock and without random ids', async (t) => {
  const [clock, random] = [uses(t, 'performance'), uses(t, 'crypto')];
  const server = createServer({ name: 's', version: '1' });
  server.tool('add', { input: { type: 'object', properties: { a: { type: 'number' } } } }, ({ a }) => String(a));
  server.tool('more', {}, () => 'more');
  // A client comes later than the turn of the definitions.
  await settle();
  const raw = await open(server, '2025-11-25');
  await raw.result('tools/list', {}, 1);
  await raw.result('tools/call', { name: 'add', arguments: { a: 1 } }, 2);
  assert.deepEqual([clock(), random()], [0, 0]);
});

test('a question in a session needs no random id', async (t) => {
  const random = uses(t, 'crypto');
  const server = createServer({ name: 's', version: '1' });
  const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
  server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'Name?', schema })));
  const raw = await open(server, '2025-11-25', { capabilities: { elicitation: {} } });
  void raw.send('tools/call', { name: 'ask' }, 1);
  await until(() => raw.methods.includes('elicitation/create'), 'a question');
  assert.equal(random(), 0);
});
