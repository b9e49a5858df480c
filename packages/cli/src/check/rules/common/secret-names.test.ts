import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretProperty } from './secret-names.ts';

test('a text is a secret by a name that means nothing else, however its words are joined', () => {
  for (const name of [
    'password',
    'Password',
    'api_key',
    'API-Key',
    'accessToken',
    'new_password',
    'credit card number',
  ])
    assert.ok(isSecretProperty(name, { type: 'string' }), name);
});

test('what may be something else is none: other names, and what is chosen or switched', () => {
  for (const name of ['token', 'key', 'pin', 'cardNumber', 'passwordless', 'page_token', 'secretary', 'password_hint'])
    assert.ok(!isSecretProperty(name, { type: 'string' }), name);
  for (const schema of [
    { type: 'boolean' },
    { type: 'string', enum: ['none', 'some'] },
    { type: 'string', oneOf: [] },
    {},
  ])
    assert.ok(!isSecretProperty('password', schema), JSON.stringify(schema));
});
