import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerOf } from './owner.ts';

test('the addresses of one network of IPv6 have one share of the places, and those of IPv4 one each', () => {
  assert.equal(ownerOf(undefined, '2001:db8::1'), ownerOf(undefined, '2001:db8::2'));
  const others = ['2001:db8::1', '2001:db8:0:1::1', '192.0.2.1', '192.0.2.2', '::ffff:192.0.2.3', '::ffff:192.0.2.4'];
  assert.equal(new Set(others.map((address) => ownerOf(undefined, address))).size, others.length);
  assert.equal(ownerOf('p', '2001:db8::1'), ownerOf('p', '192.0.2.1'));
});
