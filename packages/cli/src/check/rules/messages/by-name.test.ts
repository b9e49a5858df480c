import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSteady } from './by-name.ts';

test('no two lists of up to eight servers that take turns look like those of two clients', async () => {
  for (let servers = 1; servers <= 8; servers++)
    for (let odd = 0; odd < 2 ** servers; odd++) {
      let turn = 0;
      const entries = async (): Promise<string> => String((odd >> (turn++ % servers)) & 1);
      assert.equal(await isSteady(entries, 'one', 'two'), false, `${odd.toString(2)} of ${servers}`);
    }
});

test('a list that changes once is not that of a client', async () => {
  for (let change = 0; change <= 12; change++) {
    let time = 0;
    assert.equal(await isSteady(async () => String(time++ < change), 'one', 'two'), false, `after ${change}`);
  }
});

test('lists that a name has alone are told apart', async () => {
  assert.equal(await isSteady(async (name) => name, 'one', 'two'), true);
});
