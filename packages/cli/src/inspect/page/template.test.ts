import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate, templateVariables } from './template.ts';

const cases: readonly (readonly [string, object, string])[] = [
  ['file:///{path}', { path: 'a b/c' }, 'file:///a%20b%2Fc'],
  ['file:///{+path}', { path: 'a b/c' }, 'file:///a%20b/c'],
  ['x://{a,b}', { a: '1', b: '2' }, 'x://1,2'],
  ['x://y{?a,b}', { a: '1' }, 'x://y?a=1'],
  ['x://y{?a}{&b}', { a: '1', b: '2' }, 'x://y?a=1&b=2'],
  ['x://y{/a,b}', { a: '1', b: '2' }, 'x://y/1/2'],
  ['x://y{#a}', { a: 'z' }, 'x://y#z'],
  ['x://{a}', {}, 'x://'],
];

for (const [template, values, uri] of cases)
  test(`${template} is ${uri}`, () => assert.equal(fillTemplate(template, JSON.stringify(values)), uri));

test('variables are named once, in their order', () => {
  assert.deepEqual(templateVariables('x://{b}/{a*}{?b,c:3}'), ['b', 'a', 'c']);
  assert.equal(fillTemplate('x://{a}', 'no json'), 'x://');
});
