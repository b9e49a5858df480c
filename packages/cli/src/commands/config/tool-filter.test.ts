import assert from 'node:assert/strict';
import { stderr } from 'node:process';
import { describe, test, type TestContext } from 'node:test';
import { connect, type Client } from '../../../../parley/src/client.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { listen } from '../../../../parley/src/transports/node/server/http.ts';
import { createServer } from '../../../../parley/src/server.ts';
import { scriptedTransport } from '../../../../parley/src/testing/scripted.ts';
import { configOf } from './config.ts';
import { filtered } from './tool-filter.ts';

/** A client of a server with three tools, by an entry of a file. */
async function clientBy(t: TestContext, fields: object): Promise<Client> {
  const server = createServer({ name: 's', version: '1' });
  for (const name of ['read', 'write', 'drop']) server.tool(name, {}, () => name);
  const http = await listen(server, { port: 0 });
  const { upstreams, warnings } = configOf(
    { mcpServers: { one: { url: http.url, ...fields } } },
    { file: 'f', io: { env: {}, stderr } },
  );
  assert.deepEqual(warnings, []);
  const { one } = upstreams;
  assert.ok(one);
  const client = await connect(one.reach({}));
  t.after(async () => {
    await client.close();
    await http.close();
    await server.close();
  });
  return client;
}

describe('the tools that a file of a host names', () => {
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{ disabledTools: ['drop'] }, ['read', 'write']],
    [{ excludeTools: ['drop', 'write'] }, ['read']],
    [{ includeTools: ['read(path)'] }, ['read']],
    [{ tools: ['*'] }, ['read', 'write', 'drop']],
    [{ tools: ['read', 'drop'], disabled_tools: ['drop'] }, ['read']],
    [{ includeTools: [] }, []],
    [{ tools: { drop: { enabled: false }, write: { approval_mode: 'approve' } } }, ['read', 'write']],
    [{ tools: { drop: false }, enabledTools: ['drop', 'read'] }, ['read']],
  ];
  for (const [fields, names] of cases)
    test(JSON.stringify(fields), async (t) => {
      const client = await clientBy(t, fields);
      assert.deepEqual(
        (await client.listTools()).map(({ name }) => name),
        names,
      );
    });

  const answers = {
    'with the id as text': (id: number) => [{ id: String(id) }],
    'after a request with the same id': (id: number) => [{ id, method: 'roots/list' }, { id }],
  };
  for (const [how, messages] of Object.entries(answers))
    test(`a server that answers ${how} leaks no tool`, async () => {
      const transport = scriptedTransport('stdio', (sent, peer) => {
        const { id, method } = sent.message;
        if (typeof id !== 'number' || method === undefined) return;
        if (method === 'initialize') {
          const serverInfo = { name: 's', version: '1' };
          peer.reply(sent, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
          return;
        }
        const tools = ['read', 'drop'].map((name) => ({ name, inputSchema: { type: 'object' } }));
        for (const one of messages(id))
          peer.send({ jsonrpc: '2.0', ...one, ...('method' in one ? {} : { result: { tools } }) });
      });
      const client = await connect(
        filtered(transport, (name) => name !== 'drop'),
        { revisions: ['2025-06-18'] },
      );
      const listed = (await client.listTools()).map(({ name }) => name);
      await client.close();
      assert.deepEqual(listed, ['read']);
    });

  test('lists that are never answered are not remembered without limit', async () => {
    let answer = (_: unknown): void => assert.fail();
    const channel = await filtered(
      {
        description: 's',
        open: async ({ message }) => {
          answer = (value) => message(value, {});
          return { send: async () => undefined, close: async () => undefined };
        },
      } as Transport,
      (name) => name !== 'drop',
    ).open({ message: (value) => void got.push(value), problem: () => undefined, closed: () => undefined });
    const got: unknown[] = [];
    const tools = [{ name: 'drop' }];
    for (let id = 0; id <= 1_000; id++) await channel.send({ jsonrpc: '2.0', id, method: 'tools/list' });
    for (const id of [0, 1_000]) answer({ jsonrpc: '2.0', id, result: { tools } });
    assert.deepEqual(
      got.map((value) => Object(value).result.tools),
      [tools, []],
    );
  });

  test('a tool that is left out cannot be called', async (t) => {
    const client = await clientBy(t, { disabledTools: ['drop'] });
    await assert.rejects(client.callTool('drop'), /Unknown tool: drop/);
    assert.deepEqual((await client.callTool('read')).content, [{ type: 'text', text: 'read' }]);
  });
});
