import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForwardDomain } from './forward-names.ts';

test('a domain as it is spoken is told apart from one that is reversed, and from what may be either', () => {
  for (const name of ['example.com', 'api.example.org', 'Example.COM', 'my-app.net'])
    assert.ok(isForwardDomain(name.split('.')), name);
  for (const name of [
    'com.example',
    'io.github.com',
    'uk.co.example.net',
    'fastmcp',
    'acme.tools',
    'dev.mcp',
    'google.com',
    'de.example.com',
    '',
  ])
    assert.ok(!isForwardDomain(name.split('.')), name);
});
