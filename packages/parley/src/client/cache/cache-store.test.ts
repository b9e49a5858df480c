import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cached, counting, names, uriOf, type Cached } from '../../../../../test/support/cached-client.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { memoryCacheStore } from '../../storage/memory/cache.ts';
import type { Script } from '../../testing/scripted.ts';
import type { ConnectOptions } from '../api/options.ts';

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

  it('keeps nothing that became stale on its way, whichever of them heard of that', async () => {
    const cacheStore = memoryCacheStore();
    let answer = (): void => {};
    let text = 'old';
    const script: Script = (sent, peer) => {
      const contents = [{ uri: uriOf(sent), text }];
      const reply = (): void =>
        peer.reply(sent, { resultType: 'complete', contents, ttlMs: 100, cacheScope: 'public' });
      if (answer === none) answer = reply;
      else reply();
    };
    const none = answer;
    const options = { cacheStore };
    const [reader, listener, other] = [
      await cached(script, options, url),
      await cached(script, options, url),
      await cached(script, options, `${url}?other`),
    ];
    const read = async ({ client }: Pick<Cached, 'client'>): Promise<unknown> =>
      Object((await client.readResource('file:///a')).contents[0]).text;
    const late = read(reader);
    await turns();
    text = 'new';
    other.notify('notifications/resources/updated', { uri: 'file:///a' });
    listener.notify('notifications/resources/updated', { uri: 'file:///a' });
    await turns();
    answer();
    assert.equal(await late, 'old');
    assert.deepEqual([await read(listener), await read(reader)], ['new', 'new']);
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

  it('that never answers holds no request, and none that is given up', async (t) => {
    const never = (): Promise<never> => new Promise(() => {});
    const cacheStore = { get: never, set: () => {}, delete: () => {} };
    const { client, warnings } = await cached(counting(), { cacheStore });
    const reason = new Error('enough');
    await assert.rejects(client.listTools({ signal: AbortSignal.abort(reason) }), reason);
    const stop = new AbortController();
    const givenUp = client.listTools({ signal: stop.signal });
    await turns();
    stop.abort(reason);
    await assert.rejects(givenUp, reason);
    assert.deepEqual(warnings, [], 'the store did not fail');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answer = client.listTools();
    await turns();
    t.mock.timers.tick(2000);
    assert.deepEqual(names(await answer), ['1']);
    assert.match(warnings.join(), /the cache could not be read/);
  });

  it('that is slow has no more to forget than there is, however often a server tells of changes', async () => {
    const inner = memoryCacheStore();
    let deletes = 0;
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const cacheStore = {
      ...inner,
      delete: async (prefix: string) => {
        deletes++;
        await gate;
        await inner.delete(prefix);
      },
    };
    const { client, notify } = await cached(counting(), { cacheStore });
    await client.listTools();
    for (let change = 0; change < 3000; change++) {
      notify('notifications/tools/list_changed');
      notify('notifications/resources/updated', { uri: `x:${change}` });
    }
    go();
    assert.deepEqual(names(await client.listTools()), ['2']);
    assert.ok(deletes <= 1010, `${deletes} deletes`);
  });
});
