import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dates, open, withMeta, type Json, type Raw } from '../../../../../test/support/raw.ts';
import { isCached } from '../../jsonrpc/cached-json.ts';
import { toJson } from '../../jsonrpc/encode.ts';
import { Listing } from './listing.ts';
import { Registry } from '../definition/registry.ts';
import { createServer } from '../server.ts';

/** The names on all pages of a list. */
async function namesOn(raw: Raw, method: string, field: string): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: unknown;
  do {
    const page: Json = await raw.result(method, cursor === undefined ? {} : { cursor });
    found.push(...(page[field] as readonly { readonly name: string }[]).map(({ name }) => name));
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
  return found;
}

for (const date of dates) {
  test(`a list that was asked for before shows what changed since at ${date}`, async () => {
    const server = createServer({ name: 's', version: '1' }, { pageSize: 2 });
    const handles = ['a', 'b', 'c'].map((name) => server.tool(name, {}, () => 'x'));
    const raw = await open(server, date);
    const list = () => namesOn(raw, 'tools/list', 'tools');
    assert.deepEqual(await list(), ['a', 'b', 'c']);
    server.tool('d', {}, () => 'x');
    assert.deepEqual(await list(), ['a', 'b', 'c', 'd']);
    handles[0]?.disable();
    assert.deepEqual(await list(), ['b', 'c', 'd']);
    handles[0]?.enable();
    handles[1]?.remove();
    assert.deepEqual(await list(), ['a', 'c', 'd']);
    handles[2]?.update({ description: 'new' });
    const { tools } = await raw.result('tools/list');
    assert.equal((tools as readonly Json[])[1]?.['description'], 'new');
  });
}

const kinds = [
  ['tools', 'tools/list'],
  ['resources', 'resources/list'],
  ['resources', 'resources/templates/list'],
  ['prompts', 'prompts/list'],
] as const;

for (const [kind, method] of kinds) {
  test(`${method} is made anew once the server is told of a change that it cannot see`, async () => {
    const server = createServer({ name: 's', version: '1' });
    const annotations = { title: 'before' };
    const icon = { src: 'https://a.example/before.png' };
    server.tool('t', { annotations, icons: [icon] }, () => 'x');
    server.resource('a://b', { name: 'r', icons: [icon] }, () => 'x');
    server.resourceTemplate('a://{b}', { name: 'r', icons: [icon] }, () => 'x');
    server.prompt('p', { icons: [icon] }, () => 'x');
    const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
    const written = async () => {
      const response = await conversation.receive({ jsonrpc: '2.0', id: 1, method, params: withMeta() });
      assert.ok(response !== undefined);
      return toJson(response);
    };
    assert.match(await written(), /before\.png/);
    icon.src = 'https://a.example/after.png';
    assert.match(await written(), /before\.png/);
    server.changed(kind);
    assert.match(await written(), /after\.png/);
  });
}

test('what templates name at run time is asked for each time', async () => {
  let names = ['a'];
  const server = createServer({ name: 's', version: '1' });
  const handle = server.resourceTemplate(
    'u://{id}',
    { name: 'u', list: () => names.map((name) => ({ uri: `u://${name}`, name })) },
    () => 'x',
  );
  const raw = await open(server, '2026-07-28');
  const list = () => namesOn(raw, 'resources/list', 'resources');
  assert.deepEqual(await list(), ['a']);
  names = ['b', 'c'];
  assert.deepEqual(await list(), ['b', 'c']);
  handle.disable();
  assert.deepEqual(await list(), []);
});

test('pages that other cursors lead to are right as well', async () => {
  const server = createServer({ name: 's', version: '1' }, { pageSize: 2 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) server.tool(name, {}, () => 'x');
  const raw = await open(server, '2025-11-25');
  const namesAfter = async (at: number) => {
    const { tools } = await raw.result('tools/list', { cursor: btoa(`tool:${at}`) });
    return (tools as readonly { readonly name: string }[]).map(({ name }) => name);
  };
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await namesAfter(0), ['b', 'c']);
    assert.deepEqual(await namesAfter(1), ['c', 'd']);
    assert.deepEqual(await namesAfter(2), ['d', 'e']);
  }
});

test('only the pages that follow one another are held, whatever cursors clients make up', () => {
  const registry = new Registry<number>('number', () => undefined);
  for (let at = 0; at < 6; at++) registry.add(`n${at}`, {}, () => at);
  const listing = new Listing(registry, 2, (page) => ({ ...page }));
  const first = listing.page(undefined);
  assert.ok(isCached(first) && first === listing.page(undefined));
  const second = listing.page(first.nextCursor);
  assert.ok(isCached(second) && second === listing.page(first.nextCursor));
  assert.ok(!isCached(listing.page(btoa('number:0'))));
  registry.changed();
  assert.ok(!isCached(listing.page(first.nextCursor)));
  assert.notEqual(listing.page(undefined), first);
});

test('a list that did not change is the same result for everybody who asks in a revision', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('t', {}, () => 'x');
  const asked = async () => {
    const conversation = server.endpoint.openConnection({ lasting: true, send: () => undefined });
    const response = await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: withMeta() });
    assert.ok(response !== undefined && 'result' in response);
    return response.result;
  };
  const first = await asked();
  assert.ok(isCached(first));
  assert.equal(await asked(), first);
});
