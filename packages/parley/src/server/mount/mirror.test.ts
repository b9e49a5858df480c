import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from '../definition/registry.ts';
import { Mirror } from './mirror.ts';

const registry = (): Registry<string> => new Registry<string>('thing', () => undefined);
const add = (to: Registry<string>, key: string, text: string): unknown => to.add(key, {}, () => text);
const as = { name: (key: string) => `x__${key}`, value: (entry: string) => entry.toUpperCase() };

test('entries of one registry are in another as long as they are mirrored', () => {
  const [from, to] = [registry(), registry()];
  add(from, 'a', 'one');
  const mirror = new Mirror(from, to, as);
  mirror.check();
  mirror.begin();
  assert.deepEqual([...to.keys()], ['x__a']);
  assert.equal(to.kept('x__a')?.value, 'ONE');
  add(from, 'b', 'two');
  assert.deepEqual([...to.keys()], ['x__a', 'x__b']);
  to.delete('x__a');
  from.changed();
  assert.deepEqual([...to.keys()].toSorted(), ['x__a', 'x__b']);
  from.delete('b');
  assert.deepEqual([...to.keys()], ['x__a']);
  assert.throws(() => (add(to, 'x__d', 'taken'), add(from, 'd', 'four')), TypeError);
  to.delete('x__d');
  mirror.end();
  assert.deepEqual([...to.keys()], []);
  add(from, 'c', 'three');
  assert.deepEqual([...to.keys()], []);
});

test('an entry that two mirrors keep stays until both have ended', () => {
  const [from, to] = [registry(), registry()];
  add(from, 'a', 'one');
  const mirrors = [new Mirror(from, to, as), new Mirror(from, to, { ...as, value: () => 'other' })];
  for (const mirror of mirrors) {
    mirror.check();
    mirror.begin();
  }
  assert.equal(to.kept('x__a')?.value, 'other');
  mirrors[1]?.end();
  assert.equal(to.kept('x__a')?.value, 'ONE');
  mirrors[1]?.end();
  assert.equal(to.kept('x__a')?.value, 'ONE');
  mirrors[0]?.end();
  assert.equal(to.kept('x__a'), undefined);
});

test('two entries with the same name there are refused, and so is a name that is taken', () => {
  const [from, to] = [registry(), registry()];
  add(from, 'a', 'one');
  add(from, 'b', 'two');
  const same = new Mirror(from, to, { ...as, name: () => 'x' });
  assert.throws(() => same.check(), /two names of it would both be "x"/);
  add(to, 'x__b', 'taken');
  assert.throws(() => new Mirror(from, to, as).check(), TypeError);
  assert.equal(to.kept('x__b')?.value, 'taken');
});
