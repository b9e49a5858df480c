import assert from 'node:assert/strict';
import { describe, it, mock, test, type TestContext } from 'node:test';
import { createBridge } from '../../bridge.ts';
import { connect, type Client } from '../../client.ts';
import { createServer } from '../../server.ts';
import { memoryTransport } from '../../testing.ts';
import type { NameSnapshot } from './name-snapshots.ts';
import { Walks } from './walks.ts';

interface Scene {
  /** Number of pages that the servers were asked for. */
  asked: () => number;
  /** Takes a tool away from its server. */
  remove(name: string): void;
  client(revision: string): Promise<Client>;
}

/** A bridge before two servers of 1,500 tools each, whose lists make three pages of a thousand. */
async function scene(t: TestContext): Promise<Scene> {
  let asked = 0;
  const removals = new Map<string, () => void>();
  const servers = ['a', 'b'].map((name) => {
    const server = createServer({ name, version: '1' });
    for (let at = 0; at < 1_500; at++) {
      const tool = server.tool(`${name}-${at}`, {}, () => name);
      removals.set(`${name}-${at}`, () => tool.remove());
    }
    server.use('tools/list', (_, next) => {
      asked++;
      return next();
    });
    return server;
  });
  const [a, b] = servers.map((server) => ({ upstream: memoryTransport(server) }));
  const bridge = await createBridge({ upstreams: { a, b } as never });
  t.after(() => Promise.all([bridge.close(), ...servers.map((server) => server.close())]));
  const client = async (revision: string): Promise<Client> => {
    const made = await connect(memoryTransport(bridge), { revisions: [revision] });
    t.after(() => made.close());
    return made;
  };
  return { asked: () => asked, remove: (name) => removals.get(name)?.(), client };
}

describe('a merged list of several pages', () => {
  for (const revision of ['2024-11-05', '2025-11-25', '2026-07-28'])
    it(`is asked of the servers once, at ${revision}`, async (t) => {
      const { asked, client } = await scene(t);
      const one = await client(revision);
      const first = await one.request('tools/list', {});
      const once = asked();
      const second = await one.request('tools/list', { cursor: first['nextCursor'] });
      const third = await one.request('tools/list', { cursor: second['nextCursor'] });
      assert.equal(asked(), once);
      const names = [first, second, third].flatMap(({ tools }) => tools as { readonly name: string }[]);
      assert.equal(new Set(names.map(({ name }) => name)).size, 3_000);
      assert.equal(third['nextCursor'], undefined);
    });

  it('is read to its end as it was, also where what a page ended with is gone', async (t) => {
    const { client, remove } = await scene(t);
    const one = await client('2025-11-25');
    const first = await one.request('tools/list', {});
    assert.equal((first['tools'] as { readonly name: string }[]).at(-1)?.name, 'a-999');
    remove('a-999');
    const second = await one.request('tools/list', { cursor: first['nextCursor'] });
    assert.equal((second['tools'] as unknown[]).length, 1_000);
  });

  it('is gathered anew for another client that has a cursor of it', async (t) => {
    const { asked, client } = await scene(t);
    const [one, other] = [await client('2025-11-25'), await client('2025-11-25')];
    const first = await one.request('tools/list', {});
    const before = asked();
    const second = await other.request('tools/list', { cursor: first['nextCursor'] });
    assert.ok(asked() > before);
    assert.equal((second['tools'] as unknown[]).length, 1_000);
  });
});

const gathered = (count: number): Parameters<Walks['begin']>[1] => ({
  kind: 'tools',
  entries: Array.from({ length: count }, (_, at) => [`${at}`, {}] as const),
  hint: { ttlMs: 5_000, cacheScope: 'private' },
});
const view: NameSnapshot = { lists: new Map(), late: new Map() };

test('a list that is read is kept until ten seconds after its last page, and no longer than a minute', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const walks = new Walks();
  const id = walks.begin(view, gathered(2));
  for (let page = 0; page < 3; page++) {
    mock.timers.tick(9_000);
    assert.equal(walks.find(view, 'tools', id)?.entries.length, 2);
  }
  mock.timers.tick(10_000);
  assert.equal(walks.find(view, 'tools', id), undefined);
});

test('of lists that are read the oldest are forgotten first, and the newest is kept however long it is', () => {
  const walks = new Walks();
  const [one, other] = [{ ...view }, { ...view }];
  const first = walks.begin(one, gathered(20_000));
  const second = walks.begin(other, gathered(10_000));
  assert.ok(walks.find(one, 'tools', first) && walks.find(other, 'tools', second));
  // It is that of its client and its kind alone.
  assert.equal(walks.find(other, 'tools', first), undefined);
  assert.equal(walks.find(one, 'prompts', first), undefined);
  const third = walks.begin(view, gathered(150_000));
  assert.deepEqual(
    [
      walks.find(one, 'tools', first),
      walks.find(other, 'tools', second),
      walks.find(view, 'tools', third)?.entries.length,
    ],
    [undefined, undefined, 150_000],
  );
  walks.end(third);
  assert.equal(walks.find(view, 'tools', third), undefined);
});

test('a client that begins to read a list again and again has one of them', () => {
  const walks = new Walks();
  const [first, of] = [walks.begin(view, gathered(2)), walks.begin(view, { ...gathered(3), kind: 'prompts' })];
  const second = walks.begin(view, gathered(4));
  assert.equal(walks.find(view, 'tools', first), undefined);
  assert.equal(walks.find(view, 'tools', second)?.entries.length, 4);
  assert.equal(walks.find(view, 'prompts', of)?.entries.length, 3);
  for (const id of [second, of]) walks.end(id);
});
