import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { listen } from '../../../../parley/src/transports/node/server/http.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import { createServer } from '../../../../parley/src/server/server.ts';
import { inThisProcess } from '../../../../../test/support/cli-process.ts';

/** Serves a tool and a resource, and refuses what is named. */
async function refusing(t: TestContext, methods: readonly string[]): Promise<string> {
  const server = createServer({ name: 'picky', version: '1.0.0' });
  server.tool('add', {}, () => 'added');
  server.resource('memo://one', { name: 'one' }, () => 'milk');
  for (const method of methods)
    server.use(method, () => {
      throw new McpError('methodNotFound', 'Method not found\u001b[2J');
    });
  const { url, close } = await listen(server, { port: 0 });
  t.after(async () => {
    await close();
    await server.close();
  });
  return url;
}

test('a list that the server refuses is said to be, and hides no other', async (t) => {
  const url = await refusing(t, ['resources/templates/list']);
  const { code, stdout, stderr } = await inThisProcess(['call', url]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /tools\n {2}add\(\)\n/);
  assert.match(stdout, /resources\n {2}memo:\/\/one +one\n/);
  assert.match(stdout, /refused\n {2}resources\/templates\/list {2}-32601 Method not found\S*\n$/);
  assert.equal(stdout.includes('\u001b'), false);
  const { refused, tools } = JSON.parse((await inThisProcess(['call', '--json', url])).stdout);
  assert.deepEqual(Object.keys(refused), ['resources/templates/list']);
  assert.equal(tools.length, 1);
});

test('a server whose lists are answered says nothing of refusals', async (t) => {
  const { stdout } = await inThisProcess(['call', '--json', await refusing(t, [])]);
  assert.equal('refused' in JSON.parse(stdout), false);
});

test('a server that refuses all of its lists fails, and says which', async (t) => {
  const methods = ['tools/list', 'resources/list', 'resources/templates/list'];
  const url = await refusing(t, methods);
  const { code, stdout, stderr } = await inThisProcess(['call', url]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.ok(stderr.startsWith('parley: the server refused ') && !stderr.includes('\u001b'), stderr);
  for (const method of methods) assert.ok(stderr.includes(`${method}: -32601 Method not found`), stderr);
});
