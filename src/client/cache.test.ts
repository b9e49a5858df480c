import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createServer } from '../server/server.ts';
import { memoryTransport } from '../peer/memory.ts';
import { memoryCacheStore } from '../store/memory-cache.ts';
import { scriptedTransport, type Script, type ScriptedTransport, type SentMessage } from '../testing/scripted.ts';
import type { Client } from './client.ts';
import { createConnect } from './connect.ts';
import type { ConnectOptions } from './options.ts';

const date = '2026-07-28';
const capabilities = { tools: {}, resources: {}, prompts: {} };

interface Cached {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly clock: { now: number };
  readonly warnings: string[];
  /** How often a method was asked. */
  count(method: string): number;
  notify(method: string, params?: object): void;
}

/** Connects to a stateless server whose answers are a function; the first answer settles the revision. */
async function cached(answer: Script, options: ConnectOptions = {}, url?: string): Promise<Cached> {
  const transport = scriptedTransport(url === undefined ? 'stdio' : 'http', (sent, peer) =>
    sent.message['method'] === 'server/discover'
      ? peer.reply(sent, { supportedVersions: [date], capabilities, ttlMs: 60, cacheScope: 'public' })
      : answer(sent, peer),
  );
  const clock = { now: 0 };
  const warnings: string[] = [];
  const client = await createConnect({ http: () => transport })(url ?? transport, {
    now: () => clock.now,
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  return {
    client,
    transport,
    clock,
    warnings,
    count: (method) => transport.methods.filter((name) => name === method).length,
    notify: (method, params) => transport.peers.at(-1)?.send({ jsonrpc: '2.0', method, ...(params && { params }) }),
  };
}

const cursorOf = ({ message }: SentMessage): unknown => (message['params'] as { readonly cursor?: string }).cursor;
const uriOf = ({ message }: SentMessage): unknown => (message['params'] as { readonly uri?: string }).uri;
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** Every list has one entry, named by how often it was asked for; every resource says the same. */
function counting(hint: object = { ttlMs: 100, cacheScope: 'private' }): Script {
  let asked = 0;
  return (sent, peer) => {
    const name = String(++asked);
    const entry = { name, uri: `x:${name}`, uriTemplate: `x:{${name}}`, inputSchema: { type: 'object' } };
    peer.reply(sent, {
      tools: [entry],
      prompts: [entry],
      resources: [entry],
      resourceTemplates: [entry],
      contents: [{ uri: uriOf(sent), text: name }],
      content: [],
      ...hint,
    });
  };
}

const names = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name);

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
    clock.now = 30;
    assert.deepEqual(await ttl(), [70, 'public']);
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

  for (const own of [
    { meta: { mine: 1 } },
    { headers: { Authorization: 'x' } },
    { clientInfo: { name: 'other', version: '1' } },
    { capabilities: {} },
  ]) {
    it(`is passed by where there is more to it than parameters: ${Object.keys(own).join()} [caching-007]`, async () => {
      const { client } = await cached(counting());
      await client.listTools(own);
      assert.deepEqual(names(await client.listTools()), ['2']);
      assert.deepEqual(names(await client.listTools(own)), ['3']);
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

describe('the pages of a list', () => {
  const paged =
    (ttls: readonly number[]): Script =>
    (sent, peer) => {
      const at = Number(cursorOf(sent) ?? 0);
      const more = at + 1 < ttls.length;
      peer.reply(sent, { tools: [tool(`t${at}`)], ttlMs: ttls[at], ...(more && { nextCursor: String(at + 1) }) });
    };

  it('are kept each by itself; a stale one is fetched again by its cursor [caching-014] [C44]', async () => {
    const { client, clock, transport } = await cached(paged([100, 10, 100]));
    await client.listTools();
    clock.now = 50;
    const before = transport.sent.length;
    assert.deepEqual(names(await client.listTools()), ['t0', 't1', 't2']);
    assert.deepEqual(transport.sent.slice(before).map(cursorOf), ['1']);
  });

  it('are fetched from the beginning for a consistent list [caching-015]', async () => {
    const { client, transport } = await cached(paged([100, 100]));
    await client.listTools();
    const before = transport.sent.length;
    await client.listTools({ cache: 'refresh' });
    assert.deepEqual(transport.sent.slice(before).map(cursorOf), [undefined, '1']);
  });

  it('are all forgotten when a cursor becomes invalid, and the list begins again [caching-016]', async () => {
    let generation = 'old';
    const { client, clock } = await cached((sent, peer) => {
      const cursor = cursorOf(sent);
      const [from, page = '0'] = typeof cursor === 'string' ? cursor.split(' ') : [generation];
      if (from !== generation) return peer.refuse(sent, { code: -32602, message: 'cursor' });
      const next = page === '2' ? {} : { nextCursor: `${generation} ${Number(page) + 1}` };
      peer.reply(sent, { tools: [tool(generation + page)], ttlMs: page === '2' ? 10 : 100, ...next });
    });
    await client.listTools();
    generation = 'new';
    clock.now = 50;
    assert.deepEqual(names(await client.listTools()), ['new0', 'new1', 'new2']);
    await assert.rejects(client.request('tools/list', { cursor: 'old 1' }, { cache: 'use' }), {
      kind: 'invalidParams',
    });
  });

  it('begin again once only', async () => {
    const { client, count } = await cached((sent, peer) =>
      cursorOf(sent) === undefined
        ? peer.reply(sent, { tools: [], ttlMs: 100, nextCursor: 'x' })
        : peer.refuse(sent, { code: -32602, message: 'cursor' }),
    );
    await assert.rejects(client.listTools(), { kind: 'invalidParams' });
    assert.equal(count('tools/list'), 4);
  });
});

describe('equal requests at the same time', () => {
  it('are one exchange, and each gets the response', async () => {
    const { client, count } = await cached(counting());
    const lists = await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
    assert.deepEqual(lists.map(names), [['1'], ['1'], ['1']]);
    assert.equal(count('tools/list'), 1);
  });

  it('are one each where the response is stale at once', async () => {
    const { client, count } = await cached(counting({}));
    await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
    assert.equal(count('tools/list'), 3);
  });

  it('do not wait for each other where the last response was stale at once', async () => {
    const waiting: (() => void)[] = [];
    const { client, count } = await cached((sent, peer) => {
      if (count('tools/list') === 1) return peer.reply(sent, { tools: [] });
      waiting.push(() => peer.reply(sent, { tools: [] }));
    });
    await client.listTools();
    const lists = Promise.all([client.listTools(), client.listTools()]);
    await turns();
    assert.equal(waiting.length, 2);
    for (const answer of waiting) answer();
    await lists;
  });

  it('share a failure, but not that one was given up', async () => {
    const waiting: (() => void)[] = [];
    const script: Script = (sent, peer) => void waiting.push(() => counting()(sent, peer));
    const { client, count } = await cached(script);
    const gone = new AbortController();
    const first = assert.rejects(client.listTools({ signal: gone.signal }), { reason: 'aborted' });
    const second = client.listTools();
    await turns();
    assert.equal(count('tools/list'), 1);
    gone.abort();
    await first;
    await turns();
    waiting.at(-1)?.();
    assert.deepEqual(names(await second), ['1']);

    const refused = await cached((sent, peer) => {
      queueMicrotask(() => peer.refuse(sent, { code: -32603, message: 'no' }));
    });
    const both = await Promise.allSettled([refused.client.listTools(), refused.client.listTools()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(refused.count('tools/list'), 1);
  });

  it('are left by who gives up, who then does not wait', async () => {
    const { client } = await cached(() => undefined);
    const first = client.listTools();
    const gone = new AbortController();
    const second = assert.rejects(client.listTools({ signal: gone.signal }), { reason: 'aborted' });
    await turns();
    gone.abort();
    await second;
    await client.close();
    await assert.rejects(first, { reason: 'closed' });
  });

  it('with other time limits are on their own', async () => {
    const { client, count } = await cached(counting());
    await Promise.all([client.listTools(), client.listTools({ timeoutMs: 5_000 })]);
    assert.equal(count('tools/list'), 2);
  });
});

describe('a store of several clients', () => {
  const url = 'http://host/mcp';
  const shared = async (scope: string, options: readonly (ConnectOptions & { readonly url?: string })[]) => {
    const cacheStore = memoryCacheStore();
    const seen: (readonly string[])[] = [];
    const script = counting({ ttlMs: 100, cacheScope: scope });
    for (const { url: own = url, ...more } of options) {
      const { client } = await cached(script, { cacheStore, ...more }, own);
      seen.push(names(await client.listTools()));
    }
    return seen;
  };

  it('shares what is public [caching-007]', async () => {
    assert.deepEqual(await shared('public', [{}, { authContext: () => 'ada' }]), [['1'], ['1']]);
  });

  it('shares nothing private, but with the same authorization [caching-007] [C58]', async () => {
    const ada = { authContext: () => 'ada' };
    const bob = { authContext: () => 'bob' };
    assert.deepEqual(await shared('private', [{}, {}, ada, bob, ada]), [['1'], ['2'], ['3'], ['4'], ['3']]);
  });

  it('takes what names no scope for private', async () => {
    assert.deepEqual(await shared('anybody', [{}, {}]), [['1'], ['2']]);
  });

  it('keeps servers apart, by their URL with its query', async () => {
    const other = { url: `${url}?tenant=2` };
    assert.deepEqual(await shared('public', [{}, other, { url: 'http://user:secret@host/mcp#x' }, other]), [
      ['1'],
      ['2'],
      ['1'],
      ['2'],
    ]);
  });

  it('learns nothing of credentials', async () => {
    const keys: string[] = [];
    const cacheStore = { get: () => undefined, set: (key: string) => void keys.push(key), delete: () => {} };
    const { client } = await cached(counting(), { cacheStore }, 'http://user:secret@host/mcp');
    await client.listTools();
    await turns();
    assert.equal(keys.length, 1);
    assert.doesNotMatch(keys.join(), /secret/);
  });

  it('knows a server behind a transport by the name that it was given', async () => {
    const cacheStore = memoryCacheStore();
    const script = counting({ ttlMs: 100, cacheScope: 'public' });
    const list = async (options: ConnectOptions) =>
      names(await (await cached(script, { cacheStore, ...options })).client.listTools());
    assert.deepEqual(await list({}), ['1']);
    assert.deepEqual(await list({}), ['2']);
    assert.deepEqual(await list({ cacheKey: 'it' }), ['3']);
    assert.deepEqual(await list({ cacheKey: 'it' }), ['3']);
  });

  it('gives nobody what another was given, when the authorization changes on the way [C58]', async () => {
    let who = 'ada';
    const cacheStore = memoryCacheStore();
    const one = await cached(
      async (sent, peer) => {
        who = 'bob';
        await counting()(sent, peer);
      },
      { cacheStore, authContext: () => who },
    );
    await one.client.listTools();
    await one.client.listTools();
    assert.equal(one.count('tools/list'), 2);
    who = 'ada';
    await one.client.listTools();
    assert.equal(one.count('tools/list'), 3);
  });

  it('makes calls know the tools that somebody else listed', async () => {
    const cacheStore = memoryCacheStore();
    const region = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    const script: Script = (sent, peer) =>
      peer.reply(sent, {
        tools: [{ name: 'sql', inputSchema: region }],
        content: [],
        ttlMs: 100,
        cacheScope: 'public',
      });
    await (await cached(script, { cacheStore }, url)).client.listTools();
    const { client, transport, count } = await cached(script, { cacheStore }, url);
    await client.listTools();
    await client.callTool('sql', { region: 'eu' });
    assert.equal(count('tools/list'), 0);
    assert.equal(transport.sent.at(-1)?.headers['Mcp-Param-Region'], 'eu');
  });

  it('that fails is as good as none, with a warning', async () => {
    const cacheStore = {
      get: () => Promise.reject(new Error('down')),
      set: () => {
        throw new Error('down');
      },
      delete: () => Promise.reject(new Error('down')),
    };
    const { client, warnings, notify } = await cached(counting(), { cacheStore });
    assert.deepEqual(names(await client.listTools()), ['1']);
    notify('notifications/tools/list_changed');
    assert.deepEqual(names(await client.listTools()), ['2']);
    await turns();
    assert.match(warnings.join(), /read.*written|written.*read/);
  });

  for (const value of ['', '{', 'null', '{"at":0,"ttlMs":100}', '{"at":"0","ttlMs":100,"result":{}}']) {
    it(`that gives ${JSON.stringify(value)} gives nothing`, async () => {
      const cacheStore = { get: () => value, set: () => {}, delete: () => {} };
      const { client } = await cached(counting(), { cacheStore });
      assert.deepEqual(names(await client.listTools()), ['1']);
    });
  }

  it('that is slow does not bring back what was forgotten', async () => {
    const inner = memoryCacheStore();
    const slowly = async <T>(run: () => T | Promise<T>): Promise<T> => {
      await turns();
      return await run();
    };
    const cacheStore = {
      get: (key: string) => slowly(() => inner.get(key)),
      set: (key: string, value: string, ttlMs: number) => slowly(() => inner.set(key, value, ttlMs)),
      delete: (prefix: string) => slowly(() => inner.delete(prefix)),
    };
    const { client, notify } = await cached(counting(), { cacheStore });
    await client.listTools();
    notify('notifications/tools/list_changed');
    assert.deepEqual(names(await client.listTools()), ['2']);
    const reading = client.listTools();
    await Promise.resolve();
    notify('notifications/tools/list_changed');
    assert.deepEqual(names(await reading), ['3']);
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

async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
