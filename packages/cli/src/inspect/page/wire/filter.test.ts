import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RowView } from '../../view.ts';
import { parseFilter } from './filter.ts';

const row: RowView = {
  n: 7,
  t: 0,
  s: 'A',
  c: 1,
  from: 'server',
  lane: 'message',
  what: 'tools/call',
  kind: 'error',
  status: 404,
  bytes: 1,
  ms: 600,
  pair: 6,
  broken: ['http-001'],
};

const cases: readonly (readonly [string, boolean])[] = [
  ['', true],
  ['tools', true],
  ['#7', true],
  ['prompts', false],
  ['method:call', true],
  ['method:list', false],
  ['-method:list', true],
  ['-method:call', false],
  ['-tools', false],
  ['tools -prompts', true],
  ['-kind:error', false],
  ['-"tools/call"', false],
  ['server:a', true],
  ['server:b', false],
  ['kind:error', true],
  ['kind:message', true],
  ['from:client', false],
  ['status:4xx', true],
  ['status:404', true],
  ['status:2xx', false],
  ['dur:>500', true],
  ['dur:<500', false],
  ['is:broken', true],
  ['is:error', true],
  ['is:open', false],
  ['method:tools/call dur:>500 status:4xx', true],
  ['method:tools/call dur:>700', false],
  ['nonsense:7', true],
];

for (const [typed, is] of cases)
  test(`the filter ${JSON.stringify(typed)} ${is ? 'lets a row through' : 'holds a row back'}`, () => {
    assert.equal(parseFilter(typed).test(row), is);
  });

test('what failed at a tool is an error, whatever its message is', () => {
  const { kind: _, status: __, ...rest } = row;
  const result: RowView = { ...rest, kind: 'result', status: 200 };
  const { test: isError } = parseFilter('is:error');
  assert.deepEqual([isError(result), isError({ ...result, failed: true })], [false, true]);
});

test('a request waits no more once its exchange is over, and is an error unless it was given up', () => {
  const { kind: _, status: __, pair: ___, ...rest } = row;
  const request: RowView = { ...rest, from: 'client', kind: 'request' };
  const over: RowView = { ...request, over: 8 };
  const rows = [request, over, { ...over, cancelled: true as const }];
  assert.deepEqual(rows.map(parseFilter('is:open').test), [true, false, false]);
  assert.deepEqual(rows.map(parseFilter('is:error').test), [false, true, false]);
});

test('terms that mean nothing are told, and a text is looked for by who has the texts', () => {
  assert.deepEqual(parseFilter('nonsense:7 dur:x is:y -text:z').unknown, ['nonsense:7', 'dur:x', 'is:y', '-text:z']);
  assert.equal(parseFilter('text:"Two Words"').text, 'two words');
  assert.equal(parseFilter('text:x', new Set([7])).test(row), true);
  assert.equal(parseFilter('text:x', new Set([8])).test(row), false);
});

test('an answer is found by what its request is about, and the code of an error is no wish to be without it', () => {
  const request: RowView = { ...row, n: 6, kind: 'request', about: 'echo' };
  const rowAt = (n: number | undefined): RowView | undefined => (n === 6 ? request : undefined);
  assert.deepEqual(
    ['echo', 'other', '-echo', '-32601'].map((typed) => parseFilter(typed, undefined, rowAt).test(row)),
    [true, false, false, false],
  );
  assert.equal(parseFilter('-32601').test({ ...row, about: 'said -32601' }), true);
});
