import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cached,
  capabilities,
  counting,
  cursorOf,
  names,
  tool,
  uriOf,
} from '../../../../../test/support/cached-client.ts';
import { createServer } from '../../server/server.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { scriptedTransport } from '../../testing/scripted.ts';
import { createConnect } from '../connect.ts';

describe('a response with a lifetime', () => {
  it('is given again while it is fresh, and fetched when it is not [caching-009] [caching-010] [C45]', async () => {
    const { client, clock, count } = await cached(counting());
    assert.deepEqual(names(await client.listTools()), ['1']);
    clock.now = 99;
    assert.deepEqual(names(await client.listTools()), ['1']);
    clock.now = 100;
    assert.deepEqual(names(await client.listTools()), ['2']);
    assert.equal(count('tools/list'), 2);
  });

  for (const [name, hint] of [
    ['zero', { ttlMs: 0 }],
    ['absent', {}],
    ['negative', { ttlMs: -5 }],
    ['no number', { ttlMs: '100' }],
  ] as const) {
    it(`of ${name} is stale at once [caching-008]`, async () => {
      const { client } = await cached(counting(hint));
      // The server of one of these breaks the protocol in a way that lists must not be given in.
      const list = async (): Promise<unknown> => names(await client.listPrompts().catch(() => []));
      await list();
      assert.notDeepEqual(await list(), ['1']);
    });
  }

  it('is not fetched again by itself [caching-011]', async () => {
    const { client, clock, transport } = await cached(counting());
    await client.listTools();
    const before = transport.sent.length;
    clock.now = 1_000_000;
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    assert.equal(transport.sent.length, before);
  });

  it('says how long it may be kept from now on', async () => {
    const { client, clock } = await cached(counting({ ttlMs: 100, cacheScope: 'public' }));
    const ttl = async (): Promise<unknown> => {
      for await (const { ttlMs, cacheScope } of client.pages('tools/list')) return [ttlMs, cacheScope];
      return undefined;
    };
    assert.deepEqual(await ttl(), [100, 'public']);
    clock.now = 30.25;
    // The field is an integer, whatever the clock says.
    assert.deepEqual(await ttl(), [69, 'public']);
  });

  it('may be of any list and of a resource, and of nothing else', async () => {
    const { client, count } = await cached(counting());
    for (let round = 0; round < 2; round++) {
      await client.listTools();
      await client.listPrompts();
      await client.listResources();
      await client.listResourceTemplates();
      await client.readResource('x:a');
      await client.callTool('x');
      await client.request('server/discover', undefined, { cache: 'use' });
    }
    const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'];
    assert.deepEqual(methods.map(count), [1, 1, 1, 1, 1]);
    assert.equal(count('tools/call'), 2);
    // The first one settled the revision.
    assert.equal(count('server/discover'), 2);
  });

  for (const [changed, stale] of [
    ['x:a', ['x:a', 'x:a#part', 'x:a/b']],
    ['x:a/b', ['x:a', 'x:a/b', 'x:a/']],
    ['x:a#part', ['x:a', 'x:a#part']],
  ] as const) {
    it(`of a resource is stale when ${changed}, itself, its whole or its part, was updated`, async () => {
      const { client, count, notify } = await cached(counting());
      const uris = [...stale, 'x:other', 'y:a'];
      for (const uri of uris) await client.readResource(uri);
      notify('notifications/resources/updated', { uri: changed });
      for (const uri of uris) await client.readResource(uri);
      assert.equal(count('resources/read'), uris.length + stale.length);
    });
  }

  it('is for its own parameters alone, however they are ordered [caching-005]', async () => {
    const { client, count } = await cached(counting());
    const text = async (uri: string): Promise<unknown> => (await client.readResource(uri)).contents[0];
    assert.notDeepEqual(await text('x:a'), await text('x:b'));
    assert.deepEqual(await text('x:a'), { uri: 'x:a', text: '1' });
    assert.equal(count('resources/read'), 2);
    const first = await client.request('resources/read', { uri: 'x:c', z: { b: 1, a: [2] } }, { cache: 'use' });
    const again = await client.request('resources/read', { z: { a: [2], b: 1 }, uri: 'x:c' }, { cache: 'use' });
    assert.deepEqual(again['contents'], first['contents']);
  });

  it('does not exist before the revision that has it', async () => {
    const transport = scriptedTransport('stdio', (sent, peer) =>
      sent.message['method'] === 'initialize'
        ? peer.reply(sent, { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } })
        : sent.message['id'] === undefined
          ? undefined
          : counting()(sent, peer),
    );
    const client = await createConnect({ http: () => transport })(transport, { revisions: ['2025-11-25'] });
    await client.listTools();
    await client.listTools();
    assert.equal(transport.methods.filter((method) => method === 'tools/list').length, 2);
  });

  it('is never one that answers input [caching-006]', async () => {
    const { client, count } = await cached(counting());
    for (const more of [{ requestState: 'state' }, { inputResponses: {} }]) {
      const before = count('resources/read');
      await client.request('resources/read', { uri: 'x:a', ...more }, { cache: 'use' });
      await client.request('resources/read', { uri: 'x:a', ...more }, { cache: 'use' });
      assert.equal(count('resources/read'), before + 2);
    }
    await client.readResource('x:a');
    assert.equal(count('resources/read'), 5);
  });

  it('is not the question that comes before it [caching-002]', async () => {
    const { client, count } = await cached((sent, peer) =>
      peer.reply(sent, { resultType: 'input_required', requestState: 's', ttlMs: 100, cacheScope: 'public' }),
    );
    for (let round = 0; round < 2; round++) await client.request('resources/read', { uri: 'x:a' }, { cache: 'use' });
    assert.equal(count('resources/read'), 2);
  });
});

describe('the cache of a request', () => {
  it('can be passed by, or filled anew', async () => {
    const { client } = await cached(counting());
    const list = async (cache?: 'use' | 'refresh' | 'bypass') => names(await client.listTools({ cache }));
    assert.deepEqual(await list(), ['1']);
    assert.deepEqual(await list('bypass'), ['2']);
    assert.deepEqual(await list('use'), ['1']);
    assert.deepEqual(await list('refresh'), ['3']);
    assert.deepEqual(await list(), ['3']);
  });

  it('can be off for a whole client', async () => {
    const { client } = await cached(counting(), { cache: 'bypass' });
    await client.listTools();
    assert.deepEqual(names(await client.listTools()), ['2']);
    assert.deepEqual(names(await client.listTools({ cache: 'refresh' })), ['3']);
    assert.deepEqual(names(await client.listTools({ cache: 'use' })), ['3']);
  });

  for (const own of [{ meta: { mine: 1 } }, { headers: { Authorization: 'x' } }]) {
    it(`is passed by where there is more to it than parameters: ${Object.keys(own).join()} [caching-007]`, async () => {
      const { client } = await cached(counting());
      await client.listTools(own);
      assert.deepEqual(names(await client.listTools()), ['2']);
      assert.deepEqual(names(await client.listTools(own)), ['3']);
    });
  }

  for (const own of [{ clientInfo: { name: 'other', version: '1' } }, { capabilities: {} }]) {
    it(`keeps responses apart by who asks: ${Object.keys(own).join()}`, async () => {
      const { client } = await cached(counting());
      assert.deepEqual(names(await client.listTools(own)), ['1']);
      assert.deepEqual(names(await client.listTools()), ['2']);
      assert.deepEqual(names(await client.listTools(own)), ['1']);
      assert.deepEqual(names(await client.listTools()), ['2']);
      client.invalidate('notifications/tools/list_changed');
      assert.deepEqual(names(await client.listTools(own)), ['3']);
      assert.deepEqual(names(await client.listTools()), ['4']);
    });
  }

  it('is not used by a ping or a plain request', async () => {
    const { client, count } = await cached(counting());
    await client.request('server/discover', undefined, { cache: 'use' });
    await client.ping();
    await client.ping();
    assert.equal(count('server/discover'), 4);
  });

  it('forgets what a newer answer says is stale', async () => {
    let hint: object = { ttlMs: 100 };
    const { client } = await cached((sent, peer) =>
      peer.reply(sent, { tools: [tool('ttlMs' in hint ? 'old' : 'new')], ...hint }),
    );
    assert.deepEqual(names(await client.listTools()), ['old']);
    hint = {};
    await client.listTools({ cache: 'refresh' });
    assert.deepEqual(names(await client.listTools()), ['new']);
  });

  it('is not spoilt by who is given a response', async () => {
    const { client } = await cached(counting());
    const first = (await client.request('tools/list', {}, { cache: 'use' })) as { tools: unknown[] };
    first.tools.push('mine');
    const second = (await client.request('tools/list', {}, { cache: 'use' })) as { tools: unknown[] };
    second.tools.push('mine');
    assert.equal(((await client.request('tools/list', {}, { cache: 'use' })) as { tools: unknown[] }).tools.length, 1);
  });
});

describe('a change', () => {
  const told = { _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } };
  for (const [method, params, stale] of [
    ['notifications/tools/list_changed', told, ['tools/list']],
    ['notifications/prompts/list_changed', told, ['prompts/list']],
    ['notifications/resources/list_changed', told, ['resources/list', 'resources/templates/list']],
    ['notifications/resources/updated', { uri: 'x:a', ...told }, ['x:a']],
    ['notifications/tools/list_changed', undefined, ['tools/list']],
  ] as const) {
    it(`${params === undefined ? 'unasked ' : ''}by ${method} makes stale what it is about [caching-013] [C65]`, async () => {
      const { client, notify, transport } = await cached(counting());
      const all = async () => {
        await client.listTools();
        await client.listPrompts();
        await client.listResources();
        await client.listResourceTemplates();
        await client.readResource('x:a');
        await client.readResource('x:b');
      };
      await all();
      const before = transport.sent.length;
      notify(method, params);
      await all();
      const again = transport.sent.slice(before).map((sent) => uriOf(sent) ?? sent.message['method']);
      assert.deepEqual(again, stale);
    });
  }

  it('while the answer is on its way keeps it from being kept', async () => {
    const one = await cached(async (sent, peer) => {
      one.notify('notifications/tools/list_changed');
      await counting()(sent, peer);
    });
    await one.client.listTools();
    await one.client.listTools();
    assert.equal(one.count('tools/list'), 2);
  });

  it('while a list is drained restarts nothing, and keeps later pages from being kept [caching-014]', async () => {
    let changes = true;
    const one = await cached((sent, peer) => {
      const second = cursorOf(sent) === 'next';
      if (!second && changes) queueMicrotask(() => one.notify('notifications/tools/list_changed'));
      peer.reply(sent, { tools: [tool(second ? 'b' : 'a')], ttlMs: 100, ...(!second && { nextCursor: 'next' }) });
    });
    assert.deepEqual(names(await one.client.listTools()), ['a', 'b']);
    assert.equal(one.count('tools/list'), 2);
    changes = false;
    await one.client.listTools();
    assert.equal(one.count('tools/list'), 4);
    await one.client.listTools();
    assert.equal(one.count('tools/list'), 4);
  });
});

describe('a client of a server of our own', () => {
  it('keeps its lists until they change', async () => {
    const server = createServer({ name: 's', version: '1' }, { cache: { ttlMs: 60_000, cacheScope: 'private' } });
    server.tool('first', {}, () => 'x');
    let lists = 0;
    const transport = memoryTransport(server);
    const counted: typeof transport = {
      ...transport,
      async open(receiver) {
        const channel = await transport.open(receiver);
        return {
          ...channel,
          send: (message, options) => {
            if ('method' in message && message.method === 'tools/list') lists++;
            return channel.send(message, options);
          },
        };
      },
    };
    const client = await createConnect({ http: () => counted })(counted);
    await client.listTools();
    await client.listTools();
    assert.equal(lists, 1);
    const changed = new Promise<void>(
      (resolve) =>
        void client
          .subscribe({ tools: true }, () => resolve())
          .then(() => {
            server.tool('second', {}, () => 'y');
          }),
    );
    await changed;
    assert.deepEqual(names(await client.listTools()), ['first', 'second']);
    await client.close();
    await server.close();
  });
});
