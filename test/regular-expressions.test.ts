import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedIn, superLinear, writtenIn, type Expression } from './support/regular-expressions.ts';
import { sources } from './support/sources.ts';

const keysNamed = { source: String.raw`((\\?)"(?:code|token)\2"\s*:\s*)\2"`, flags: 'g' };

/** What files put together from values that they have only later. */
const later: Readonly<Record<string, readonly Omit<Expression, 'path'>[]>> = {
  'http/server/sse-pair.ts': [{ source: '(?:^|&)sessionId=([^&]*)', flags: '' }],
  'json/exact-number.ts': [{ source: '"123e4567-e89b-12d3-a456-426614174000([^"]+)"', flags: 'g' }],
  // What it makes is judged where it is asked for; the second is a copy.
  'wire/named-values.ts': [keysNamed, keysNamed],
  // A copy of the expression above it.
  'inspect/page/json/lines.ts': [{ source: String.raw`"|[{}[\],:]|[^\s{}[\],:"]+`, flags: 'g' }],
  // Patterns of schemas: `schema/pattern.ts` sees to their time.
  'schema/linear/alphabet.ts': [{ source: '^[a-z]$', flags: 'u' }],
  'schema/keywords.ts': [{ source: '', flags: 'u' }],
  // The same in a page, which tries only short ones without groups and with two repetitions at most, on short names.
  'inspect/page/form/model/names.ts': [{ source: '', flags: 'u' }],
};

test('every regular expression in src takes time linear in the text', async () => {
  const expressions: Expression[] = [];
  for (const file of sources()) {
    const { literals, calls } = await writtenIn(file);
    expressions.push(...literals);
    if (calls === 0) continue;
    const known = (later[file.path] ?? []).map((one) => ({ path: file.path, ...one }));
    const composed = known.length === calls ? undefined : await composedIn(file.path);
    const judged = known.length + (composed?.places ?? 0);
    assert.equal(judged, calls, `${file.path} puts together expressions that nobody judges`);
    expressions.push(...known, ...(composed?.expressions ?? []));
  }
  const distinct = [...new Map(expressions.map((one) => [`/${one.source}/${one.flags}`, one])).values()];
  assert.ok(distinct.length > 50);
  assert.deepEqual(
    distinct.map(superLinear).filter((problem) => problem !== undefined),
    [],
  );
});

test('an expression of exponential or polynomial time is told of, with a text that shows it', async () => {
  const text = String.raw`const a: RegExp = /^(?:[ \t]*;[ \t]*)*$/; const b = 'x'.replace(/\s+$/, ''); export { a, b };`;
  const { literals } = await writtenIn({ path: 'x.ts', text });
  const [exponential = '', polynomial = ''] = literals.map((literal) => superLinear(literal) ?? 'nothing');
  assert.match(exponential, /^x\.ts: \/.*\/: exponential, /);
  assert.match(polynomial, /^x\.ts: \/.*\/: 2nd degree polynomial, /);
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
