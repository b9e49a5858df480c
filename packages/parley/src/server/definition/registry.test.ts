import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dates, open, type Json } from '../../../../../test/support/raw.ts';
import { Registry } from './registry.ts';
import { createServer, type Server } from '../server.ts';

function numbered(count: number, pageSize: number): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { pageSize });
  for (let at = 0; at < count; at++) {
    server.tool(`t${at}`, {}, () => 'x');
    server.resource(`a://${at}`, { name: `r${at}` }, () => 'x');
    server.resourceTemplate(`t${at}://{x}`, { name: `t${at}` }, () => 'x');
    server.prompt(`p${at}`, {}, () => 'x');
  }
  return server;
}

const lists = [
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
] as const;

function names(page: Json, field: string): readonly string[] {
  const items = page[field];
  assert.ok(Array.isArray(items));
  return items.map(({ name }) => String(name));
}

for (const [method, field] of lists) {
  test(`${method} comes in pages, every item once, and the last has no cursor`, async () => {
    for (const [count, size] of [
      [0, 2],
      [1, 2],
      [2, 2],
      [3, 2],
      [4, 2],
      [5, 1],
      [5, 1000],
    ] as const) {
      const server = numbered(count, size);
      if (count === 0) server.tool('t', {}, () => 'x').remove();
      for (const date of dates) {
        const raw = await open(
          count === 0
            ? createServer(
                { name: 's', version: '1' },
                { pageSize: size, capabilities: { tools: {}, resources: {}, prompts: {} } },
              )
            : server,
          date,
        );
        const found: string[] = [];
        let cursor: unknown;
        let pages = 0;
        do {
          const page = await raw.result(method, cursor === undefined ? {} : { cursor });
          found.push(...names(page, field));
          cursor = page['nextCursor'];
          pages++;
          assert.ok(names(page, field).length <= size);
        } while (cursor !== undefined);
        assert.equal(new Set(found).size, count);
        assert.equal(found.length, count);
        assert.equal(pages, Math.max(1, Math.ceil(count / size)));
      }
    }
  });

  test(`${method} refuses cursors that it did not give [page-006, page-009]`, async () => {
    const server = numbered(3, 1);
    for (const date of dates) {
      const raw = await open(server, date);
      const foreign: unknown[] = [];
      for (const [other] of lists) if (other !== method) foreign.push((await raw.result(other))['nextCursor']);
      for (const cursor of [
        'nonsense',
        '=',
        '%%%',
        '\u0000',
        'dG9vbDox\n:',
        'dG9vbDo5OTk=',
        btoa('tool:-1'),
        btoa('tool:1e3'),
        btoa(`${field}:1`),
        'x'.repeat(100_000),
        ...foreign,
        7,
        {},
        [],
        true,
      ]) {
        const { code, message } = await raw.error(method, { cursor });
        assert.equal(code, -32602, JSON.stringify(cursor));
        assert.ok(message.length < 300);
      }
      await raw.result(method, { cursor: null });
    }
  });
}

test('a page goes on after its last entry although that is gone by now [page-005]', async () => {
  const server = createServer({ name: 's', version: '1' }, { pageSize: 2 });
  const handles = ['a', 'b', 'c', 'd'].map((name) => server.tool(name, {}, () => 'x'));
  const raw = await open(server, '2025-06-18');
  const { nextCursor } = await raw.result('tools/list');
  handles[1]?.remove();
  handles[2]?.disable();
  server.tool('b', {}, () => 'new');
  assert.deepEqual(names(await raw.result('tools/list', { cursor: nextCursor }), 'tools'), ['d', 'b']);
});

test('the pages of registered resources hold although templates name more [page-005]', async () => {
  const server = createServer({ name: 's', version: '1' }, { pageSize: 2 });
  const handles = ['a', 'b', 'c'].map((name) => server.resource(`r://${name}`, { name }, () => 'x'));
  server.resourceTemplate(
    'u://{id}',
    { name: 'u', list: () => ['1', '2', '3'].map((id) => ({ uri: `u://${id}`, name: id })) },
    () => 'x',
  );
  const raw = await open(server, '2025-06-18');
  const first = await raw.result('resources/list');
  handles[0]?.remove();
  const found = names(first, 'resources').slice();
  for (let cursor = first['nextCursor']; cursor !== undefined;) {
    const page = await raw.result('resources/list', { cursor });
    assert.ok(names(page, 'resources').length <= 2);
    found.push(...names(page, 'resources'));
    cursor = page['nextCursor'];
  }
  assert.deepEqual(found, ['a', 'b', 'c', '1', '2', '3']);
});

test('a list of a template that shrank ends without an error', async () => {
  let ids = ['1', '2', '3', '4'];
  const server = createServer({ name: 's', version: '1' }, { pageSize: 3 });
  server.resourceTemplate(
    'u://{id}',
    { name: 'u', list: () => ids.map((id) => ({ uri: `u://${id}`, name: id })) },
    () => 'x',
  );
  const raw = await open(server, '2025-06-18');
  const { nextCursor } = await raw.result('resources/list');
  ids = ['1'];
  assert.deepEqual(await raw.result('resources/list', { cursor: nextCursor }), { resources: [] });
  for (const cursor of ['x', btoa('at:-1'), btoa('at:x'), btoa('at:1.5'), 7])
    assert.equal((await raw.error('resources/list', { cursor })).code, -32602);
});

/** What may happen to a registry while somebody turns its pages. */
const happening = fc.oneof(
  fc.record({
    do: fc.constantFrom('add', 'remove', 'disable', 'enable', 'update'),
    key: fc.integer({ min: 0, max: 20 }),
  }),
  fc.constant({ do: 'page', key: 0 }),
);

test('whoever turns the pages sees all that stays, once, whatever comes and goes meanwhile [page-005]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 15 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(happening, { maxLength: 40 }),
      (initial, size, happenings) => {
        const registry = new Registry<number>('thing', () => undefined);
        const handles = new Map<number, ReturnType<typeof registry.add>>();
        const add = (key: number): void => {
          if (!handles.has(key))
            handles.set(
              key,
              registry.add(String(key), { key }, ({ key: value }) => value),
            );
        };
        initial.forEach(add);
        const stayed = new Set(handles.keys());
        const seen: number[] = [];
        let page = registry.page(undefined, size);
        seen.push(...page.items);
        const turn = (): void => {
          if (page.nextCursor === undefined) return;
          page = registry.page(page.nextCursor, size);
          seen.push(...page.items);
        };
        for (const { do: what, key } of happenings) {
          if (what === 'page') turn();
          else if (what === 'add') add(key);
          else if (what === 'update') handles.get(key)?.update({});
          else {
            // What is hidden or gone for a while may be missed; re-added it may come again, as another entry.
            stayed.delete(key);
            if (what === 'enable') handles.get(key)?.enable();
            if (what === 'disable') handles.get(key)?.disable();
            if (what === 'remove') {
              handles.get(key)?.remove();
              handles.delete(key);
            }
          }
        }
        while (page.nextCursor !== undefined) turn();
        for (const key of stayed) assert.equal(seen.filter((one) => one === key).length, 1, `entry ${key}`);
      },
    ),
    { numRuns: 500 },
  );
});

test('no text is a cursor by accident [page-006]', () => {
  const registry = new Registry<number>('thing', () => undefined);
  for (let at = 0; at < 3; at++) registry.add(String(at), {}, () => at);
  const own = new Set(['0', '1', '2'].map((at) => btoa(`thing:${at}`)));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' })), (cursor) => {
      fc.pre(!own.has(cursor));
      assert.throws(() => registry.page(cursor, 1), { code: -32602 });
    }),
  );
});
