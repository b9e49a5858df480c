/** A server wants a key and says nowhere how to sign in: it is reached with each option that an error, or `explain`, names. */

import assert from 'node:assert/strict';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { exampleCommand, inThisProcess } from '../support/cli-process.ts';
import { served } from '../support/inspected.ts';

/** Serves whoever sends a header. */
async function keyed(t: TestContext, header: string, challenge?: string): Promise<string> {
  const handler = toNodeHandler(createServer({ name: 'keyed', version: '1' }));
  const http = createHttp((incoming, outgoing) => {
    if (incoming.headers.authorization === header) return handler(incoming, outgoing);
    const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
    return void outgoing.writeHead(401, { 'content-type': 'application/json', ...headers }).end('{"error":"no key"}');
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
    return handler.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

const env = { KEY: 'abc' };

for (const argv of [['login'], ['call'], ['bridge', '--stdio', '--login', 'never']])
  test(`a key is given in each way that the error names of: parley ${argv.join(' ')}`, async (t) => {
    const url = await keyed(t, 'Bearer abc');
    const { code, stderr } = await inThisProcess([...argv, url], env);
    assert.notEqual(code, 0);
    assert.match(stderr, /what its operator gave you,? (?:goes )?by --header(?: 'Name: value')? or --token-env/);
    for (const words of [
      ['--header', 'Authorization: Bearer abc'],
      ['--token-env', 'KEY'],
    ]) {
      const called = await inThisProcess(['call', ...words, url], env);
      assert.equal(called.code, 0, called.stderr);
    }
  });

test('credentials of another scheme, and those for the oldest clients, are given as `explain` says', async (t) => {
  const url = await keyed(t, 'Basic YTpi', 'Basic realm="a"');
  const { stdout } = await inThisProcess(['explain', url], env);
  const text = stdout.replaceAll(/\s+/g, ' ');
  const option = /(--header) can hold such credentials/.exec(text)?.[1] ?? assert.fail(stdout);
  assert.match(text, /2024-11-05 - knows no authorization: a token has to be given to the client \(--header\)/);
  for (const words of [[], ['--revision', '2025-11-25']]) {
    const called = await inThisProcess(['call', ...words, option, 'Authorization: Basic YTpi', url], env);
    assert.equal(called.code, 0, called.stderr);
  }
});

test('a server that wants no login is called, as the error of a login says', async (t) => {
  const url = await served(t, createServer({ name: 'open', version: '1' }));
  const { stderr } = await inThisProcess(['login', url], env);
  const command = /nothing to sign in to, and parley (call) works as it is$/m.exec(stderr)?.[1] ?? assert.fail(stderr);
  assert.equal((await inThisProcess([command, url], env)).code, 0);
});

test('what a bridge adapts is in the JSON that `explain` names', async () => {
  const words = ['--', ...exampleCommand];
  const { stdout } = await inThisProcess(['explain', ...words], env);
  const option = /is not counted\. (--json) tells how and why\./.exec(stdout.replaceAll(/\s+/g, ' '))?.[1];
  const json = await inThisProcess(['explain', option ?? assert.fail(stdout), ...words], env);
  assert.ok('bridge' in (JSON.parse(json.stdout) as object));
});
