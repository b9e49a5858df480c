/** Methods, extensions and results of a user's own, between clients and servers of every revision. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { z } from 'zod';
import { createBridge } from '../packages/parley/src/bridge.ts';
import { connect, type Client, type ConnectOptions } from '../packages/parley/src/client.ts';
import { httpTransport } from '../packages/parley/src/transports/http/client/transport.ts';
import { createHandler } from '../packages/parley/src/transports/http/server/fetch.ts';
import type { Transport } from '../packages/parley/src/jsonrpc/transport.ts';
import { revisions, type RevisionDate } from '../packages/parley/src/protocol/revision.ts';
import {
  createServer,
  extensionResult,
  McpError,
  type Server,
  type ServerOptions,
} from '../packages/parley/src/server.ts';
import { memoryTransport } from '../packages/parley/src/testing/memory-transport.ts';
import type { Servable } from '../packages/parley/src/server/runtime/request-handler.ts';
import type { ClientCapabilities } from '../packages/parley/src/protocol/capability.ts';
import { dates, open, statelessDate } from './support/raw.ts';

const id = 'com.example/search';
const hits = z.object({ hits: z.array(z.string()) });

/** A server with methods of its own: one for everybody, and one of an extension that may answer in its own way. */
function searching(options: ServerOptions = {}): Server {
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined, ...options });
  server.extension(id, { most: 3 });
  server.method('com.example/echo', {}, (params, ctx) => ({ params, meta: ctx.meta['com.example/mark'] }));
  server.method(
    'com.example/find',
    { params: z.object({ text: z.string(), most: z.number().default(2) }), result: hits, extension: id },
    ({ text, most }, ctx) => {
      ctx.progress(1);
      if (text === 'ticket') return extensionResult(id, 'com.example/ticket', { ticket: 7 });
      if (text === 'wrong') return { hits: [1] } as never;
      if (text === 'secret') throw new Error('the password is 1234');
      return { hits: Array.from({ length: most }, (_, index) => `${text}${index}`) };
    },
  );
  server.tool('report', {}, () => extensionResult(id, 'com.example/ticket', { ticket: 8 }));
  server.tool('hello', {}, () => 'hello');
  return server;
}

const ways: Readonly<Record<string, (served: Servable) => Transport>> = {
  memory: (served) => memoryTransport(served),
  HTTP: (served) => {
    const handler = createHandler(served);
    return httpTransport('http://127.0.0.1/mcp', { fetch: (url, init) => handler(new Request(url, init)) });
  },
};

async function client(t: TestContext, transport: Transport, options: ConnectOptions): Promise<Client> {
  const one = await connect(transport, options);
  t.after(() => one.close());
  return one;
}

for (const [way, reach] of Object.entries(ways)) {
  for (const { date } of revisions) {
    describe(`a method of its own at ${date} over ${way}`, () => {
      test('is answered, with its parameters and result checked', async (t) => {
        const one = await client(t, reach(searching()), { revisions: [date], extensions: { [id]: {} } });
        assert.equal(one.supports(id), true);
        assert.equal(one.supports('com.example/other'), false);
        const found = await one.request('com.example/find', { text: 'a' }, { result: hits, extension: id });
        assert.deepEqual(found satisfies { hits: string[] }, { hits: ['a0', 'a1'] });
        const raw = await one.request('com.example/echo', { a: 1 }, { meta: { 'com.example/mark': 'm' } });
        assert.deepEqual([raw['params'], raw['meta']], [{ a: 1 }, 'm']);
        await assert.rejects(one.request('com.example/find', { text: 1 }), { kind: 'invalidParams', message: /text/ });
        for (const text of ['wrong', 'secret'])
          await assert.rejects(one.request('com.example/find', { text }), {
            kind: 'internalError',
            message: 'internal error',
          });
      });

      test('is refused to who did not declare its extension, in the words of the revision [meta-014]', async (t) => {
        const one = await client(t, reach(searching()), { revisions: [date] });
        await assert.rejects(one.request('com.example/find', { text: 'a' }), (error: McpError) => {
          assert.deepEqual(
            [error.code, error.data],
            [date === statelessDate ? -32021 : -32600, { requiredCapabilities: { extensions: { [id]: {} } } }],
          );
          return true;
        });
        // A programming mistake here: nothing was sent.
        await assert.rejects(one.request('com.example/find', { text: 'a' }, { extension: id }), TypeError);
      });

      test('is unknown where there is none, and not asked of a server without its extension', async (t) => {
        const bare = createServer({ name: 's', version: '1' });
        const one = await client(t, reach(bare), { revisions: [date], extensions: { [id]: {} } });
        await assert.rejects(one.request('com.example/find'), { kind: 'methodNotFound' });
        await assert.rejects(one.request('com.example/find', {}, { extension: id }), {
          kind: 'methodNotFound',
          message: /does not have/,
        });
      });

      test('may be answered by a result of the extension, typed by what its caller gave [basic-024]', async (t) => {
        const one = await client(t, reach(searching()), { revisions: [date], extensions: { [id]: {} } });
        // Results say what they are since 2026-07-28.
        const kind = date === statelessDate ? { resultType: z.literal('com.example/ticket') } : {};
        const result = z.union([hits, z.strictObject({ ...kind, ticket: z.number() })]);
        const options = { result, extension: id, resultTypes: ['com.example/ticket'] };
        const given = await one.request('com.example/find', { text: 'ticket' }, options);
        const told = date === statelessDate ? { resultType: 'com.example/ticket' } : {};
        assert.deepEqual(given, { ...told, ticket: 7 });
        await assert.rejects(one.request('com.example/find', { text: 'ticket' }, { result: hits }), {
          reason: 'invalid-message',
        });
      });
    });
  }
}

test('a tool may answer by a result of an extension to clients that declared it, and to no other [basic-024] [tasks-050]', async (t) => {
  for (const date of dates) {
    const declaring = await client(t, memoryTransport(searching()), {
      revisions: [date],
      extensions: { [id]: {} },
    });
    const silent = await client(t, memoryTransport(searching()), { revisions: [date] });
    const call = ['tools/call', { name: 'report' }, { resultTypes: ['com.example/ticket'] }] as const;
    await assert.rejects(silent.request(...call), {
      code: date === statelessDate ? -32021 : -32600,
      message: /did not declare/,
    });
    if (date === statelessDate)
      assert.partialDeepStrictEqual(await declaring.request(...call), { resultType: 'com.example/ticket', ticket: 8 });
    // Results of the protocol's own methods say what they are since 2026-07-28.
    else await assert.rejects(declaring.request(...call), { kind: 'internalError' });
    await assert.rejects(
      declaring.callTool('report'),
      date === statelessDate ? { reason: 'invalid-message' } : McpError,
    );
  }
});

test('a server declares its extensions in every revision, and among experimental ones before 2026-07-28 [versioning-012] [A14]', async () => {
  for (const { date } of revisions) {
    const server = searching({ extensions: { 'com.example/other': {}, 'io.modelcontextprotocol/tasks': {} } });
    const raw = await open(server, date, {});
    const said =
      date === statelessDate
        ? ((await raw.result('server/discover'))['capabilities'] as Record<string, unknown>)
        : await initialized(server, date);
    const declared = { [id]: { most: 3 }, 'com.example/other': {} };
    // The tasks extension builds on 2026-07-28.
    const tasks = date === statelessDate ? { 'io.modelcontextprotocol/tasks': {} } : {};
    const methods = { 'com.example/echo': {}, 'com.example/find': { extension: id } };
    const second = date === statelessDate ? {} : declared;
    assert.deepEqual(said['extensions'], { ...declared, ...tasks });
    assert.deepEqual(said['experimental'], { ...second, 'parley-mcp/methods': methods });
  }
});

test('a client declares its extensions in initialize, and among experimental ones too [A14]', async (t) => {
  for (const date of dates.filter((one) => one !== statelessDate)) {
    const server = searching();
    let said: ClientCapabilities | undefined;
    server.tool('declared', {}, (_, ctx) => {
      said = ctx.client.capabilities;
      return '';
    });
    const extensions = { [id]: { a: 1 }, 'io.modelcontextprotocol/skills': {} };
    const capabilities = { extensions: { 'com.example/own': {} } };
    const one = await client(t, memoryTransport(server), { revisions: [date], extensions, capabilities });
    await one.callTool('declared');
    const declared = { [id]: { a: 1 }, 'com.example/own': {} };
    assert.deepEqual([said?.extensions, said?.experimental], [declared, declared]);
    assert.equal(one.supports('io.modelcontextprotocol/skills'), false);
  }
});

async function initialized(server: Server, date: RevisionDate): Promise<Record<string, unknown>> {
  const one = await connect(memoryTransport(server), { revisions: [date] });
  const { capabilities } = one;
  await one.close();
  return { ...capabilities };
}

for (const { date } of revisions) {
  for (const { date: up } of revisions) {
    test(`a method of its own and its results pass a bridge between ${date} and ${up}`, async (t) => {
      const bridge = await createBridge({ upstream: memoryTransport(searching({ revisions: [up] })) });
      t.after(() => bridge.close());
      const one = await client(t, memoryTransport(bridge), { revisions: [date], extensions: { [id]: {} } });
      assert.equal(one.supports(id), true);
      const found = await one.request('com.example/find', { text: 'a' }, { result: hits, extension: id });
      assert.deepEqual(found, { hits: ['a0', 'a1'] });
      const options = { resultTypes: ['com.example/ticket'] };
      const given = await one.request('com.example/find', { text: 'ticket' }, options);
      assert.equal(given['ticket'], 7);
      if (date === statelessDate && up === statelessDate)
        assert.equal((await one.request('tools/call', { name: 'report' }, options))['ticket'], 8);
      else await assert.rejects(one.request('tools/call', { name: 'report' }, options), { kind: 'internalError' });
      const silent = await client(t, memoryTransport(bridge), { revisions: [date] });
      await assert.rejects(silent.request('com.example/find', { text: 'ticket' }, options), {
        message: /did not declare/,
        code: date === statelessDate ? -32021 : -32600,
        data: { requiredCapabilities: { extensions: { [id]: {} } } },
      });
      assert.deepEqual((await silent.callTool('hello')).content, [{ type: 'text', text: 'hello' }]);
    });
  }

  test(`what servers behind a bridge declare is declared to a client at ${date} as its revision does`, async (t) => {
    const older = searching({ revisions: ['2025-06-18'], extensions: { 'com.example/older': { a: 1 } } });
    const newer = searching({ revisions: [statelessDate], extensions: { 'com.example/newer': { b: 1 } } });
    const bridge = await createBridge({
      upstreams: { older: { upstream: memoryTransport(older) }, newer: { upstream: memoryTransport(newer) } },
    });
    t.after(() => bridge.close());
    const { capabilities } = await client(t, memoryTransport(bridge), { revisions: [date] });
    const all = { [id]: { most: 3 }, 'com.example/older': { a: 1 }, 'com.example/newer': { b: 1 } };
    assert.deepEqual(capabilities.extensions, all);
  });
}

test('what cannot be a method of its own, or an extension, is a TypeError at once', () => {
  const server = searching();
  const none = (): object => ({});
  for (const name of ['tools/call', 'tasks/get', 'notifications/x', 'rpc.x', '', 'com.example/echo'])
    assert.throws(() => server.method(name, {}, none), TypeError, name);
  assert.throws(() => server.method('com.example/x', { extension: 'com.example/unknown' }, none), /not declared/);
  assert.throws(() => server.method('com.example/x', { parameters: {} } as never, none), /params/);
  assert.throws(() => server.method('com.example/x', { params: { type: 'string' } }, none), TypeError);
  assert.throws(() => server.method('com.example/x', {}, undefined as never), /handler/);
  for (const wrong of ['search', 'com.example/', '/x']) assert.throws(() => server.extension(wrong), /identifier/);
  assert.throws(() => server.extension(id), /already/);
  assert.throws(() => createServer({ name: 's', version: '1' }, { extensions: { [id]: 1 as never } }), /object/);
  for (const kind of ['complete', 'input_required', '']) assert.throws(() => extensionResult(id, kind), TypeError);
});

test('a client with extensions that are none does not connect', async () => {
  await assert.rejects(connect(memoryTransport(searching()), { extensions: { search: {} } }), /identifier/);
});

test('a method is changed, hidden and taken away by its handle, and needs what it says', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  const handle = server.method('com.example/x', { capability: 'elicitation.form' }, () => ({ a: 1 }));
  const one = await client(t, memoryTransport(server), {});
  await assert.rejects(one.request('com.example/x'), {
    code: -32021,
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  });
  handle.update({ capability: 'roots' });
  const rooted = await client(t, memoryTransport(server), { roots: [] });
  assert.equal((await rooted.request('com.example/x'))['a'], 1);
  handle.disable();
  await assert.rejects(rooted.request('com.example/x'), { kind: 'methodNotFound' });
  handle.enable();
  handle.remove();
  await assert.rejects(rooted.request('com.example/x'), { kind: 'methodNotFound' });
});

test('a method without a schema takes any parameters and may return nothing', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { onError: () => undefined });
  server.method('com.example/nothing', {}, () => undefined);
  server.method('com.example/text', {}, () => 'text' as never);
  server.method('com.example/kind', {}, () => ({ resultType: 'com.example/x' }));
  const one = await client(t, memoryTransport(server), {});
  assert.deepEqual(await one.request('com.example/nothing', { any: [1] }, { result: z.strictObject({}) }), {});
  for (const name of ['com.example/text', 'com.example/kind'])
    await assert.rejects(one.request(name), { kind: 'internalError' });
});

test('a result of an extension that the server does not declare is an internal error, and told', async (t) => {
  const errors: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
  server.tool('x', {}, () => extensionResult(id, 'com.example/ticket'));
  const one = await client(t, memoryTransport(server), { extensions: { [id]: {} } });
  await assert.rejects(one.callTool('x'), { kind: 'internalError', message: 'internal error' });
  assert.match(String(errors[0]), /does not declare/);
});
