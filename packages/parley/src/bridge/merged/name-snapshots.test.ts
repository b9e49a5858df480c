import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall } from '../../../../../test/support/made-call.ts';
import type { Call } from '../../server/runtime/call.ts';
import { Views } from './name-snapshots.ts';

function callOf(
  principal: string | undefined,
  more: { readonly clientId?: string; readonly session?: object } = {},
): Call {
  const { call } = madeCall('tools/list');
  const { clientId, session } = more;
  const auth = principal === undefined ? undefined : { principal, ...(clientId === undefined ? {} : { clientId }) };
  // A view is found by nothing else.
  return Object.defineProperties(call, { auth: { value: auth, configurable: true }, session: { value: session } });
}

test('a session, a client of a principal, and clients without either have a view each', () => {
  const views = new Views();
  const [state, other] = [new Map(), new Map()];
  const calls = [
    callOf(undefined),
    callOf('a'),
    callOf('b'),
    callOf('a', { clientId: 'c' }),
    callOf('a', { clientId: 'd' }),
    callOf('a', { session: { state } }),
    callOf('a', { session: { state: other } }),
  ];
  const own = calls.map((call) => views.of(call));
  assert.equal(new Set(own).size, calls.length);
  assert.deepEqual(
    calls.map((call) => views.of(call) === own[calls.indexOf(call)]),
    calls.map(() => true),
  );
});

test('the views of a thousand clients are kept, and the one used least recently is dropped', () => {
  const views = new Views();
  const call = callOf('a');
  const of = (principal: string) =>
    views.of(Object.defineProperty(call, 'auth', { value: { principal }, configurable: true }));
  const [first, second, third] = [of('0'), of('1'), of('2')];
  for (let count = 3; count < 1_000; count++) of(`${count}`);
  assert.equal(of('0'), first);
  of('1000');
  assert.equal(of('0'), first);
  assert.equal(of('2'), third);
  assert.notEqual(of('1'), second);
});
