import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldProblems } from './problems.ts';

test('a value that matches no schema of several has one message', () => {
  const problems = [
    { path: '/a', message: 'must not have fewer than 3 characters' },
    { path: '/a', message: 'must be integer' },
    { path: '/a', message: 'must match exactly one schema in oneOf' },
    { path: '/m', message: 'must not have fewer than 5 characters' },
    { path: '/m', message: 'must match the pattern ^[a-z]+@' },
  ];
  assert.deepEqual(
    fieldProblems(problems).map(({ steps, message }) => [...steps, message]),
    [
      ['a', 'must not have fewer than 3 characters'],
      ['m', 'must not have fewer than 5 characters'],
      ['m', 'must match the pattern ^[a-z]+@'],
    ],
  );
});
