import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Raw, withMeta } from '../../../../../test/support/raw.ts';
import { createServer, type Server } from '../server.ts';
import { connectInMemory } from '../../testing/pair.ts';
import { ToolError } from './tool-result.ts';

const nonsense: readonly unknown[] = [
  { content: [null] },
  { content: [{ type: 'image', data: 5, mimeType: 'image/png' }] },
  { content: [{ type: 'text' }] },
  { content: [], isError: 'yes' },
];

for (const [index, result] of nonsense.entries()) {
  test(`a tool's result that is none is not sent, and the server hears of it (${index})`, async () => {
    const errors: unknown[] = [];
    const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
    // What a program without types may return.
    server.tool('wrong', {}, () => result as string);
    const answer = await new Raw(server, false).result('tools/call', withMeta({ name: 'wrong' }));
    assert.partialDeepStrictEqual(answer, {
      isError: true,
      content: [{ type: 'text', text: 'the tool "wrong" failed' }],
    });
    assert.match(String(errors[0]), /tool "wrong" returned what cannot be sent: \S+ /);
  });
}

test('a prompt and a resource that are none are an internal error, without a word of them', async () => {
  const errors: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
  server.prompt('wrong', {}, () => [{ role: 'system', content: 'secret' }] as never);
  server.resource('x://y', { name: 'y' }, () => ({ contents: [{ uri: 'x://y' }] }) as never);
  const raw = new Raw(server, false);
  for (const [method, params] of [
    ['prompts/get', { name: 'wrong' }],
    ['resources/read', { uri: 'x://y' }],
  ] as const) {
    const error = await raw.error(method, withMeta(params));
    assert.deepEqual([error['code'], error['message']], [-32603, 'internal error']);
  }
  assert.equal(errors.length, 2);
});

for (const [index, [message, options]] of [
  [undefined],
  [new Error('inner')],
  ['no', { content: [null] }],
  ['no', { content: 'text' }],
  ['no', { content: [{ type: 'text' }] }],
].entries())
  test(`a ToolError without words is a failure like others, and the server hears of it (${index})`, async () => {
    const errors: unknown[] = [];
    const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
    server.tool('wrong', {}, () => {
      throw new ToolError(message as string, options as object);
    });
    const answer = await new Raw(server, false).result('tools/call', withMeta({ name: 'wrong' }));
    assert.partialDeepStrictEqual(answer, {
      isError: true,
      content: [{ type: 'text', text: 'the tool "wrong" failed' }],
    });
    assert.match(String(errors[0]), /the ToolError of tool "wrong" returned what cannot be sent: content\S* /);
  });

test('an error that cannot be read fails the tool like others', async () => {
  const server = createServer({ name: 's', version: '1' }, { exposeErrors: true, onError: () => undefined });
  server.tool('odd', {}, () => {
    throw Object.create(null);
  });
  const answer = await new Raw(server, false).result('tools/call', withMeta({ name: 'odd' }));
  assert.equal(answer['isError'], true);
});

test('suggestions that are no texts, and entries that are no resources, are not sent', async () => {
  const errors: string[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(String(error)) });
  const given: Readonly<Record<string, unknown>> = {
    numbers: [1, null],
    total: { values: ['a'], total: Number.NaN },
    nothing: undefined,
    text: 'abc',
  };
  server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: (value) => given[value] as string[] } }, () => 'x');
  server.resourceTemplate('x://{id}', { name: 'x', list: () => [{ uri: 'x://1' }] as never }, () => 'x');
  const raw = new Raw(server, false);
  for (const value of Object.keys(given)) {
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value } };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    assert.equal((await raw.error('completion/complete', withMeta(params)))['code'], -32603);
  }
  assert.equal((await raw.error('resources/list', withMeta({})))['code'], -32603);
  for (const [at, what] of [
    'values\\[0\\]',
    'total',
    'gave undefined',
    'gave "abc"',
    'resources\\[0\\].name',
  ].entries())
    assert.match(errors[at] ?? '', new RegExp(what));
});

test('a definition that no client could read is refused at once, and an update leaves things as they were', async () => {
  const wrong: readonly ((server: Server) => unknown)[] = [
    (server) => server.tool('a', { description: 5 as never }, () => 'x'),
    (server) => server.tool('a', { icons: [{} as never] }, () => 'x'),
    (server) => server.tool('a', { annotations: { readOnlyHint: 'yes' as never } }, () => 'x'),
    (server) => server.resource('x://a', { name: 'a', size: Number.NaN }, () => 'x'),
    (server) => server.resource('x://b', { name: 'b' }, () => 'x').update({ name: 5 as never }),
    (server) => server.resourceTemplate('x://{id}', { name: 'a', mimeType: 5 as never }, () => 'x'),
    (server) => server.prompt('a', { arguments: [{ name: 'a', required: 'yes' as never }] }, () => 'x'),
  ];
  const server = createServer({ name: 's', version: '1' });
  for (const define of wrong) assert.throws(() => define(server), /^TypeError: .+ cannot be listed: \S+ /);
  const { resources } = await new Raw(server, false).result('resources/list', withMeta({}));
  assert.deepEqual(resources, [{ uri: 'x://b', name: 'b' }]);
});

const cycle: Record<string, unknown> = {};
cycle['of'] = [cycle];
const blockOf = (more: object): unknown => [{ type: 'text', text: 'x', ...more }];

const unwritable: readonly (readonly [string, unknown, RegExp])[] = [
  [
    'structured content',
    { content: [], structuredContent: { id: 10n } },
    /the structuredContent of tool "wrong" cannot be written as JSON: /,
  ],
  ['structured content alone', { structuredContent: { id: 10n } }, /tool "wrong" .*cannot be written as JSON: |BigInt/],
  [
    '_meta',
    { content: [], _meta: { 'a/b': 10n } },
    /the _meta of what tool "wrong" returned cannot be written as JSON: /,
  ],
  ['_meta of a block', blockOf({ _meta: { 'a/b': 10n } }), /the _meta of what tool "wrong" returned/],
  [
    '_meta of a resource in a block',
    { type: 'resource', resource: { uri: 'x://a', text: 'a', _meta: { 'a/b': cycle } } },
    /the _meta of what tool "wrong" returned cannot be written as JSON: /,
  ],
  ['unknown field', { content: [], 'x-a': 10n }, /the x-a of what tool "wrong" returned cannot be written as JSON: /],
  ['unknown object', { content: [], 'x-a': cycle }, /of what tool "wrong" returned cannot be written as JSON: /],
  ['unknown list', { content: [], 'x-a': [[10n]] }, /the x-a of what tool "wrong" returned/],
  ['unknown field of a block', blockOf({ 'x-a': 10n }), /the x-a of what tool "wrong" returned/],
  [
    'unknown field of annotations',
    blockOf({ annotations: { 'x-a': { 'x-b': cycle } } }),
    /of what tool "wrong" returned/,
  ],
];

for (const [what, result, told] of unwritable)
  test(`a tool's ${what} that is no JSON is not sent, and the server hears whose it is`, async () => {
    const errors: unknown[] = [];
    const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
    server.tool('wrong', {}, () => result as string);
    const answer = await new Raw(server, false).result('tools/call', withMeta({ name: 'wrong' }));
    assert.equal(answer['isError'], true);
    assert.match(String(errors[0]), told);
  });

test('what JSON has words for by a function of its own is sent', async () => {
  const { writes, ...more } = { writes: { toJSON: () => 'words', of: cycle }, at: new Date(0) };
  Object.setPrototypeOf(more, { inherited: cycle });
  const server = createServer({ name: 's', version: '1' });
  server.tool('right', {}, () => ({ content: [], 'x-a': writes, 'x-b': more }) as never);
  const answer = await new Raw(server, false).result('tools/call', withMeta({ name: 'right' }));
  assert.equal(JSON.stringify([answer['x-a'], answer['x-b']]), '["words",{"at":"1970-01-01T00:00:00.000Z"}]');
});

test('what is no JSON in another result is an internal error, and the server hears of it', async () => {
  const errors: string[] = [];
  const server = createServer(
    { name: 's', version: '1' },
    { onError: (error, where) => errors.push(`${where}: ${String(error)}`) },
  );
  server.resource('x://meta', { name: 'm' }, () => ({ uri: 'x://meta', text: 'a', _meta: { 'a/b': 1n } }) as never);
  const client = await connectInMemory(server);
  await assert.rejects(client.readResource('x://meta'), { message: 'internal error' });
  assert.match(
    errors[0] ?? '',
    /^resources\/read "x:\/\/meta": TypeError: the _meta of what the resource "x:\/\/meta" returned cannot/,
  );
  await client.close();
});

test('exposeErrors sends the messages of whatever handlers throw', async () => {
  const failing = (words: string) => (): never => {
    throw new Error(words);
  };
  for (const exposeErrors of [true, false]) {
    const server = createServer({ name: 's', version: '1' }, { exposeErrors, onError: () => undefined });
    server.resource('x://a', { name: 'a' }, failing('the file is locked'));
    server.prompt('p', { arguments: [{ name: 'a' }], complete: { a: failing('no words') } }, failing('no template'));
    server.resourceTemplate('t://{a}', { name: 't', list: failing('no list') }, () => 'x');
    server.method('com.example/own', {}, failing('no method'));
    server.tool('t', {}, failing('no tool'));
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const client = await connectInMemory(server);
    const said = (asking: Promise<unknown>): Promise<string> => asking.then(String, (error: Error) => error.message);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const words = await Promise.all([
      said(client.readResource('x://a')),
      said(client.getPrompt('p', { a: '' })),
      said(client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' })),
      said(client.listResources()),
      said(client.request('com.example/own', {})),
      client.callTool('t').then((result) => JSON.stringify(result.content)),
    ]);
    const shown = ['the file is locked', 'no template', 'no words', 'no list', 'no method'];
    const masked = shown.map(() => 'internal error');
    const tool = `the tool \\"t\\" failed${exposeErrors ? ': no tool' : ''}`;
    assert.deepEqual(words, [...(exposeErrors ? shown : masked), `[{"type":"text","text":"${tool}"}]`]);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await client.close();
  }
});
