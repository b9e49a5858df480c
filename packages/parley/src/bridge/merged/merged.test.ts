/** Several servers as one: what a client sees of them, and how its requests find their server. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clientOf, pairs } from '../../../../../test/support/bridged.ts';
import { frontOf, namedServer } from '../../../../../test/support/fronted.ts';
import type { Client } from '../../client/api/client.ts';
import { McpError } from '../../protocol/error.ts';
import { ownMethodsKey } from '../../protocol/extension.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import type { Server } from '../../server/server.ts';

const string = { type: 'string' } as const;

/** Two servers that agree in a tool, a prompt and a resource. */
function twins(up: RevisionDate, other: RevisionDate = up): { readonly left: Server; readonly right: Server } {
  const [left, right] = [namedServer('left', up, { instructions: 'go left' }), namedServer('right', other)];
  for (const server of [left, right]) {
    const { name } = server.info;
    server.tool('both', {}, () => `both of ${name}`);
    server.tool(
      `only-${name}`,
      { input: { type: 'object', properties: { word: string } } },
      ({ word }) => `${name} ${word}`,
    );
    server.prompt('shared', { arguments: [{ name: 'who' }], complete: { who: () => [name] } }, () => name);
    server.prompt(`prompt-${name}`, {}, () => name);
    server.resource('memo:both', { name: 'both' }, () => name);
    server.resource(`memo:${name}`, { name }, () => name);
    server.resourceTemplate(
      `${name}:{id}`,
      { name, complete: { id: () => [`${name} id`] } },
      (_, { id }) => `${name} ${id}`,
    );
  }
  return { left, right };
}

function texts(result: { readonly content: readonly object[] }): readonly unknown[] {
  return result.content.map((block) => ('text' in block ? block.text : block));
}

async function read(client: Client, uri: string): Promise<unknown> {
  const { contents } = await client.readResource(uri);
  return contents.map((one) => ('text' in one ? one.text : one))[0];
}

for (const { down, up } of pairs) {
  describe(`a client at ${down} before two servers at ${up}`, () => {
    it('sees the lists of both, with prefixes where names collide', async (t) => {
      const client = await clientOf(t, await frontOf(t, twins(up)), down);
      assert.deepEqual(
        (await client.listTools()).map(({ name }) => name),
        ['left__both', 'only-left', 'right__both', 'only-right'],
      );
      assert.deepEqual(
        (await client.listPrompts()).map(({ name }) => name),
        ['left__shared', 'prompt-left', 'right__shared', 'prompt-right'],
      );
      assert.deepEqual(
        (await client.listResources()).map(({ uri }) => uri),
        ['memo:both', 'memo:left', 'memo:right'],
      );
      assert.deepEqual(
        (await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate),
        ['left:{id}', 'right:{id}'],
      );
    });

    it('reaches the owner of what it names', async (t) => {
      const client = await clientOf(t, await frontOf(t, twins(up)), down);
      assert.deepEqual(texts(await client.callTool('right__both')), ['both of right']);
      assert.deepEqual(texts(await client.callTool('only-right', { word: 'x' })), ['right x']);
      assert.equal(await read(client, 'memo:both'), 'left');
      assert.equal(await read(client, 'memo:right'), 'right');
      assert.equal(await read(client, 'right:7'), 'right 7');
      const { messages } = await client.getPrompt('right__shared');
      assert.deepEqual(messages[0]?.content, { type: 'text', text: 'right' });
      const suggested = await client.complete({ type: 'ref/prompt', name: 'left__shared' }, { name: 'who', value: '' });
      assert.deepEqual(suggested.completion.values, ['left']);
      const ids = await client.complete({ type: 'ref/resource', uri: 'right:{id}' }, { name: 'id', value: '' });
      assert.deepEqual(ids.completion.values, ['right id']);
    });
  });
}

async function twinsClient(t: TestContext, down: RevisionDate = '2025-11-25'): Promise<Client> {
  return await clientOf(t, await frontOf(t, twins('2025-11-25', '2026-07-28')), down);
}

for (const down of ['2025-11-25', '2026-07-28'] as const) {
  describe(`a client at ${down} before a mixed pair`, () => {
    it('may use the prefix also where it is not needed', async (t) => {
      const client = await twinsClient(t, down);
      assert.deepEqual(texts(await client.callTool('right__only-right', { word: 'x' })), ['right x']);
    });

    it('is told that nobody has a tool, and which ones share a name', async (t) => {
      const client = await twinsClient(t, down);
      await assert.rejects(client.callTool('nobody'), { code: -32602, message: 'unknown tool "nobody"' });
      await assert.rejects(client.callTool('both'), {
        code: -32602,
        message: 'the tool "both" is called "left__both" or "right__both"',
      });
      await assert.rejects(client.getPrompt('nobody'), { code: -32602 });
    });

    it('is told that nobody knows a resource', async (t) => {
      const client = await twinsClient(t, down);
      const missing = down === '2025-11-25' ? -32002 : -32602;
      await assert.rejects(client.readResource('memo:nowhere'), { code: missing });
    });

    it('reads what only one server knows and does not list', async (t) => {
      const { left, right } = twins('2025-11-25', '2026-07-28');
      const client = await clientOf(t, await frontOf(t, { left, right }), down);
      await client.listResources();
      right.resource('memo:late', { name: 'late' }, () => 'late');
      assert.equal(await read(client, 'memo:late'), 'late');
    });

    it('cannot make up a cursor [page-005]', async (t) => {
      const client = await twinsClient(t, down);
      const others = ['["tools","nobody"]', '["prompts","prompt-left"]', '["tools"]', '{}', 'null'].map((one) =>
        btoa(one),
      );
      for (const cursor of ['x', ...others])
        await assert.rejects(client.request('tools/list', { cursor }), { code: -32602 });
    });

    it('gets the first page for an empty cursor, as at a server', async (t) => {
      const warnings: string[] = [];
      const { left, right } = twins('2025-11-25', '2026-07-28');
      const client = await clientOf(t, await frontOf(t, { left, right }, { warnings }), down);
      for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
        assert.deepEqual(await client.request(method, { cursor: '' }), await client.request(method, {}));
      const told = warnings.filter((warning) => warning.includes('cursor'));
      assert.deepEqual(told, ['a client sends an empty cursor; it is answered all the same']);
    });

    it('gets long lists by pages, each entry once', async (t) => {
      const many = namedServer('many', '2025-11-25', { pageSize: 400 });
      for (let at = 0; at < 1500; at++) many.resource(`memo:${at}`, { name: `${at}` }, () => '');
      const { left } = twins('2025-11-25');
      const client = await clientOf(t, await frontOf(t, { many, left }), down);
      const pages = [];
      for await (const page of client.pages('resources/list')) pages.push(page.items.length);
      assert.deepEqual(pages, [1000, 502]);
    });

    it('is told who stands there, and how to use each', async (t) => {
      const client = await twinsClient(t, down);
      await client.listTools();
      assert.equal(client.server?.name, 'parley-bridge');
      assert.equal(client.instructions, '# left\n\ngo left');
      const { tools, resources, prompts, completions } = client.capabilities;
      assert.deepEqual([tools, prompts], [{ listChanged: true }, { listChanged: true }]);
      assert.deepEqual([resources, completions], [{ subscribe: true, listChanged: true }, {}]);
    });
  });
}

describe('a front', () => {
  it('prefixes every name when that is asked for', async (t) => {
    const client = await clientOf(t, await frontOf(t, twins('2025-11-25'), { prefix: 'always' }), '2025-11-25');
    assert.deepEqual(
      (await client.listTools()).map(({ name }) => name),
      ['left__both', 'left__only-left', 'right__both', 'right__only-right'],
    );
    await assert.rejects(client.callTool('only-left'), { code: -32602 });
  });

  it('says once that two servers have the same resource', async (t) => {
    const warnings: string[] = [];
    const client = await clientOf(t, await frontOf(t, twins('2025-11-25'), { warnings }), '2025-11-25');
    for (let count = 0; count < 2; count++) await client.listResources();
    assert.deepEqual(warnings, ['left and right both have "memo:both"; that of left is served']);
  });

  it('of one server is that server', async (t) => {
    const { left } = twins('2025-11-25');
    const client = await clientOf(t, await frontOf(t, { left }), '2025-11-25');
    assert.deepEqual([client.server?.name, client.instructions], ['left', 'go left']);
    assert.deepEqual((await client.listTools())[0]?.name, 'both');
  });

  it('sends a header for a parameter that its owner mirrors, whatever the tool is called here', async (t) => {
    const mirrored = { type: 'string', 'x-mcp-header': 'Region' } as const;
    const { left, right } = twins('2026-07-28');
    for (const server of [left, right])
      server.tool('place', { input: { type: 'object', properties: { region: mirrored } } }, () => 'here');
    right.tool('only', { input: { type: 'object', properties: { region: mirrored } } }, () => 'there');
    const bridge = await frontOf(t, { left, right });
    const expected = [{ name: 'Region', path: ['region'] }];
    for (const name of ['right__place', 'only']) assert.deepEqual(bridge.endpoint.headerParameters(name), expected);
    await (await clientOf(t, bridge, '2026-07-28')).listTools();
    assert.deepEqual(bridge.endpoint.headerParameters('right__place'), expected);
    assert.deepEqual(bridge.endpoint.headerParameters('nobody'), []);
  });

  it('carries a question of a server in the middle of a call', async (t) => {
    const { left, right } = twins('2025-11-25', '2026-07-28');
    for (const server of [left, right])
      server.tool('ask', {}, async (_, ctx) => {
        const schema = { type: 'object', properties: { name: string } } as const;
        const answer = await ctx.elicit({ message: 'Your name?', schema });
        return `${server.info.name} ${JSON.stringify(answer)}`;
      });
    const bridge = await frontOf(t, { left, right });
    const answer = JSON.stringify({ action: 'accept', content: { name: 'Ada' } });
    for (const down of ['2025-11-25', '2026-07-28'] as const) {
      const client = await clientOf(t, bridge, down, {
        capabilities: { elicitation: { form: {} } },
        onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      });
      assert.deepEqual(texts(await client.callTool('left__ask')), [`left ${answer}`]);
      assert.deepEqual(texts(await client.callTool('right__ask')), [`right ${answer}`]);
    }
  });

  it('sets the log level of every server', async (t) => {
    const { left, right } = twins('2025-11-25', '2025-06-18');
    for (const server of [left, right])
      server.tool('log', {}, (_, ctx) => {
        ctx.log('debug', `from ${server.info.name}`);
        return 'done';
      });
    const heard: unknown[] = [];
    const client = await clientOf(t, await frontOf(t, { left, right }), '2025-11-25', {
      onLog: ({ data }) => void heard.push(data),
    });
    await client.setLogLevel('debug');
    await client.callTool('left__log');
    await client.callTool('right__log');
    assert.deepEqual(heard, ['from left', 'from right']);
  });

  it('asks for what the protocol does not know wherever it is known', async (t) => {
    const client = await clientOf(t, await frontOf(t, twins('2025-11-25')), '2025-11-25');
    await assert.rejects(client.request('acme/unknown', {}), (error) => {
      assert.ok(error instanceof McpError);
      return error.kind === 'methodNotFound';
    });
  });
});

it('lists the own methods of every server', async (t) => {
  const [one, two] = [namedServer('one', '2025-11-25'), namedServer('two', '2026-07-28')];
  for (const [server, method] of [
    [one, 'a'],
    [one, 'b'],
    [two, 'b'],
    [two, 'c'],
  ] as const)
    server.method(`com.example/${method}`, {}, () => ({}));
  const client = await clientOf(t, await frontOf(t, { one, two }), '2025-06-18');
  const { [ownMethodsKey]: listed } = client.capabilities.experimental ?? {};
  assert.deepEqual(Object.keys(listed ?? {}).toSorted(), ['com.example/a', 'com.example/b', 'com.example/c']);
});
