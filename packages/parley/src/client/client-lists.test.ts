import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connected, replying, tool } from '../../../../test/support/connected-client.ts';
import { turns } from '../../../../test/support/turns.ts';
import type { Script } from '../testing/scripted.ts';
import type { Client } from './api/client.ts';

describe('lists', () => {
  const paged =
    (pages: readonly object[]): Script =>
    (sent, peer) => {
      const { cursor } = sent.message['params'] as { cursor?: string };
      const index = cursor === undefined ? 0 : Number(cursor.length) + 1;
      peer.reply(sent, { ...pages[index] });
    };

  it('follow cursors to the end; an empty cursor is one [C44] [page-001] [page-004] [page-007]', async () => {
    const one = await connected(
      paged([
        { tools: [tool('a')], nextCursor: '' },
        { tools: [], nextCursor: 'x' },
        { tools: [tool('b')], nextCursor: null },
      ]),
    );
    assert.deepEqual(
      (await one.client.listTools()).map(({ name }) => name),
      ['a', 'b'],
    );
  });

  it('have as many items on one page as the client allows', async () => {
    const prompts = Array.from({ length: 200_000 }, () => ({ name: 'p' }));
    const one = await connected(paged([{ prompts }]), { options: { maxItems: 200_000 } });
    assert.equal((await one.client.listPrompts()).length, 200_000);
  });

  for (const [method, key, list] of [
    ['resources/list', 'resources', (client: Client) => client.listResources()],
    ['resources/templates/list', 'resourceTemplates', (client: Client) => client.listResourceTemplates()],
    ['prompts/list', 'prompts', (client: Client) => client.listPrompts()],
  ] as const) {
    it(`of ${method} gather their pages [C41] [C42] [C43] [prompts-012]`, async () => {
      const item = (name: string) => ({ name, uri: `x:${name}`, uriTemplate: `x:{${name}}` });
      const one = await connected(paged([{ [key]: [item('a')], nextCursor: '' }, { [key]: [item('b')] }]));
      const items: readonly { readonly name: string }[] = await list(one.client);
      assert.deepEqual(
        items.map(({ name }) => name),
        ['a', 'b'],
      );
      assert.equal(one.transport.methods.at(-1), method);
    });
  }

  it('that a server did not declare are given, with one warning', async () => {
    const one = await connected(replying({ tools: [tool('a')] }), { capabilities: {} });
    for (let times = 0; times < 2; times++)
      assert.deepEqual(
        (await one.client.listTools()).map(({ name }) => name),
        ['a'],
      );
    assert.equal(one.warnings.length, 1);
    assert.match(String(one.warnings[0]), /did not declare the capability tools/);
  });

  it('that a server neither declared nor has are empty, and are asked for once', async () => {
    const refuse: Script = (sent, peer) => peer.refuse(sent, { code: -32601, message: 'none' });
    const one = await connected(refuse, { capabilities: {} });
    const before = one.transport.sent.length;
    for (let times = 0; times < 2; times++)
      assert.deepEqual([await one.client.listTools(), await one.client.listPrompts()], [[], []]);
    assert.deepEqual(one.transport.methods.slice(before), ['tools/list', 'prompts/list']);
    assert.deepEqual(one.warnings, []);
  });

  it('that a server did not declare and refused for another reason are asked for again', async () => {
    let tries = 0;
    const starting: Script = (sent, peer) =>
      tries++ === 0
        ? peer.refuse(sent, { code: -32603, message: 'starting; try again' })
        : peer.reply(sent, { tools: [tool('a')] });
    const one = await connected(starting, { capabilities: {} });
    assert.deepEqual([(await one.client.listTools()).length, (await one.client.listTools()).length], [0, 1]);
  });

  it('that a server did not declare are an error if the connection is lost', async () => {
    const one = await connected((_, peer) => peer.end(), { capabilities: {} });
    await assert.rejects(one.client.listTools(), { name: 'ConnectionError' });
  });

  it('that a server neither declared nor answers are empty after one short wait', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const one = await connected(undefined, { capabilities: {} });
    const before = one.transport.sent.length;
    const first = one.client.listTools();
    await turns();
    t.mock.timers.tick(2_000);
    assert.deepEqual(await first, []);
    assert.deepEqual(
      [
        await one.client.listTools(),
        await one.client.listResources(),
        await one.client.listResourceTemplates(),
        await one.client.listPrompts(),
      ],
      [[], [], [], []],
    );
    assert.equal(one.transport.methods.slice(before).filter((method) => method.endsWith('/list')).length, 1);
  });

  it('that give the same page for each cursor end with a warning, once', async () => {
    const one = await connected(replying({ tools: [tool('a')], nextCursor: 'again' }));
    for (let times = 0; times < 2; times++)
      assert.deepEqual(
        (await one.client.listTools()).map(({ name }) => name),
        ['a'],
      );
    assert.deepEqual(one.warnings, ['tools/list: the list ends where it repeats a cursor']);
  });

  it('whose cursors go in a circle end with a warning', async () => {
    const next: Readonly<Record<string, string>> = { '': 'a', a: 'b', b: 'a' };
    const one = await connected((sent, peer) => {
      const { cursor = '' } = (sent.message['params'] ?? {}) as { readonly cursor?: string };
      peer.reply(sent, { tools: [tool(`t${cursor}`)], nextCursor: next[cursor] });
    });
    assert.deepEqual(
      (await one.client.listTools()).map(({ name }) => name),
      ['t', 'ta', 'tb'],
    );
    assert.deepEqual(one.warnings, ['tools/list: the list ends where it repeats a cursor']);
  });

  for (const [what, pages] of [
    ['one page', [{ tools: [tool('a')], nextCursor: '' }]],
    ['no entries', [{ tools: [], nextCursor: '' }]],
    [
      'two pages',
      [
        { tools: [tool('a')], nextCursor: 'b' },
        { tools: [tool('b')], nextCursor: '' },
      ],
    ],
  ] as const) {
    it(`of ${what} end where an empty cursor leads back to the beginning`, async () => {
      const one = await connected((sent, peer) => {
        const { cursor } = (sent.message['params'] ?? {}) as { readonly cursor?: string };
        // To this server an empty cursor is none.
        peer.reply(sent, pages[cursor === 'b' ? 1 : 0] ?? {});
      });
      const names = (await one.client.listTools()).map(({ name }) => name);
      assert.deepEqual(
        names,
        pages.flatMap(({ tools }) => tools.map(({ name }) => name)),
      );
    });
  }

  it('that go on otherwise after an empty cursor, and repeat it, end there', async () => {
    let asked = 0;
    const one = await connected((sent, peer) => peer.reply(sent, { tools: [tool(`t${asked++}`)], nextCursor: '' }));
    assert.deepEqual(
      (await one.client.listTools()).map(({ name }) => name),
      ['t0', 't1'],
    );
  });

  it('that never end are bounded in pages and items', async () => {
    let cursor = 0;
    const endless: Script = (sent, peer) =>
      peer.reply(sent, { tools: [tool('a'), tool('b')], nextCursor: String(cursor++) });
    const byPages = await connected(endless, { options: { maxPages: 3 } });
    await assert.rejects(byPages.client.listTools(), { reason: 'too-large', message: /3 pages/ });
    assert.equal(cursor, 3);
    const byItems = await connected(endless, { options: { maxItems: 5 } });
    await assert.rejects(byItems.client.listTools(), { reason: 'too-large', message: /5 items/ });
  });

  it('can be walked page by page with their hints [C45] [caching-008]', async () => {
    const pages = [
      { prompts: [{ name: 'a' }], nextCursor: '', ttlMs: 500, cacheScope: 'public' },
      { prompts: [{ name: 'b' }], ttlMs: -1 },
    ];
    const one = await connected(paged(pages));
    const seen: unknown[] = [];
    for await (const { items, ttlMs, cacheScope } of one.client.pages('prompts/list'))
      seen.push([items.map(({ name }) => name), ttlMs, cacheScope]);
    assert.deepEqual(seen, [
      [['a'], 500, 'public'],
      [['b'], 0, 'private'],
    ]);
  });
});
