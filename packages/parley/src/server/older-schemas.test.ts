/** Schemas of tools that name no dialect and can only be of an older one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectInMemory } from '../testing.ts';
import { createServer } from './server.ts';

const tuple = {
  type: 'object',
  properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
};

test('a list in items without $schema is read as draft-07, with one warning', async (t) => {
  const warnings: string[] = [];
  const server = createServer({ name: 's', version: '1' }, { onWarning: (words) => void warnings.push(words) });
  server.tool('t', { input: tuple }, () => 'ran');
  const client = await connectInMemory(server, {});
  t.after(() => client.close());
  assert.deepEqual((await client.listTools())[0]?.inputSchema, tuple);
  assert.equal((await client.callTool('t', { pair: ['x', 1] })).isError, undefined);
  assert.equal((await client.callTool('t', { pair: [1, 'x'] })).isError, true);
  assert.deepEqual(warnings, [
    'tool "t": input has a list in "items" and no "$schema"; values are checked by the nearest of 2020-12 and draft-07, or not at all',
  ]);
});

test('a list in items is refused where $schema names 2020-12, and beside another mistake', () => {
  const server = createServer({ name: 's', version: '1' });
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  assert.throws(() => server.tool('t', { input: { ...tuple, $schema } }, () => ''), /items must be a schema/);
  const wrong = { type: 'object', properties: { ...tuple.properties, n: { minLength: -1 } } } as const;
  assert.throws(() => server.tool('t', { input: wrong }, () => ''), /minLength must be/);
});
