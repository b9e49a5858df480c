/** What plans of seeds are like. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from './plan.ts';

const seeds = Array.from({ length: 2_000 }, (_, seed) => seed);

test('most plans are short and a part is long', () => {
  const plans = seeds.map((seed) => planOf(seed));
  const long = plans.filter(({ operations }) => operations.length > 4);
  assert.ok(long.length > 250 && long.length < 500, `${long.length} of ${plans.length} have more than four operations`);
  assert.ok(long.some(({ operations }) => operations.length === 10) && long.some(({ clients }) => clients === 3));
  assert.ok(plans.every(({ operations, clients }) => operations.length > 0 && clients > 0));
});

test('a plan of the first kind is as long as it was', () => {
  const plans = seeds.map((seed) => planOf(seed, { isFirst: true }));
  const sum = plans.reduce((all, { operations, clients }) => all + operations.length + clients, 0);
  // Two operations to ten, and a client to three: as seeds that are kept had them.
  assert.ok(Math.min(...plans.map(({ operations }) => operations.length)) === 2);
  assert.ok(sum / plans.length > 7.5 && sum / plans.length < 8);
});
