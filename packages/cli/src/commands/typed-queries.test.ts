import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inThisProcess } from '../../../../test/support/cli-process.ts';

const url = 'http://127.0.0.1:1/mcp?key=a-secret-in-a-query';

for (const words of [
  ['call', url, '--', 'node'],
  ['tasks', url],
  ['call', url, url],
  ['bridge', '--stdio', url, url],
  ['login', url, url],
  [url],
])
  test(`the query of a URL is in no error of: parley ${words.join(' ').replaceAll('?key=a-secret-in-a-query', '')}`, async () => {
    const { code, stdout, stderr } = await inThisProcess(words);
    assert.ok(code === 1 || code === 2);
    assert.match(stderr, /^parley: [^\n]+\n$/);
    assert.doesNotMatch(stdout + stderr, /a-secret-in-a-query/);
  });
