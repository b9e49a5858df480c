import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { dates, open, settle, statelessDate, type Json } from '../../test/support/raw.ts';
import { McpError } from '../protocol/error.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import { createServer, type Server } from './server.ts';
import { ToolError } from './tool-result.ts';

function empty(onError: (error: unknown, where: string) => void = () => undefined): Server {
  return createServer({ name: 'tested', version: '1.0.0' }, { onError });
}

async function called(server: Server, date: RevisionDate, name: string, args?: Json): Promise<Json> {
  const raw = await open(server, date);
  return raw.result('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) });
}

async function listed(server: Server, date: RevisionDate): Promise<readonly Json[]> {
  const raw = await open(server, date);
  const { tools } = await raw.result('tools/list');
  assert.ok(Array.isArray(tools));
  return tools;
}

const words = { type: 'text', text: 'words' };

const forms: readonly (readonly [string, unknown, Json])[] = [
  ['text', 'words', { content: [words] }],
  ['empty text', '', { content: [{ type: 'text', text: '' }] }],
  ['nothing', undefined, { content: [] }],
  ['null', null, { content: [] }],
  ['one block', words, { content: [words] }],
  ['several blocks', [words, { type: 'image', data: 'AAAA', mimeType: 'image/png' }], { content: [words, { type: 'image', data: 'AAAA', mimeType: 'image/png' }] }],
  ['no blocks', [], { content: [] }],
  ['a whole result', { content: [words] }, { content: [words] }],
  ['a whole result that failed', { content: [words], isError: true }, { content: [words], isError: true }],
  ['a whole result with _meta', { content: [words], _meta: { 'com.example/cost': 3 } }, { content: [words], _meta: { 'com.example/cost': 3 } }],
  ['a whole result with fields of its own', { content: [], 'x-acme': [1] }, { content: [], 'x-acme': [1] }],
];

for (const [what, returned, wanted] of forms) {
  test(`a tool may return ${what} [tools-028, tools-029, tools-032]`, async () => {
    const server = empty();
    server.tool('give', {}, () => returned as string);
    for (const date of dates) assert.partialDeepStrictEqual(await called(server, date, 'give'), wanted);
  });
}

for (const [what, returned] of [
  ['a number', 7],
  ['true', true],
  ['an object that is nothing known', { sum: 3 }],
  ['a list with something else in it', [words, 'more']],
] as const) {
  test(`${what} from a tool without output schema is a failed call, told to onError alone [tools-023]`, async () => {
    const errors: unknown[] = [];
    const server = empty((error) => errors.push(error));
    server.tool('give', {}, () => returned as unknown as string);
    for (const date of dates) {
      const { isError, content } = await called(server, date, 'give');
      assert.equal(isError, true);
      assert.deepEqual(content, [{ type: 'text', text: 'the tool "give" failed' }]);
    }
    assert.equal(errors.length, dates.length);
  });
}

test('structured content alone gets its text', async () => {
  const server = empty();
  server.tool('give', {}, () => ({ structuredContent: { a: 1 } }) as never);
  assert.partialDeepStrictEqual(await called(server, '2025-06-18', 'give'), { structuredContent: { a: 1 }, content: [{ type: 'text', text: '{"a":1}' }] });
  assert.deepEqual(await called(server, '2024-11-05', 'give'), { content: [{ type: 'text', text: '{"a":1}' }] });
});

test('a value of the output schema travels as data and as text [tools-011, tools-013, schema-014]', async () => {
  const server = empty();
  server.tool('sum', { output: z.object({ sum: z.number() }) }, () => ({ sum: 3 }));
  for (const date of dates) {
    const { content, structuredContent } = await called(server, date, 'sum');
    assert.deepEqual(content, [{ type: 'text', text: '{"sum":3}' }]);
    assert.deepEqual(structuredContent, date < '2025-06-18' ? undefined : { sum: 3 });
  }
});

test('the output schema makes the value: defaults are filled in, what it strips is not sent', async () => {
  const server = empty();
  server.tool('give', { output: z.object({ a: z.number(), unit: z.string().default('km') }) }, () => ({ a: 1, secret: 2 }));
  const { content, structuredContent } = await called(server, '2025-11-25', 'give');
  assert.deepEqual(structuredContent, { a: 1, unit: 'km' });
  assert.deepEqual(content, [{ type: 'text', text: '{"a":1,"unit":"km"}' }]);
});

test('a whole result of a tool with output schema keeps its own content', async () => {
  const server = empty();
  server.tool('give', { output: z.object({ a: z.number() }) }, () => ({ content: [{ type: 'text', text: 'one' }], structuredContent: { a: 1 } }));
  assert.partialDeepStrictEqual(await called(server, '2025-06-18', 'give'), { content: [{ type: 'text', text: 'one' }], structuredContent: { a: 1 } });
  assert.deepEqual((await called(server, '2025-03-26', 'give'))['content'], [{ type: 'text', text: 'one' }, { type: 'text', text: '{"a":1}' }]);
});

for (const [what, returned] of [
  ['a value of another type', { sum: 'three' }],
  ['nothing', undefined],
  ['text', 'three'],
  ['content without structured content', { content: [words] }],
  ['structured content that does not fit', { content: [words], structuredContent: { sum: 'three' } }],
] as const) {
  test(`a tool that returns ${what} against its output schema fails, and no such data is sent [tools-011, C82, X08]`, async () => {
    const errors: unknown[] = [];
    const server = empty((error) => errors.push(error));
    server.tool('sum', { output: z.object({ sum: z.number() }) }, () => returned as never);
    for (const date of dates) {
      const result = await called(server, date, 'sum');
      assert.equal(result['isError'], true);
      assert.ok(!('structuredContent' in result));
      assert.deepEqual(result['content'], [{ type: 'text', text: 'the tool "sum" failed' }]);
    }
    assert.equal(errors.length, dates.length);
  });
}

test('a failed result of a tool with output schema needs no structured content [C82]', async () => {
  const server = empty();
  server.tool('sum', { output: z.object({ sum: z.number() }) }, () => ({ content: [{ type: 'text', text: 'no numbers' }], isError: true }));
  for (const date of dates) {
    const result = await called(server, date, 'sum');
    assert.partialDeepStrictEqual(result, { content: [{ type: 'text', text: 'no numbers' }], isError: true });
    assert.ok(!('structuredContent' in result));
  }
});

test('output that is no object is wrapped where the revision wants one, in the schema as in the result [tools-010, tools-014]', async () => {
  const server = empty();
  server.tool('list', { output: z.array(z.number()) }, () => [1, 2]);
  for (const date of dates) {
    const [tool] = await listed(server, date);
    const { structuredContent, content } = await called(server, date, 'list');
    assert.deepEqual(content, [{ type: 'text', text: '[1,2]' }]);
    if (date < '2025-06-18') assert.ok(!('outputSchema' in tool!) && structuredContent === undefined);
    else if (date === statelessDate) {
      assert.partialDeepStrictEqual(tool, { outputSchema: { type: 'array' } });
      assert.deepEqual(structuredContent, [1, 2]);
    } else {
      assert.partialDeepStrictEqual(tool, { outputSchema: { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] } });
      assert.deepEqual(structuredContent, { result: [1, 2] });
    }
  }
});

test('an object under an output schema that is wrapped is wrapped too [tools-010, tools-011]', async () => {
  const server = empty();
  const output = z.union([z.object({ found: z.string() }), z.string()]);
  server.tool('find', { input: z.object({ what: z.string() }), output }, ({ what }) => (what === '' ? 'nothing' : { found: what }));
  for (const date of ['2025-06-18', '2025-11-25'] as const) {
    assert.partialDeepStrictEqual(await listed(server, date), [{ outputSchema: { type: 'object', required: ['result'] } }]);
    assert.deepEqual((await called(server, date, 'find', { what: 'x' }))['structuredContent'], { result: { found: 'x' } });
    assert.deepEqual((await called(server, date, 'find', { what: '' }))['structuredContent'], { result: 'nothing' });
  }
  assert.deepEqual((await called(server, statelessDate, 'find', { what: 'x' }))['structuredContent'], { found: 'x' });
  assert.deepEqual((await called(server, '2025-03-26', 'find', { what: 'x' }))['content'], [{ type: 'text', text: '{"found":"x"}' }]);
});

test('null and false are output values [tools-014]', async () => {
  const server = empty();
  server.tool('null', { output: z.null() }, () => null);
  server.tool('false', { output: z.boolean() }, () => false);
  for (const [name, value] of [['null', null], ['false', false]] as const) {
    const { content, structuredContent } = await called(server, statelessDate, name);
    assert.deepEqual([content, structuredContent], [[{ type: 'text', text: JSON.stringify(value) }], value]);
    assert.deepEqual((await called(server, '2025-11-25', name))['structuredContent'], { result: value });
  }
});

test('a tool whose output schema allows anything may not return nothing [tools-011]', async () => {
  const server = empty();
  server.tool('any', { output: {} }, () => undefined as never);
  for (const date of dates) assert.equal((await called(server, date, 'any'))['isError'], true);
});

test('output that is no JSON is a failed call', async () => {
  const server = empty();
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  server.tool('cycle', { output: { type: 'object' } }, () => cycle);
  server.tool('bigint', { output: {} }, () => 1n as never);
  for (const date of dates) {
    assert.equal((await called(server, date, 'cycle'))['isError'], true);
    assert.equal((await called(server, date, 'bigint'))['isError'], true);
  }
});

test('a ToolError is a result that the model can read [tools-023]', async () => {
  const errors: unknown[] = [];
  const server = empty((error) => errors.push(error));
  server.tool('plain', {}, () => {
    throw new ToolError('no such city', { cause: new Error('secret') });
  });
  server.tool('rich', { output: z.object({ a: z.number() }) }, () => {
    throw new ToolError('no such city', { content: [{ type: 'text', text: 'try another' }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }] });
  });
  for (const date of dates) {
    assert.partialDeepStrictEqual(await called(server, date, 'plain'), { isError: true, content: [{ type: 'text', text: 'no such city' }] });
    assert.partialDeepStrictEqual(await called(server, date, 'rich'), { isError: true, content: [{ type: 'text', text: 'try another' }, { type: 'image' }] });
  }
  assert.deepEqual(errors, []);
});

const add = { input: z.object({ a: z.number(), b: z.number().default(1) }) };

test('arguments are checked before the handler runs, and made what the schema says [tools-035, schema-014]', async () => {
  const server = empty();
  const seen: unknown[] = [];
  server.tool('add', add, (args) => void seen.push(args));
  for (const date of dates) {
    const raw = await open(server, date);
    await raw.result('tools/call', { name: 'add', arguments: { a: 1 } });
    for (const args of [{}, { a: '1' }, { a: null }, undefined]) await raw.ask('tools/call', { name: 'add', arguments: args });
  }
  assert.deepEqual(seen, dates.map(() => ({ a: 1, b: 1 })));
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
    for (const args of [[], 'x', 7, true]) assert.equal((await raw.error('tools/call', { name: 'add', arguments: args })).code, -32602);
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

test('a schema whose library throws while it checks is an internal error, without its words', async () => {
  const errors: unknown[] = [];
  const server = empty((error) => errors.push(error));
  server.tool('bad', { input: z.object({ a: z.string().refine(() => { throw new Error('secret'); }) }) }, () => 'fine');
  const raw = await open(server, '2025-11-25');
  assert.deepEqual(await raw.error('tools/call', { name: 'bad', arguments: { a: 'x' } }), { code: -32603, message: 'internal error' });
  assert.equal(errors.length, 1);
});

test('a tool without input takes no arguments, and says so', async () => {
  const server = empty();
  server.tool('none', {}, () => 'fine');
  assert.partialDeepStrictEqual(await listed(server, '2025-11-25'), [{ inputSchema: { type: 'object', additionalProperties: false } }]);
  assert.equal((await called(server, '2025-11-25', 'none', { a: 1 }))['isError'], true);
  assert.partialDeepStrictEqual(await called(server, '2025-11-25', 'none', {}), { content: [{ text: 'fine' }] });
});

test('names that every object has are names like any other', async () => {
  const server = empty();
  for (const name of ['__proto__', 'constructor', 'toString']) server.tool(name, { input: { type: 'object' } }, (args) => `${name} ${Object.keys(args).join()}`);
  for (const date of dates) {
    assert.deepEqual((await listed(server, date)).map(({ name }) => name), ['__proto__', 'constructor', 'toString']);
    const raw = await open(server, date);
    const params = JSON.parse('{"name":"__proto__","arguments":{"__proto__":{"polluted":true},"constructor":1}}');
    assert.partialDeepStrictEqual(await raw.result('tools/call', params), { content: [{ text: '__proto__ __proto__,constructor' }] });
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test('names differ by case [tools-017]', async () => {
  const server = empty();
  server.tool('a', {}, () => 'small');
  server.tool('A', {}, () => 'big');
  assert.partialDeepStrictEqual(await called(server, '2025-11-25', 'A'), { content: [{ text: 'big' }] });
});

test('a name is taken once, and a tool needs one [tools-020]', () => {
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

test('an x-mcp-header that breaks a rule cannot be registered [X17]', () => {
  const server = empty();
  const input = { type: 'object', properties: { list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Bad' } } } };
  assert.throws(() => server.tool('a', { input }, () => 'x'), TypeError);
});

test('tools are listed in the order in which they were added, each in the words of its revision [tools-004]', async () => {
  const server = empty();
  const icons = [{ src: 'https://a.example/i.png', mimeType: 'image/png', sizes: ['48x48'] }];
  server.tool('z', { title: 'Zed', description: 'Last.', icons, meta: { 'com.example/x': 1 }, annotations: { readOnlyHint: true }, execution: { taskSupport: 'forbidden' } }, () => 'z');
  server.tool('a', {}, () => 'a');
  for (const date of dates) {
    const [z, a] = await listed(server, date);
    assert.equal(a?.['name'], 'a');
    const { name, description, inputSchema, ...rest } = z!;
    assert.deepEqual([name, description], ['z', 'Last.']);
    assert.partialDeepStrictEqual(inputSchema, { type: 'object' });
    assert.deepEqual(rest, {
      ...(date >= '2025-03-26' ? { annotations: { readOnlyHint: true } } : {}),
      ...(date >= '2025-06-18' ? { title: 'Zed', _meta: { 'com.example/x': 1 } } : {}),
      ...(date >= '2025-11-25' ? { icons } : {}),
      ...(date === '2025-11-25' ? { execution: { taskSupport: 'forbidden' } } : {}),
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
  const two = await (await open(server, statelessDate, { capabilities: { sampling: {}, elicitation: {} } })).result('tools/list');
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
  assert.deepEqual((await listed(server, '2025-06-18')).map(({ name }) => name), ['b']);
  assert.throws(() => handle.update({ title: 'A' }), TypeError);
  const again = server.tool('a', {}, () => 'new');
  handle.remove();
  handle.disable();
  assert.equal(again.enabled, true);
  assert.partialDeepStrictEqual(await called(server, '2025-06-18', 'a'), { content: [{ text: 'new' }] });
});

test('an update changes the given parts and leaves the others', async () => {
  const server = empty();
  const handle = server.tool('a', { title: 'A', description: 'Old.', input: z.object({ n: z.number() }) }, ({ n }) => String(n));
  handle.update({ description: 'New.' });
  assert.partialDeepStrictEqual(await listed(server, '2025-06-18'), [{ title: 'A', description: 'New.', inputSchema: { required: ['n'] } }]);
});

test('an update that cannot be is refused and leaves no trace', async () => {
  const server = empty();
  const handle = server.tool('a', { description: 'Old.', input: { type: 'object' } }, () => 'x');
  assert.throws(() => handle.update({ input: { type: 'string' } as never, description: 'Bad.' }), TypeError);
  handle.update({ title: 'A' });
  assert.partialDeepStrictEqual(await listed(server, '2025-06-18'), [{ title: 'A', description: 'Old.', inputSchema: { type: 'object' } }]);
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
  for (const date of ['2025-06-18', '2025-11-25', '2026-07-28'] as const) assert.deepEqual(await kinds(date), ['audio', 'resource_link', 'resource']);
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
