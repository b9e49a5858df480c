/** Matching of templates, held against regular expressions and at its edges. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTemplate } from './uri-template.ts';

/** All texts of these characters up to a length. */
function texts(characters: string, length: number): readonly string[] {
  if (length === 0) return [''];
  const shorter = texts(characters, length - 1);
  const longest = shorter.filter((text) => text.length === length - 1);
  return [...shorter, ...longest.flatMap((text) => characters.split('').map((character) => text + character))];
}

const plain = '([^/?#]+?)';

test('each value is the shortest text after which the rest of the template matches', () => {
  const table: readonly (readonly [template: string, expression: string])[] = [
    ['{x}', plain],
    ['{x}b{y}', `${plain}b${plain}`],
    ['{x}{y}', plain + plain],
    ['{/x}', `/${plain}`],
    ['{/x}{y}', `/${plain}${plain}`],
    ['{x}{/y}', `${plain}/${plain}`],
    ['{/x}/a', `/${plain}/a`],
    ['a{.x}', `a\\.${plain}`],
    ['{.x}{.y}', `\\.${plain}\\.${plain}`],
    ['{x}.{y}', `${plain}\\.${plain}`],
    ['{+x}', '(.+?)'],
    ['{+x}/{y}', `(.+?)/${plain}`],
    ['{x}{+y}', `${plain}(.+?)`],
    ['aba{x}', `aba${plain}`],
    ['{x}aab', `${plain}aab`],
  ];
  for (const [template, expression] of table) {
    const { match } = parseTemplate<string>(template);
    const reference = new RegExp(`^${expression}$`);
    for (const text of texts('ab/.', 6)) {
      const [, x, y] = reference.exec(text) ?? [];
      const wanted = x === undefined ? undefined : y === undefined ? { x } : { x, y };
      assert.deepEqual(match(text), wanted, `${template} on ${text}`);
    }
  }
});

test('a list takes what the other variables leave, which may be nothing', () => {
  const table: readonly (readonly [string, string, object | undefined])[] = [
    ['{x*,y}', 'c', { x: [], y: 'c' }],
    ['{x*,y}', 'a,b,c', { x: ['a', 'b'], y: 'c' }],
    ['{x,y*}', 'a', { x: 'a', y: [] }],
    ['{x,y*,z}', 'a,b', { x: 'a', y: [], z: 'b' }],
    ['{x,y*,z}', 'a', undefined],
    ['{x,y*,z}', 'a,b,c,d', { x: 'a', y: ['b', 'c'], z: 'd' }],
    ['{x,y}', 'a', undefined],
    ['{x,y}', 'a,b,c', undefined],
    ['{+x,y}', 'a,b,c', { x: 'a', y: 'b,c' }],
    ['{x,y}', 'a,', undefined],
    ['{/x*}', '', { x: [] }],
    ['{/x*}', '/a/b', { x: ['a', 'b'] }],
  ];
  for (const [template, uri, values] of table)
    assert.deepEqual(parseTemplate<string>(template).match(uri), values, `${template} on ${uri}`);
});

test('a prefix counts characters, whatever they are encoded in', () => {
  const match = (text: string) => parseTemplate<string>('{x:2}').match(encodeURIComponent(text));
  for (const right of ['a', 'ab', '😀', '😀😀', 'é😀']) assert.deepEqual(match(right), { x: right });
  for (const wrong of ['abc', '😀😀😀', 'ab😀']) assert.equal(match(wrong), undefined);
});

test('a variable that stands twice has one value, of which a prefix shows the beginning', () => {
  const match = (uri: string) => parseTemplate<string>('{x:1}/{x}').match(uri);
  assert.deepEqual(match('a/ab'), { x: 'ab' });
  assert.equal(match('b/ab'), undefined);
  const reverse = (uri: string) => parseTemplate<string>('{x}/{x:1}').match(uri);
  assert.deepEqual(reverse('ab/a'), { x: 'ab' });
  assert.equal(reverse('ab/b'), undefined);
  assert.deepEqual(parseTemplate<string>('{x}/{x}').match('a/a'), { x: 'a' });
  assert.equal(parseTemplate<string>('{x}/{x}').match('a/ab'), undefined);
});

test('parameters of a query come in any order, each once unless it is a list', () => {
  const match = (uri: string, template = '{?x,y}') => parseTemplate<string>(template).match(uri);
  assert.deepEqual(match(''), {});
  assert.deepEqual(match('?y=1&x=2'), { x: '2', y: '1' });
  assert.deepEqual(match('?x'), { x: '' });
  assert.deepEqual(match('?x='), { x: '' });
  for (const wrong of ['?x=1&x=2', '?z=1', 'x=1', '?=1', '?x=%']) assert.equal(match(wrong), undefined, wrong);
  assert.deepEqual(match('?x=1&x=2', '{?x*}'), { x: ['1', '2'] });
  assert.deepEqual(match('?y=1&x=2', '{?x}{&y}'), { x: '2', y: '1' });
  assert.deepEqual(match('&y=1', '{?x}{&y}'), { y: '1' });
  assert.deepEqual(match('a?x=1&y=2', 'a{?x}{&y}'), { x: '1', y: '2' });
});
