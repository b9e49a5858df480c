import assert from 'node:assert/strict';
import { it } from 'node:test';
import { covers } from '../../client/api/subscription.ts';
import { wholesOf } from './wholes.ts';

const uris = [
  'a:',
  'a:b',
  'a:b/',
  'a:b/c',
  'a:b//c',
  'a:b#',
  'a:b#c?d',
  'a:bc',
  'a:b?',
  '/',
  '',
  'a:b/c/d#e',
  'x'.repeat(5_000),
];

for (const [name, others] of [
  ['few', []],
  ['many', Array.from({ length: 200 }, (_, at) => `other:${at}`)],
] as const) {
  it(`an update among ${name} watched resources is about those that cover it`, () => {
    const watched = new Map([...uris, ...others].map((uri) => [uri, undefined]));
    for (const uri of [...uris, ...uris.map((one) => `${one}/more`), ...uris.map((one) => `${one}x`)]) {
      const covering = [...watched.keys()].filter((one) => covers({ updates: [one] }, { type: 'update', uri }));
      assert.deepEqual(wholesOf(uri, watched).toSorted(), covering.toSorted(), uri.slice(0, 20));
    }
  });
}
