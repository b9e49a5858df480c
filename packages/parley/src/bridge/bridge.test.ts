import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { bridgeBefore, clientOf, pairs, serverAt, type Pair } from '../../../../test/support/bridged.ts';
import type { Client } from '../client/api/client.ts';
import { McpError } from '../protocol/error.ts';
import { revisionOf, type Revision } from '../protocol/revision.ts';
import type { Server } from '../server/server.ts';

const pixel = 'iVBORw0KGgo=';
const sound = 'UklGRiQ=';

const content = [
  { type: 'text', text: 'words' },
  { type: 'image', data: pixel, mimeType: 'image/png' },
  { type: 'audio', data: sound, mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'memo:one', mimeType: 'text/plain', text: 'first' } },
  { type: 'resource', resource: { uri: 'memo:two', mimeType: 'application/octet-stream', blob: 'AQID' } },
  { type: 'resource_link', uri: 'memo:two', name: 'two' },
] as const;

function createUpstream(up: Pair['up']): Server {
  const server = serverAt(up, { instructions: 'ask away', pageSize: 2, cache: { ttlMs: 5000, cacheScope: 'public' } });
  addTools(server);
  server.resource('memo:one', { name: 'one', title: 'One', mimeType: 'text/plain' }, () => 'first');
  server.resource('memo:two', { name: 'two', mimeType: 'application/octet-stream' }, () => new Uint8Array([1, 2, 3]));
  server.resource('memo:three', { name: 'three' }, () => 'third');
  server.resourceTemplate('user:{id}', { name: 'user', complete: { id: () => ['ada', 'adele'] } }, (_, { id }) => id);
  server.prompt(
    'greet',
    {
      title: 'Greet',
      arguments: [{ name: 'who', required: true }, { name: 'tone' }],
      complete: { who: (typed, ctx) => [`${typed}a`, ctx.arguments['tone'] ?? 'plain'] },
    },
    ({ who }) => `Greet ${who}.`,
  );
  for (const name of ['second', 'third']) server.prompt(name, {}, () => name);
  return server;
}

function addTools(server: Server): void {
  const number = { type: 'number' } as const;
  server.tool(
    'add',
    {
      title: 'Add',
      input: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
      output: { type: 'object', properties: { sum: number }, required: ['sum'] },
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool('content', {}, () => [...content]);
  server.tool('list', { output: { type: 'array', items: number } }, () => [1, 2]);
  server.tool('either', { output: { anyOf: [{ type: 'object' }, { type: 'null' }] } }, () => ({ yes: true }));
  server.tool('fail', {}, () => ({ content: [{ type: 'text', text: 'no luck' }], isError: true }));
  server.tool('refuse', {}, () => {
    throw new McpError('invalidParams', 'not today', { data: { retry: 'tomorrow' } });
  });
  server.tool('own', {}, () => {
    throw new McpError(4711, 'my own trouble', { data: [1] });
  });
}

interface Ends {
  readonly bridged: Client;
  /** The same server without a bridge, at the older of the two revisions. */
  readonly direct: Client;
  readonly down: Revision;
  readonly up: Revision;
}

async function ends(t: Pick<TestContext, 'after'>, { down, up }: Pair): Promise<Ends> {
  const bridge = await bridgeBefore(t, createUpstream(up));
  const bridged = await clientOf(t, bridge, down);
  const older = down < up ? down : up;
  return { bridged, direct: await clientOf(t, createUpstream(older), older), down: facts(down), up: facts(up) };
}

function facts(date: Pair['up']): Revision {
  const revision = revisionOf(date);
  assert.ok(revision !== undefined);
  return revision;
}

for (const pair of pairs) {
  describe(`a client at ${pair.down} before a server at ${pair.up}`, () => {
    // The tests change nothing at either end.
    const closing: (() => unknown)[] = [];
    let both: Ends;
    before(async () => {
      both = await ends({ after: (run) => void closing.push(run as () => unknown) }, pair);
    });
    after(async () => {
      for (const close of closing) await close();
    });

    it('is told who the server is, and how to use it', async () => {
      const { bridged } = both;
      assert.equal(bridged.revision, pair.down);
      assert.deepEqual([bridged.server?.name, bridged.instructions], ['upstream', 'ask away']);
      const { tools, resources, prompts } = bridged.capabilities;
      assert.deepEqual([tools?.listChanged, resources?.subscribe, prompts?.listChanged], [true, true, true]);
    });

    it('gets every page of every list [page-002]', async () => {
      const { bridged, direct } = both;
      assert.deepEqual(plain(await bridged.listTools()), plain(await direct.listTools()));
      assert.deepEqual(plain(await bridged.listResources()), plain(await direct.listResources()));
      assert.deepEqual(plain(await bridged.listResourceTemplates()), plain(await direct.listResourceTemplates()));
      assert.deepEqual(plain(await bridged.listPrompts()), plain(await direct.listPrompts()));
      const pages = [];
      for await (const page of bridged.pages('tools/list')) pages.push(page);
      assert.equal(pages.length, 4);
    });

    it('gets every kind of content', async () => {
      const { bridged, direct } = both;
      assert.deepEqual((await bridged.callTool('content')).content, (await direct.callTool('content')).content);
    });

    it('gets structured output in its own shape', async () => {
      const { bridged, down, up } = both;
      await bridged.listTools();
      const structured = down.structuredContent !== 'none' && up.structuredContent !== 'none';
      const sum = await bridged.callTool('add', { a: 1, b: 2 });
      assert.deepEqual(sum.structuredContent, structured ? { sum: 3 } : undefined);
      assert.deepEqual(sum.content, [{ type: 'text', text: '{"sum":3}' }]);
      const bare = down.structuredContent === 'any' && up.structuredContent === 'any';
      const list = await bridged.callTool('list');
      assert.deepEqual(list.structuredContent, bare ? [1, 2] : structured ? { result: [1, 2] } : undefined);
      const either = await bridged.callTool('either');
      const value = { yes: true };
      assert.deepEqual(either.structuredContent, bare ? value : structured ? { result: value } : undefined);
    });

    it('gets failures of tools as results, and errors as they are', async () => {
      const { bridged } = both;
      const failed = await bridged.callTool('fail');
      assert.deepEqual([failed.isError, failed.content], [true, [{ type: 'text', text: 'no luck' }]]);
      await rejects(bridged.callTool('refuse'), { code: -32602, message: 'not today', data: { retry: 'tomorrow' } });
      await rejects(bridged.callTool('own'), { code: 4711, message: 'my own trouble', data: [1] });
      await rejects(bridged.callTool('nothing'), { code: -32602, message: 'unknown tool "nothing"', data: undefined });
    });

    it('reads resources, and hears of missing ones by the code of its revision [resources-014]', async () => {
      const { bridged, direct, down } = both;
      for (const uri of ['memo:one', 'memo:two', 'user:ada']) {
        assert.deepEqual((await bridged.readResource(uri)).contents, (await direct.readResource(uri)).contents);
      }
      const code = down.era === 'stateless' ? -32602 : -32002;
      const message = 'no resource at "memo:none"';
      await rejects(bridged.readResource('memo:none'), { code, message, data: { uri: 'memo:none' } });
    });

    it('gets prompts', async () => {
      const { bridged, direct } = both;
      const who = { who: 'Ada' };
      assert.deepEqual(
        (await bridged.getPrompt('greet', who)).messages,
        (await direct.getPrompt('greet', who)).messages,
      );
      await assert.rejects(bridged.getPrompt('greet', {}), { code: -32602 });
    });

    it('completes arguments, with those that are settled where both sides know of them', async () => {
      const { bridged, direct } = both;
      const argument = { name: 'who', value: 'ad' };
      const options = { context: { arguments: { tone: 'warm' } } };
      const prompt = { type: 'ref/prompt', name: 'greet' } as const;
      const template = { type: 'ref/resource', uri: 'user:{id}' } as const;
      assert.deepEqual(
        (await bridged.complete(prompt, argument, options)).completion,
        (await direct.complete(prompt, argument, options)).completion,
      );
      const { values } = (await bridged.complete(template, { name: 'id', value: 'a' })).completion;
      assert.deepEqual(values, ['ada', 'adele']);
    });

    it('is answered a ping [ping-001], and refused what does not exist', async () => {
      const { bridged } = both;
      await bridged.ping();
      for (const method of ['no/such', '__proto__', 'constructor', 'tasks/nothing'])
        await assert.rejects(bridged.request(method, {}), { code: -32601 }, method);
    });
  });
}

for (const up of ['2025-11-25', '2026-07-28'] as const) {
  it(`hints on lists, reads and discovery come from a server at ${up}, where it has them [caching-001]`, async (t) => {
    const bridge = await bridgeBefore(t, createUpstream(up));
    const client = await clientOf(t, bridge, '2026-07-28', { cache: 'bypass' });
    const expected = up === '2026-07-28' ? { ttlMs: 5000, cacheScope: 'public' } : { ttlMs: 0, cacheScope: 'private' };
    for (const [method, params] of [
      ['tools/list', {}],
      ['resources/list', {}],
      ['server/discover', {}],
    ] as const) {
      const { ttlMs, cacheScope } = await client.request(method, params);
      assert.deepEqual({ ttlMs, cacheScope }, expected, method);
    }
  });
}

/** As JSON, without the hints that only some revisions have. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

async function rejects(
  work: Promise<unknown>,
  { code, message, data }: { code: number; message: string; data: unknown },
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof McpError, String(error));
    assert.deepEqual({ code: error.code, message: error.message, data: error.data }, { code, message, data });
    return true;
  });
}
