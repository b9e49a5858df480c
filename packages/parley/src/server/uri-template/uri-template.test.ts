import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchUri, maxUriLength, toPieces, type StepCounter } from './match.ts';
import { maxTemplateLength, maxVariables, parseExpressions } from './parse.ts';
import { parseTemplate } from './uri-template.ts';

const values = {
  var: 'value',
  hello: 'Hello World!',
  empty: '',
  path: '/foo/bar',
  x: '1024',
  y: '768',
  half: '50%',
  list: ['red', 'green', 'blue'],
  none: [],
};

/** The examples of RFC 6570, section 1.2, by level, apart from those with associative arrays. */
const expansions: readonly (readonly [level: number, template: string, uri: string])[] = [
  [1, '{var}', 'value'],
  [1, '{hello}', 'Hello%20World%21'],
  [2, '{+var}', 'value'],
  [2, '{+hello}', 'Hello%20World!'],
  [2, '{+path}/here', '/foo/bar/here'],
  [2, 'here?ref={+path}', 'here?ref=/foo/bar'],
  [2, 'X{#var}', 'X#value'],
  [2, 'X{#hello}', 'X#Hello%20World!'],
  [3, 'map?{x,y}', 'map?1024,768'],
  [3, '{x,hello,y}', '1024,Hello%20World%21,768'],
  [3, '{+x,hello,y}', '1024,Hello%20World!,768'],
  [3, '{+path,x}/here', '/foo/bar,1024/here'],
  [3, '{#x,hello,y}', '#1024,Hello%20World!,768'],
  [3, '{#path,x}/here', '#/foo/bar,1024/here'],
  [3, 'X{.var}', 'X.value'],
  [3, 'X{.x,y}', 'X.1024.768'],
  [3, '{/var}', '/value'],
  [3, '{/var,x}/here', '/value/1024/here'],
  [3, '{;x,y}', ';x=1024;y=768'],
  [3, '{;x,y,empty}', ';x=1024;y=768;empty'],
  [3, '{?x,y}', '?x=1024&y=768'],
  [3, '{?x,y,empty}', '?x=1024&y=768&empty='],
  [3, '?fixed=yes{&x}', '?fixed=yes&x=1024'],
  [3, '{&x,y,empty}', '&x=1024&y=768&empty='],
  [4, '{var:3}', 'val'],
  [4, '{var:30}', 'value'],
  [4, '{list}', 'red,green,blue'],
  [4, '{list*}', 'red,green,blue'],
  [4, '{+path:6}/here', '/foo/b/here'],
  [4, '{+list}', 'red,green,blue'],
  [4, '{+list*}', 'red,green,blue'],
  [4, '{#path:6}/here', '#/foo/b/here'],
  [4, '{#list}', '#red,green,blue'],
  [4, '{#list*}', '#red,green,blue'],
  [4, 'X{.var:3}', 'X.val'],
  [4, 'X{.list}', 'X.red,green,blue'],
  [4, 'X{.list*}', 'X.red.green.blue'],
  [4, '{/var:1,var}', '/v/value'],
  [4, '{/list}', '/red,green,blue'],
  [4, '{/list*}', '/red/green/blue'],
  [4, '{/list*,path:4}', '/red/green/blue/%2Ffoo'],
  [4, '{;hello:5}', ';hello=Hello'],
  [4, '{;list}', ';list=red,green,blue'],
  [4, '{;list*}', ';list=red;list=green;list=blue'],
  [4, '{?var:3}', '?var=val'],
  [4, '{?list}', '?list=red,green,blue'],
  [4, '{?list*}', '?list=red&list=green&list=blue'],
  [4, '{&var:3}', '&var=val'],
  [4, '{&list}', '&list=red,green,blue'],
  [4, '{&list*}', '&list=red&list=green&list=blue'],
];

test('templates of all four levels expand as RFC 6570 shows [resources-009]', () => {
  for (const [level, template, uri] of expansions)
    assert.equal(parseTemplate(template).expand(values), uri, `level ${level}: ${template}`);
});

test('variables without value are left out of an expansion', () => {
  assert.equal(parseTemplate('x{?undefined,none,y}{/gone}').expand(values), 'x?y=768');
  assert.equal(parseTemplate('{half}{+half}').expand(values), '50%2550%25');
  assert.equal(parseTemplate('{a}').expand({ a: 7 }), '7');
  assert.equal(parseTemplate('{toString}{constructor}').expand({}), '');
  assert.equal(parseTemplate('café/{a:1}').expand({ a: '😀x' }), 'caf%C3%A9/%F0%9F%98%80');
});

test('an expansion matches its template again', () => {
  for (const [, template, uri] of expansions) assert.notEqual(parseTemplate(template).match(uri), undefined, template);
});

const matches: readonly (readonly [template: string, uri: string, values: unknown])[] = [
  ['config://app', 'config://app', {}],
  ['config://app', 'config://app2', undefined],
  ['user://{id}', 'user://7', { id: '7' }],
  ['user://{id}', 'user://a@b.com', { id: 'a@b.com' }],
  ['user://{id}', 'user://', undefined],
  ['user://{id}', 'user://7/8', undefined],
  ['user://{id}', 'user://7?x', undefined],
  ['user://{id}', 'user://a%2Fb', { id: 'a/b' }],
  ['user://{id}', 'user://%zz', undefined],
  ['user://{id}', 'user://%C3', undefined],
  ['user://{id}', 'user://\ud800', undefined],
  ['user://{id}', 'user://ü', { id: 'ü' }],
  ['user://{id}', 'USER://7', undefined],
  ['file:///{+path}', 'file:///a/b%20c', { path: 'a/b c' }],
  ['file:///{+path}', 'file:///../etc/passwd', { path: '../etc/passwd' }],
  ['{name}.json', 'a.json.json', { name: 'a.json' }],
  ['{+dir}/{file}{.ext}', 'a/b/c.tar.gz', { dir: 'a/b', file: 'c', ext: 'tar.gz' }],
  ['{x,y}', '1,2', { x: '1', y: '2' }],
  ['{x,y}', '1', undefined],
  ['{x,y}', '1,2,3', undefined],
  ['{+x,y}', '1,2,3', { x: '1', y: '2,3' }],
  ['x{/id*}', 'x', { id: [] }],
  ['x{/id*}', 'x/a/b', { id: ['a', 'b'] }],
  ['x{/id*}/raw', 'x/raw/raw', { id: ['raw'] }],
  ['x{/first,rest*}', 'x/a', { first: 'a', rest: [] }],
  ['x{/rest*,last}', 'x/a/b/c', { rest: ['a', 'b'], last: 'c' }],
  ['x{/a}', 'x/1/2', undefined],
  ['x{?q,lang}', 'x', {}],
  ['x{?q,lang}', 'x?lang=de&q=a%26b', { lang: 'de', q: 'a&b' }],
  ['x{?q}', 'x?q', { q: '' }],
  ['x{?q}', 'x?q=1&q=2', undefined],
  ['x{?q}', 'x?q=1&other=2', undefined],
  ['x{?q}', 'x?', undefined],
  ['x{?q}', 'x?__proto__=1', undefined],
  ['x{?tags*}', 'x?tags=a&tags=b', { tags: ['a', 'b'] }],
  ['x?a=1{&q}', 'x?a=1&q=2', { q: '2' }],
  ['x{?a}{&b}', 'x?b=1&a=2', { a: '2', b: '1' }],
  ['x{?a}{#f}', 'x?a=1#top', { a: '1', f: 'top' }],
  ['x{;a,b}', 'x;b=1', { b: '1' }],
  ['{+path}{?q}', 'a/b?q=1', { path: 'a/b', q: '1' }],
  ['{var:3}', 'val', { var: 'val' }],
  ['{var:3}', 'value', undefined],
  ['{x:1}/{x}', 'a/abc', { x: 'abc' }],
  ['{x:1}/{x}', 'b/abc', undefined],
  ['{x}/{x:1}', 'abc/a', { x: 'abc' }],
  ['{x}/{x}', 'a/ab', undefined],
  ['{x}/{x}', 'a/a', { x: 'a' }],
  ['caf\u00e9/{x}', 'caf%C3%A9/1', { x: '1' }],
  ['caf\u00e9/{x}', 'caf\u00e9/1', { x: '1' }],
  ['', '', {}],
];

test('a URI gives back the values of the variables', () => {
  for (const [template, uri, expected] of matches)
    assert.deepEqual(parseTemplate(template).match(uri), expected, `${template} and ${uri}`);
});

test('a template that is malformed, too long or too rich is a TypeError', () => {
  for (const template of [
    '{',
    'a}',
    '{}',
    '{a',
    '{{a}}',
    '{a b}',
    '{a,}',
    '{=a}',
    '{a:0}',
    '{a:10000}',
    '{a*:3}',
    '{%4}',
    '{.}',
    '{a..b}',
  ]) {
    assert.throws(() => parseTemplate(template), TypeError, template);
  }
  assert.throws(() => parseTemplate('x'.repeat(maxTemplateLength + 1)), /at most 4096/);
  assert.throws(() => parseTemplate('{a}'.repeat(maxVariables + 1)), /at most 64/);
});

test('a URI beyond 64 KiB matches nothing', () => {
  const template = parseTemplate('{+all}');
  assert.notEqual(template.match('a'.repeat(maxUriLength)), undefined);
  assert.equal(template.match('a'.repeat(maxUriLength + 1)), undefined);
});

test('variables are named once, in order', () => {
  assert.deepEqual(
    parseTemplate('{b}/{a,b}{?c*}').variables,
    ['b', 'a', 'b', 'c'].filter((name, index, all) => all.indexOf(name) === index),
  );
});

test('a variable may have any name, without touching prototypes', () => {
  const matched = parseTemplate('{__proto__}/{constructor}').match('a/b');
  assert.deepEqual(Object.entries(matched ?? {}), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
  assert.equal(({} as Record<string, unknown>)['a'], undefined);
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const words = fc.array(text, { minLength: 1, maxLength: 4 });

test('what was expanded matches and gives the same values', () => {
  fc.assert(
    fc.property(text, words, words, fc.option(text, { nil: undefined }), (id, path, tags, lang) => {
      const given = { id, path, tags, ...(lang === undefined ? {} : { lang }) };
      const template = parseTemplate('user://{id}/of{/path*}{?lang,tags*}{#id}');
      assert.deepEqual(template.match(template.expand(given)), given);
    }),
  );
});

test('matching never throws, and what it finds expands to a URI that matches alike', () => {
  const part = fc.constantFrom(
    'a',
    '/',
    '.',
    '{x}',
    '{+y}',
    '{/z*}',
    '{?q,r*}',
    '{.e}',
    '{#f}',
    '{;p}',
    '{&s}',
    '{x,w}',
  );
  const uri = fc.string({
    unit: fc.constantFrom('a', '/', '.', '?', '&', '=', '#', ';', ',', '%41', '%', 'q', 'r'),
    maxLength: 20,
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), uri, (parts, candidate) => {
      const template = parseTemplate(parts.join(''));
      const found = template.match(candidate);
      if (found === undefined) return;
      for (const name of Object.keys(found)) assert.ok(template.variables.includes(name));
    }),
    { numRuns: 2000 },
  );
});

/** How many steps a match takes. */
function steps(template: string, uri: string): number {
  const counter: StepCounter = { steps: 0 };
  matchUri(toPieces(parseExpressions(template)), uri, counter);
  return counter.steps;
}

test('matching takes steps in proportion to the URI, whatever it holds', () => {
  const crafted: readonly (readonly [string, string, number])[] = [
    ['{/id*}', '/'.repeat(50_000), 4],
    ['{/id*}', `${'/a'.repeat(25_000)}?`, 4],
    ['{?tags*}', `?${'tags=,'.repeat(8_333)}`, 4],
    ['{?tags*}', `?${'tags=a&'.repeat(7_000)}`, 4],
    ['{+a}x{+b}x{+c}x{+d}', 'x'.repeat(50_000), 10],
    [`{+a}${'x'.repeat(1000)}y`, 'x'.repeat(50_000), 4],
    ['{a}{b}{c}{d}', 'a'.repeat(805), 8],
    ['u://{a}-{b}-{c}-{d}', `u://${'-'.repeat(800)}/`, 12],
    ['u://{a}/{b}/{c}/{d}', `u://${'a/'.repeat(400)}`, 12],
  ];
  for (const [template, uri, factor] of crafted) {
    const taken = steps(template, uri);
    assert.ok(taken <= factor * uri.length + 2000, `${template}: ${taken} steps for ${uri.length} characters`);
  }
});
