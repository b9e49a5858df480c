import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedIn, superLinear, writtenIn } from '../../scripts/check/package/regular-expressions-in.ts';
import { regularExpressionsRule } from '../../scripts/check/package/regular-expressions.ts';
import { repositoryOf } from '../../scripts/check/repository.ts';

test('an expression of exponential or polynomial time is found, with a text that shows it', async () => {
  const text = String.raw`const a: RegExp = /^(?:[ \t]*;[ \t]*)*$/; const b = 'x'.replace(/\s+$/, ''); export { a, b };`;
  const { literals } = await writtenIn({ path: 'x.ts', text });
  const [exponential = '', polynomial = ''] = literals.map((literal) => superLinear(literal) ?? 'nothing');
  assert.match(exponential, /^\/.*\/: exponential, /);
  assert.match(polynomial, /^\/.*\/: 2nd degree polynomial, /);
  const found = await regularExpressionsRule.find(repositoryOf({ 'packages/parley/src/x.ts': text }));
  assert.deepEqual(
    found.map(({ file }) => file),
    ['packages/parley/src/x.ts', 'packages/parley/src/x.ts'],
  );
});

test('an expression that a file puts together is found', async () => {
  assert.deepEqual(await writtenIn({ path: 'x.ts', text: "const a = new RegExp('a'); RegExp('b');" }), {
    literals: [],
    calls: 2,
  });
  const { expressions, places } = await composedIn('server/uri-template/uri.ts');
  assert.match(expressions[0]?.source ?? '', /^\^\[a-z\]/);
  assert.ok(places > 0);
});
