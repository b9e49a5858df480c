import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { dates, open, settle, statelessDate, type Json } from '../../../../../test/support/raw.ts';
import { called, empty, listed } from '../../../../../test/support/tool-server.ts';
import { McpError } from '../../protocol/error.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import { createServer } from '../server.ts';
import { ToolError } from '../definition/tool-result.ts';

const add = { input: z.object({ a: z.number(), b: z.number().default(1) }) };

test('arguments are checked before the handler runs, and made what the schema says [tools-035, schema-014]', async () => {
  const server = empty();
  const seen: unknown[] = [];
  server.tool('add', add, (args) => void seen.push(args));
  for (const date of dates) {
    const raw = await open(server, date);
    await raw.result('tools/call', { name: 'add', arguments: { a: 1 } });
    for (const args of [{}, { a: '1' }, { a: null }, undefined])
      await raw.ask('tools/call', { name: 'add', arguments: args });
  }
  assert.deepEqual(
    seen,
    dates.map(() => ({ a: 1, b: 1 })),
  );
});

for (const date of dates) {
  const asResult = date >= '2025-11-25';
  test(`arguments that do not fit are ${asResult ? 'a result that names every problem' : 'a protocol error'} at ${date} [tools-025]`, async () => {
    const server = empty();
    server.tool('add', add, () => 'sum');
    const raw = await open(server, date);
    const response = await raw.ask('tools/call', { name: 'add', arguments: { a: 'x', b: 'y' } });
    const text = JSON.stringify(response);
    assert.ok(text.includes('/a') && text.includes('/b'), text);
    assert.partialDeepStrictEqual(response, asResult ? { result: { isError: true } } : { error: { code: -32602 } });
  });

  test(`arguments that are no object are a protocol error at ${date} [tools-035]`, async () => {
    const server = empty();
    server.tool('add', add, () => 'sum');
    const raw = await open(server, date);
    for (const args of [[], 'x', 7, true])
      assert.equal((await raw.error('tools/call', { name: 'add', arguments: args })).code, -32602);
    for (const name of [7, null, {}, undefined]) assert.equal((await raw.error('tools/call', { name })).code, -32602);
  });

  test(`an unknown tool is a protocol error at ${date} [tools-024]`, async () => {
    const server = empty();
    server.tool('add', add, () => 'sum');
    const raw = await open(server, date);
    for (const name of ['', 'Add', 'add ', '__proto__', 'constructor', 'toString', 'x'.repeat(100_000)]) {
      const { code, message } = await raw.error('tools/call', { name });
      assert.equal(code, -32602, name);
      assert.ok(message.length < 300, 'the answer does not repeat a long name');
    }
  });
}

test('whether a tool or its schema answers at once or later makes no difference', async () => {
  const server = empty();
  const output = z.object({ sum: z.number() });
  const slow = z.object({ a: z.number() }).refine(async () => true);
  const later = (value: unknown) => ({ then: (resolve: (value: unknown) => void) => resolve(value) });
  server.tool('at once', { ...add, output }, ({ a, b }) => ({ sum: a + b }));
  server.tool('later', { ...add, output }, async ({ a, b }) => ({ sum: a + b }));
  server.tool('thenable', { ...add, output }, ({ a, b }) => later({ sum: a + b }) as never);
  server.tool('slow schema', { input: slow, output }, ({ a }) => ({ sum: a + 1 }));
  server.tool('throws', add, () => {
    throw new ToolError('no');
  });
  server.tool('rejects', add, () => Promise.reject(new ToolError('no')));
  for (const date of dates) {
    const raw = await open(server, date);
    const texts = async (name: string) =>
      JSON.stringify((await raw.result('tools/call', { name, arguments: { a: 1 } }))['content']);
    for (const name of ['at once', 'later', 'thenable', 'slow schema'])
      assert.equal(await texts(name), '[{"type":"text","text":"{\\"sum\\":2}"}]', name);
    for (const name of ['throws', 'rejects']) assert.equal(await texts(name), '[{"type":"text","text":"no"}]', name);
  }
});

test('a schema whose library throws while it checks is an internal error, without its words', async () => {
  const errors: unknown[] = [];
  const server = empty((error) => errors.push(error));
  server.tool(
    'bad',
    {
      input: z.object({
        a: z.string().refine(() => {
          throw new Error('secret');
        }),
      }),
    },
    () => 'fine',
  );
  const raw = await open(server, '2025-11-25');
  assert.deepEqual(await raw.error('tools/call', { name: 'bad', arguments: { a: 'x' } }), {
    code: -32603,
    message: 'internal error',
  });
  assert.equal(errors.length, 1);
});

test('a tool without input takes no arguments, and says so', async () => {
  const server = empty();
  server.tool('none', {}, () => 'fine');
  for (const date of dates) {
    const [none] = await listed(server, date);
    // Hosts index `properties` unasked: smolagents offered no tool at all of a server with one that had none.
    assert.deepEqual(none?.['inputSchema'], { type: 'object', properties: {}, additionalProperties: false });
  }
  assert.equal((await called(server, '2025-11-25', 'none', { a: 1 }))['isError'], true);
  assert.partialDeepStrictEqual(await called(server, '2025-11-25', 'none', {}), { content: [{ text: 'fine' }] });
});

test('names that every object has are names like any other', async () => {
  const server = empty();
  for (const name of ['__proto__', 'constructor', 'toString'])
    server.tool(name, { input: { type: 'object' } }, (args) => `${name} ${Object.keys(args).join()}`);
  for (const date of dates) {
    assert.deepEqual(
      (await listed(server, date)).map(({ name }) => name),
      ['__proto__', 'constructor', 'toString'],
    );
    const raw = await open(server, date);
    const params = JSON.parse('{"name":"__proto__","arguments":{"__proto__":{"polluted":true},"constructor":1}}');
    assert.partialDeepStrictEqual(await raw.result('tools/call', params), {
      content: [{ text: '__proto__ __proto__,constructor' }],
    });
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test('names differ by case [tools-017]', async () => {
  const server = empty();
  server.tool('a', {}, () => 'small');
  server.tool('A', {}, () => 'big');
  assert.partialDeepStrictEqual(await called(server, '2025-11-25', 'A'), { content: [{ text: 'big' }] });
});

test('a name that clients may refuse is warned of, and served all the same [tools-016, tools-018, tools-019]', async () => {
  const warnings: string[] = [];
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onWarning: (message) => warnings.push(message) });
  const fine = ['a', 'A-1_b.c', 'x'.repeat(128)];
  const doubtful = ['with space', 'a,b', 'x'.repeat(129), 'é', 'a/b'];
  for (const name of [...fine, ...doubtful]) server.tool(name, {}, () => 'x');
  assert.equal(warnings.length, doubtful.length);
  for (const [at, name] of doubtful.entries()) assert.ok(warnings[at]?.includes(name), warnings[at]);
  assert.deepEqual(
    (await listed(server, statelessDate)).map(({ name }) => name),
    [...fine, ...doubtful],
  );
});

test('a name is taken once, and a tool needs one [tools-016, tools-020]', () => {
  const server = empty();
  server.tool('a', {}, () => 'x');
  assert.throws(() => server.tool('a', {}, () => 'y'), TypeError);
  assert.throws(() => server.tool('', {}, () => 'y'), TypeError);
});

test('an input schema that is no object cannot be registered [tools-008, tools-009]', () => {
  const server = empty();
  for (const input of [z.string(), { type: 'string' }, true, []]) {
    assert.throws(() => server.tool('a', { input: input as never }, () => 'x'), TypeError);
  }
  server.tool('a', {}, () => 'the name is still free');
});

const header = (name: unknown, type: unknown = 'string'): Json => ({ type, 'x-mcp-header': name });

for (const [what, properties, more] of [
  ['that is empty [http-082]', { a: header('') }, {}],
  ['that is no token [http-083]', { a: header('a b') }, {}],
  ['with a line break [http-084]', { a: header('a\r\nX-Evil: 1') }, {}],
  ['that is used twice in other case [http-085]', { a: header('Region'), b: header('REGION') }, {}],
  ['on a number [http-086]', { a: header('A', 'number') }, {}],
  ['on an object [http-086]', { a: header('A', 'object') }, {}],
  ['in additionalProperties [http-088]', {}, { additionalProperties: header('A') }],
  ['in the items of an array [http-088, http-089]', { a: { type: 'array', items: header('A') } }, {}],
  ['in a branch of anyOf [http-088, http-089]', {}, { anyOf: [{ properties: { a: header('A') } }] }],
  ['under if [http-088, http-089]', {}, { if: { properties: { a: header('A') } } }],
  ['behind $ref [http-088, http-089]', { a: { $ref: '#/$defs/a' } }, { $defs: { a: header('A') } }],
] as const) {
  test(`a tool with an x-mcp-header ${what} cannot be registered`, () => {
    const server = empty();
    assert.throws(
      () => server.tool('a', { input: { type: 'object', properties, ...more } }, () => 'x'),
      /x-mcp-header/,
    );
  });
}

test('tools are listed in the order in which they were added, each in the words of its revision [tools-004]', async () => {
  const server = empty();
  const icons = [{ src: 'https://a.example/i.png', mimeType: 'image/png', sizes: ['48x48'] }];
  server.tool(
    'z',
    {
      title: 'Zed',
      description: 'Last.',
      icons,
      meta: { 'com.example/x': 1 },
      annotations: { readOnlyHint: true },
    },
    () => 'z',
  );
  server.tool('a', {}, () => 'a');
  for (const date of dates) {
    const [z, a] = await listed(server, date);
    assert.equal(a?.['name'], 'a');
    const { name, description, inputSchema, ...rest } = z!;
    assert.deepEqual([name, description], ['z', 'Last.']);
    assert.partialDeepStrictEqual(inputSchema, { type: 'object' });
    assert.deepEqual(rest, {
      ...(date >= '2025-03-26' ? { annotations: { readOnlyHint: true } } : {}),
      _meta: { 'com.example/x': 1 },
      ...(date >= '2025-06-18' ? { title: 'Zed' } : {}),
      ...(date >= '2025-11-25' ? { icons } : {}),
    });
  }
});

test('keywords of schemas are listed untouched [schema-013]', async () => {
  const server = empty();
  const input = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { name: { $anchor: 'name', type: 'string' } },
    properties: { a: { $ref: '#name' }, b: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    allOf: [{ if: { required: ['a'] }, then: { required: ['b'] }, else: {} }],
    'x-acme': { any: 1 },
  };
  server.tool('a', { input }, () => 'x');
  for (const date of dates) assert.deepEqual((await listed(server, date))[0]?.['inputSchema'], input);
});

test('the list is the same for every client [tools-003]', async () => {
  const server = empty();
  server.tool('a', {}, () => 'x');
  const one = await (await open(server, statelessDate, { capabilities: {} })).result('tools/list');
  const two = await (
    await open(server, statelessDate, { capabilities: { sampling: {}, elicitation: {} } })
  ).result('tools/list');
  assert.deepEqual(one, two);
});

test('a disabled or removed tool is neither listed nor usable, and comes back where it was', async () => {
  const server = empty();
  const handle = server.tool('a', {}, () => 'x');
  server.tool('b', {}, () => 'y');
  for (const date of dates) {
    const raw = await open(server, date);
    const names = async (): Promise<unknown> => (await listed(server, date)).map(({ name }) => name);
    handle.disable();
    assert.equal(handle.enabled, false);
    assert.deepEqual(await names(), ['b']);
    assert.equal((await raw.error('tools/call', { name: 'a' })).code, -32602);
    handle.enable();
    assert.equal(handle.enabled, true);
    assert.deepEqual(await names(), ['a', 'b']);
    await raw.result('tools/call', { name: 'a' });
  }
  handle.remove();
  handle.remove();
  assert.equal(handle.enabled, false);
  handle.enable();
  assert.deepEqual(
    (await listed(server, '2025-06-18')).map(({ name }) => name),
    ['b'],
  );
  assert.throws(() => handle.update({ title: 'A' }), TypeError);
  const again = server.tool('a', {}, () => 'new');
  handle.remove();
  handle.disable();
  assert.equal(again.enabled, true);
  assert.partialDeepStrictEqual(await called(server, '2025-06-18', 'a'), { content: [{ text: 'new' }] });
});

test('an update changes the given parts and leaves the others', async () => {
  const server = empty();
  const handle = server.tool('a', { title: 'A', description: 'Old.', input: z.object({ n: z.number() }) }, ({ n }) =>
    String(n),
  );
  handle.update({ description: 'New.' });
  assert.partialDeepStrictEqual(await listed(server, '2025-06-18'), [
    { title: 'A', description: 'New.', inputSchema: { required: ['n'] } },
  ]);
});

test('an update that cannot be is refused and leaves no trace', async () => {
  const server = empty();
  const handle = server.tool('a', { description: 'Old.', input: { type: 'object' } }, () => 'x');
  assert.throws(() => handle.update({ input: { type: 'string' } as never, description: 'Bad.' }), TypeError);
  handle.update({ title: 'A' });
  assert.partialDeepStrictEqual(await listed(server, '2025-06-18'), [
    { title: 'A', description: 'Old.', inputSchema: { type: 'object' } },
  ]);
});

test('an McpError of a tool is a protocol error with the code of its revision [basic-030]', async () => {
  const server = empty();
  server.tool('gone', {}, () => {
    throw new McpError('resourceNotFound', 'gone', { data: { uri: 'a://b' } });
  });
  for (const date of dates) {
    const raw = await open(server, date);
    assert.equal((await raw.error('tools/call', { name: 'gone' })).code, date === statelessDate ? -32602 : -32002);
  }
});

test('content that an older revision cannot name becomes text', async () => {
  const server = empty();
  server.tool('media', {}, () => [
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'a://b', name: 'b' },
    { type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: 'text/plain' } },
  ]);
  const kinds = async (date: RevisionDate): Promise<unknown> => {
    const { content } = await called(server, date, 'media');
    assert.ok(Array.isArray(content));
    return content.map(({ type }) => type);
  };
  assert.deepEqual(await kinds('2024-11-05'), ['text', 'text', 'resource']);
  assert.deepEqual(await kinds('2025-03-26'), ['audio', 'text', 'resource']);
  for (const date of ['2025-06-18', '2025-11-25', '2026-07-28'] as const)
    assert.deepEqual(await kinds(date), ['audio', 'resource_link', 'resource']);
});

test('calls of one client run at the same time', async () => {
  const server = empty();
  const order: string[] = [];
  server.tool('slow', {}, async () => {
    await settle();
    order.push('slow');
  });
  server.tool('fast', {}, () => void order.push('fast'));
  const raw = await open(server, '2025-06-18');
  await Promise.all([raw.result('tools/call', { name: 'slow' }), raw.result('tools/call', { name: 'fast' })]);
  assert.deepEqual(order, ['fast', 'slow']);
});
