import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saysUnknownClient } from './unknown-client.ts';

test('the pages by which authorization servers say that a client is unknown are told from others', () => {
  const unknown = [
    '{"error":"invalid_client"}',
    'Error: unauthorized_client',
    '<p>Unknown client</p>',
    '<h1>No such client</h1>',
    'The Client ID "x" was not found',
    'client_id abc is invalid',
    'Client abc does not exist.',
    'a client here. And another client is not registered',
  ];
  assert.deepEqual(
    unknown.filter((page) => !saysUnknownClient(page)),
    [],
  );
  const others = [
    '',
    '<title>Sign in</title>',
    'Your client. The page was not found',
    '<b>client</b> unknown',
    `client ${'x'.repeat(80)} invalid`,
  ];
  assert.deepEqual(others.filter(saysUnknownClient), []);
});
