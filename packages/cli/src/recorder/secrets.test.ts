import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentsShown, urlShown, withoutPassword } from './secrets.ts';

test('a secret whose place is known is not shown, however short it is', () => {
  assert.equal(withoutPassword('https://me:abc@a.example/mcp'), 'https://•••@a.example/mcp');
  assert.equal(urlShown('https://a.example/mcp?key=abc&x=1'), 'https://a.example/mcp?key=•••&x=1');
  assert.deepEqual(argumentsShown(['server.js', '--token', 'abc', '--api-key=xyz', '--auth', '--port', '1']), [
    'server.js',
    '--token',
    '•••',
    '--api-key=•••',
    '--auth',
    '--port',
    '1',
  ]);
});
