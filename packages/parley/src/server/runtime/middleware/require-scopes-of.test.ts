import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lackedScopes } from '../protection.ts';
import { requireScopesOf } from './require-scopes-of.ts';

test('a sender that lacks one of several scopes is rejected with all of them', () => {
  const auth = { principal: 'ada', scopes: ['read'] };
  requireScopesOf({ auth, transport: 'tcp' }, 'read');
  requireScopesOf({ auth, transport: 'pipe' });
  assert.throws(
    () => requireScopesOf({ auth, transport: 'pipe' }, 'read', 'write'),
    (error: Error) => {
      assert.deepEqual(lackedScopes.get(error), ['read', 'write']);
      assert.match(error.message, /insufficient scope: this needs read write$/);
      return true;
    },
  );
});

test('without authorization a scope is missing over HTTP alone', () => {
  requireScopesOf({ auth: undefined, transport: 'pipe' }, 'read');
  requireScopesOf({ auth: undefined, transport: undefined }, 'read');
  assert.throws(() => requireScopesOf({ auth: undefined, transport: 'tcp' }, 'read'), { kind: 'invalidRequest' });
});
