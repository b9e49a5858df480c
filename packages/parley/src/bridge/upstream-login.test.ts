import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthorizationError } from '../auth/common/errors.ts';
import { authorizationFailure } from './upstream-login.ts';

test('the failure of an authorization is found among what caused an error, four errors down and no further', () => {
  const failure = new AuthorizationError('login-required', 'sign in', { scopes: ['a'] });
  const within = (depth: number): Error =>
    depth === 0 ? failure : new Error(`around ${depth}`, { cause: within(depth - 1) });
  for (const depth of [0, 1, 4])
    assert.deepEqual(authorizationFailure(within(depth)), { mendable: true, message: 'sign in', scopes: ['a'] });
  for (const other of [within(5), new Error('x', { cause: 'login-required' }), undefined, 'x'])
    assert.equal(authorizationFailure(other), undefined);
});

test('only a login mends what wants one', () => {
  const denied = new AuthorizationError('denied', 'no');
  assert.deepEqual(authorizationFailure(denied), { mendable: false, message: 'no', scopes: undefined });
});
