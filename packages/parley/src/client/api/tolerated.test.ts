import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToleratedFaults } from './tolerated.ts';

function faults() {
  const told: string[] = [];
  return { told, faults: new ToleratedFaults((message) => void told.push(message)) };
}

test('each fault is a warning once, up to a thousand', () => {
  const { told, faults: own } = faults();
  for (let count = 0; count < 999; count++) own.warn(`fault ${count}`);
  own.warn('fault 0');
  assert.equal(told.length, 999);
  for (const last of ['last', 'one too many']) own.warn(last);
  assert.deepEqual(told.slice(998), ['fault 998', 'last']);
});

test('a malformed entry is named as its list names it, and kept where that is its fate', () => {
  const { told, faults: own } = faults();
  const heard: string[] = [];
  const left = own.in('tools/list', undefined, ({ name, why }) => void heard.push(`${name} ${why}`));
  const kept = own.in('resources/list', 'kept');
  assert.deepEqual(
    [left.entry({ name: 'a' }, 'no schema'), kept.entry({ uri: 'x:1', name: 'b' }, 'odd')],
    [false, true],
  );
  assert.deepEqual(
    [left.entry({ name: 7 }, '1'), left.entry('text', '2'), kept.entry({ name: 'c' }, '3')],
    [false, false, true],
  );
  assert.equal(left.entry({ name: 'n'.repeat(101) }, '4'), false);
  assert.deepEqual(told, [
    'tools/list: "a" is malformed and left out: no schema',
    'resources/list: "x:1" is malformed and kept: odd',
    'tools/list: an entry without a name is malformed and left out: 1',
    'tools/list: an entry without a name is malformed and left out: 2',
    'resources/list: "c" is malformed and kept: 3',
    `tools/list: "${'n'.repeat(100)}" is malformed and left out: 4`,
  ]);
  assert.deepEqual(heard.slice(0, 2), ['"a" no schema', 'an entry without a name 1']);
  left.absent?.('tools');
  own.repeats('tools/list');
  assert.deepEqual(told.slice(6), [
    'a result of tools/list has no tools, which counts as empty',
    'tools/list: the list ends where it repeats a cursor',
  ]);
});
