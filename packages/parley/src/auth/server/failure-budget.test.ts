import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailureBudget } from './failure-budget.ts';

test('the addresses of one network of IPv6 are one, and those of IPv4 are each their own', () => {
  const budget = new FailureBudget({ perSecond: 1, burst: 2 }, () => 0);
  for (const address of ['2001:db8::1', '2001:db8::2', '::ffff:192.0.2.1', '::ffff:192.0.2.1', '192.0.2.7'])
    budget.failed(address);
  const spent = ['2001:db8::ffff:3', '2001:db8:0:1::1', '::ffff:192.0.2.1', '::ffff:192.0.2.2', '192.0.2.7', undefined];
  assert.deepEqual(
    spent.map((address) => budget.isSpent(address)),
    [true, false, true, false, false, false],
  );
});

test('what an address may fail comes back with time, and old addresses are forgotten', () => {
  let time = 0;
  const budget = new FailureBudget({ perSecond: 10, burst: 1 }, () => time);
  budget.failed('192.0.2.1');
  assert.equal(budget.isSpent('192.0.2.1'), true);
  time = 100;
  assert.equal(budget.isSpent('192.0.2.1'), false);
  budget.failed('192.0.2.1');
  for (let at = 0; at < 10_000; at++) budget.failed(`10.0.${at >> 8}.${at & 255}`);
  assert.equal(budget.isSpent('192.0.2.1'), false);
});

test('a clock that is set back keeps no address out until it is where it was', () => {
  let time = 3_600_000;
  const budget = new FailureBudget({ perSecond: 1, burst: 1 }, () => time);
  budget.failed('192.0.2.1');
  time = 0;
  assert.equal(budget.isSpent('192.0.2.1'), true);
  time = 1000;
  assert.equal(budget.isSpent('192.0.2.1'), false);
});
