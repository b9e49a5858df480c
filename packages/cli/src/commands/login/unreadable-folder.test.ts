/** A folder of credentials that cannot be read. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { listen } from '../../../../parley/src/transports/node/server/http.ts';
import { createServer } from '../../../../parley/src/server/server.ts';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';

/** A file is no folder, not even for root. */
const env = { XDG_STATE_HOME: import.meta.filename };
const message =
  /^parley: the stored credentials cannot be used: ENOTDIR: [^\n]*\. Set XDG_STATE_HOME to a folder that you may read and write/;

async function served(t: TestContext): Promise<string> {
  const server = createServer({ name: 'plain', version: '1.0.0' });
  server.tool('add', {}, () => 'added');
  const { url, close } = await listen(server, { port: 0 });
  t.after(async () => {
    await close();
    await server.close();
  });
  return url;
}

test('a call that needs no credentials goes on without them, with one warning', async (t) => {
  const { code, stdout, stderr } = await inThisProcess(['call', await served(t), 'add'], env);
  assert.deepEqual([code, stdout], [0, 'added\n']);
  assert.match(stderr, message);
  assert.equal(stderr.replace(message, ''), '. This command goes on without them\n');
});

for (const words of [['whoami'], ['logout', '--all'], ['logout', 'https://mcp.example/mcp']])
  test(`${words.slice(0, 2).join(' ')} says that it cannot read the credentials, and not that no user is signed in`, async () => {
    const { code, stdout, stderr } = await inThisProcess(words, env);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
  });
