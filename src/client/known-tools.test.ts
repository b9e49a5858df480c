import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileUsable } from '../schema/usable/usable.ts';
import { KnownTools } from './known-tools.ts';

test('a warning about an output schema is short, whatever that refers to', async () => {
  const warnings: string[] = [];
  const known = new KnownTools(compileUsable, (message) => warnings.push(message));
  const $ref = `http://a.example/${'x'.repeat(1_000_000)}`;
  known.learn([
    { name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties: { a: { $ref } } } },
  ]);
  await known.check('t');
  await known.check('t');
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /^the output schema of tool "t" cannot be used.*leads out of the schema|^the output schema/,
  );
  assert.ok((warnings[0] ?? '').length <= 1_000);
});

test('an output schema of null promises nothing, as one that is left out', async () => {
  const known = new KnownTools(compileUsable, () => {});
  // As it came: what is learned from a list was not read by the tables.
  known.learn([{ name: 't', inputSchema: { type: 'object' }, outputSchema: null as never }]);
  assert.equal(await known.check('t'), undefined);
});
