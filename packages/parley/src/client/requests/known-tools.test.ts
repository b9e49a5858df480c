import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileUsable } from '../../schema/usable/usable.ts';
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

test('an output schema that cannot be used does not require structured content', async () => {
  const outputSchema = { type: 'object', properties: { sum: { $ref: '#/$defs/Sum' } } };
  for (const one of [outputSchema, { $schema: 'https://example.com/own', type: 'object' }] as const) {
    const warnings: string[] = [];
    const known = new KnownTools(compileUsable, (message) => warnings.push(message));
    known.learn([{ name: 't', inputSchema: { type: 'object' }, outputSchema: one }]);
    const check = await known.check('t');
    check?.({ content: [{ type: 'text', text: 'a' }] });
    assert.match(warnings.join(), /^the output schema of tool "t" (?:cannot be used|is of the dialect)/);
    assert.equal(warnings.length, 1);
  }
});

test('an output schema of which a part can be used requires structured content', async () => {
  const known = new KnownTools(compileUsable, () => {});
  const outputSchema = { type: 'object', properties: { sum: { type: 'string', pattern: '(?i)a' } } };
  known.learn([{ name: 't', inputSchema: { type: 'object' }, outputSchema }]);
  const check = await known.check('t');
  assert.throws(() => check?.({ content: [] }), { reason: 'does-not-fit' });
});
