import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { dates, statelessDate, type Json } from '../../../../../test/support/raw.ts';
import { called, empty, listed } from '../../../../../test/support/tool-server.ts';
import { connect } from '../../client.ts';
import { memoryTransport } from '../../testing/memory-transport.ts';
import { text, ToolError } from './tool-result.ts';

const words = { type: 'text', text: 'words' };

const forms: readonly (readonly [string, unknown, Json])[] = [
  ['text', 'words', { content: [words] }],
  ['empty text', '', { content: [{ type: 'text', text: '' }] }],
  ['nothing', undefined, { content: [] }],
  ['null', null, { content: [] }],
  ['one block', words, { content: [words] }],
  [
    'several blocks',
    [words, { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
    { content: [words, { type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
  ],
  ['no blocks', [], { content: [] }],
  ['a whole result', { content: [words] }, { content: [words] }],
  ['a whole result that failed', { content: [words], isError: true }, { content: [words], isError: true }],
  [
    'a whole result with _meta',
    { content: [words], _meta: { 'com.example/cost': 3 } },
    { content: [words], _meta: { 'com.example/cost': 3 } },
  ],
  [
    'a whole result in which what may be missing is undefined',
    { content: [{ ...words, annotations: undefined }], structuredContent: undefined, isError: undefined },
    { content: [words] },
  ],
  ['a whole result with fields of its own', { content: [], 'x-acme': [1] }, { content: [], 'x-acme': [1] }],
];

for (const [what, returned, wanted] of forms) {
  test(`a tool may return ${what} [tools-028, tools-029, tools-032]`, async () => {
    const server = empty();
    server.tool('give', {}, () => returned as string);
    for (const date of dates) assert.partialDeepStrictEqual(await called(server, date, 'give'), wanted);
  });
}

for (const [what, returned, told] of [
  ['a number', 7, '7'],
  ['true', true, 'true'],
  ['an object that is nothing known', { sum: 3 }, 'an object'],
  ['an object with text as its content', { content: 'hello' }, 'an object whose content is not a list'],
  ['a list with something else in it', [words, 'more'], 'a list'],
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
    assert.deepEqual(
      errors.map((error) => /returned (.*);/.exec(String(error))?.[1]),
      dates.map(() => told),
    );
  });
}

test('structured content alone gets its text', async () => {
  const server = empty();
  server.tool('give', {}, () => ({ structuredContent: { a: 1 } }) as never);
  assert.partialDeepStrictEqual(await called(server, '2025-06-18', 'give'), {
    structuredContent: { a: 1 },
    content: [{ type: 'text', text: '{"a":1}' }],
  });
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
  server.tool('give', { output: z.object({ a: z.number(), unit: z.string().default('km') }) }, () => ({
    a: 1,
    secret: 2,
  }));
  const { content, structuredContent } = await called(server, '2025-11-25', 'give');
  assert.deepEqual(structuredContent, { a: 1, unit: 'km' });
  assert.deepEqual(content, [{ type: 'text', text: '{"a":1,"unit":"km"}' }]);
});

test('a whole result of a tool with output schema keeps its own content', async () => {
  const server = empty();
  server.tool('give', { output: z.object({ a: z.number() }) }, () => ({
    content: [{ type: 'text', text: 'one' }],
    structuredContent: { a: 1 },
  }));
  assert.partialDeepStrictEqual(await called(server, '2025-06-18', 'give'), {
    content: [{ type: 'text', text: 'one' }],
    structuredContent: { a: 1 },
  });
  assert.deepEqual((await called(server, '2025-03-26', 'give'))['content'], [
    { type: 'text', text: 'one' },
    { type: 'text', text: '{"a":1}' },
  ]);
});

test('a whole result is checked and transformed as a bare value is: defaults are filled in, extras are left out', async () => {
  const output = z.object({
    a: z.number(),
    unit: z.string().default('km'),
    when: z
      .string()
      .transform((at) => at.length)
      .pipe(z.number()),
  });
  const value = { a: 1, when: 'now', secret: 2 };
  const made = { a: 1, unit: 'km', when: 3 };
  const server = empty();
  server.tool('whole', { output: output as never }, () => ({ content: [words], structuredContent: value }) as never);
  server.tool('bare', { output: output as never }, () => value as never);
  server.tool('textless', { output: output as never }, () => ({ structuredContent: value, _meta: { b: 1 } }) as never);
  for (const date of dates) {
    const structuredContent = date < '2025-06-18' ? undefined : made;
    const [whole, bare, textless] = await Promise.all(
      ['whole', 'bare', 'textless'].map((name) => called(server, date, name)),
    );
    assert.deepEqual(whole?.['structuredContent'], structuredContent, date);
    assert.deepEqual((whole as { content: Json[] }).content[0], words);
    assert.deepEqual(bare?.['structuredContent'], structuredContent, date);
    assert.deepEqual(textless?.['structuredContent'], structuredContent, date);
    assert.deepEqual(textless?.['content'], [{ type: 'text', text: JSON.stringify(made) }]);
    assert.partialDeepStrictEqual(textless, { _meta: { b: 1 } });
  }
});

test('our own client takes a whole result of a schema that fills in and leaves out', async () => {
  const server = empty();
  server.tool('whole', { output: z.object({ a: z.number(), unit: z.string().default('km') }) }, () => ({
    content: [],
    structuredContent: { a: 1, secret: 2 },
  }));
  const client = await connect(memoryTransport(server));
  await client.listTools();
  assert.deepEqual((await client.callTool('whole')).structuredContent, { a: 1, unit: 'km' });
  await client.close();
});

for (const [what, output] of [
  ['whose fields are all optional', z.object({ sum: z.number().optional() })],
  ['that allows anything', {}],
  ['that is open', { type: 'object' } as const],
] as const) {
  for (const content of [[words], []]) {
    test(`content alone is a whole result, under an output schema ${what}: an error that says so, ${content.length} blocks`, async () => {
      const errors: unknown[] = [];
      const server = empty((error) => errors.push(error));
      server.tool('give', { output }, () => ({ content }) as never);
      for (const date of dates) {
        const result = await called(server, date, 'give');
        assert.equal(result['isError'], true);
        assert.ok(!('structuredContent' in result));
      }
      assert.match(String(errors[0]), /TypeError: tool "give" returned a result without structuredContent/);
    });
  }
}

test('a value whose schema has a content of its own is a value', async () => {
  const server = empty();
  const output = z.object({ content: z.array(z.object({ type: z.string(), text: z.string() })) });
  server.tool('page', { output }, () => ({ content: [{ type: 'heading', text: 'words' }] }) as never);
  server.tool('lines', { output: z.object({ content: z.array(z.string()) }) }, () => ({ content: ['a'] }) as never);
  assert.deepEqual((await called(server, '2025-11-25', 'page'))['structuredContent'], {
    content: [{ type: 'heading', text: 'words' }],
  });
  assert.deepEqual((await called(server, '2025-11-25', 'lines'))['structuredContent'], { content: ['a'] });
});

for (const [what, returned] of [
  ['a value of another type', { sum: 'three' }],
  ['nothing', undefined],
  ['text', 'three'],
  ['content without structured content', { content: [words] }],
  ['structured content that does not fit', { content: [words], structuredContent: { sum: 'three' } }],
] as const) {
  test(`a tool that returns ${what} against its output schema fails, and no such data is sent [tools-011, C82]`, async () => {
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
  server.tool('sum', { output: z.object({ sum: z.number() }) }, () => ({
    content: [{ type: 'text', text: 'no numbers' }],
    isError: true,
  }));
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
      assert.partialDeepStrictEqual(tool, {
        outputSchema: { type: 'object', properties: { result: { type: 'array' } }, required: ['result'] },
      });
      assert.deepEqual(structuredContent, { result: [1, 2] });
    }
  }
});

test('an object under an output schema that is wrapped is wrapped too [tools-010, tools-011]', async () => {
  const server = empty();
  const output = z.union([z.object({ found: z.string() }), z.string()]);
  server.tool('find', { input: z.object({ what: z.string() }), output }, ({ what }) =>
    what === '' ? 'nothing' : { found: what },
  );
  for (const date of ['2025-06-18', '2025-11-25'] as const) {
    assert.partialDeepStrictEqual(await listed(server, date), [
      { outputSchema: { type: 'object', required: ['result'] } },
    ]);
    assert.deepEqual((await called(server, date, 'find', { what: 'x' }))['structuredContent'], {
      result: { found: 'x' },
    });
    assert.deepEqual((await called(server, date, 'find', { what: '' }))['structuredContent'], { result: 'nothing' });
  }
  assert.deepEqual((await called(server, statelessDate, 'find', { what: 'x' }))['structuredContent'], { found: 'x' });
  assert.deepEqual((await called(server, '2025-03-26', 'find', { what: 'x' }))['content'], [
    { type: 'text', text: '{"found":"x"}' },
  ]);
});

test('null and false are output values [tools-014]', async () => {
  const server = empty();
  server.tool('null', { output: z.null() }, () => null);
  server.tool('false', { output: z.boolean() }, () => false);
  for (const [name, value] of [
    ['null', null],
    ['false', false],
  ] as const) {
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

for (const [what, output, returned, fits] of [
  ['a date for an object', { type: 'object' }, new Date(0), false],
  ['a date for text', { type: 'string' }, new Date(0), true],
  ['a date in a field for text', { type: 'object', properties: { at: { type: 'string' } } }, { at: new Date(0) }, true],
  ['a date in a list for objects', { type: 'array', items: { type: 'object' } }, [new Date(0)], false],
] as const)
  test(`what is held against an output schema is what is sent: ${what}`, async () => {
    const server = empty();
    server.tool('give', { output }, () => returned as never);
    const sent: unknown = JSON.parse(JSON.stringify(returned));
    const wrapped = output.type === 'object' ? sent : { result: sent };
    for (const date of dates) {
      const { isError, structuredContent } = await called(server, date, 'give');
      assert.equal(isError === true, !fits, date);
      if (!fits || structuredContent === undefined) continue;
      assert.deepEqual(JSON.parse(JSON.stringify(structuredContent)), date === statelessDate ? sent : wrapped);
    }
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

test('output that is no JSON, and data that is no base64, are told of with the tool and the place', async () => {
  const said: string[] = [];
  const server = empty((error) => said.push(String(error)));
  const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' }) as const;
  server.tool('big', { output: { type: 'object' } }, () => ({ a: 1n }));
  server.tool('url', {}, () => image('data:image/png;base64,AAAA'));
  server.tool('odd', {}, () => [text('x'), { ...image('not base64!'), type: 'audio' }]);
  server.tool('good', {}, () => [image('AAA='), image('AAAA\r\nAAA=\n'), image(''), text('data:,')]);
  for (const tool of ['big', 'url', 'odd']) assert.equal((await called(server, statelessDate, tool))['isError'], true);
  assert.equal((await called(server, statelessDate, 'good'))['isError'], undefined);
  assert.match(said[0] ?? '', /the output of tool "big" cannot be written as JSON: .*BigInt/);
  assert.match(said[1] ?? '', /tool "url" .*content\[0\]\.data is a data: URL; what follows its comma belongs there/);
  assert.match(said[2] ?? '', /tool "odd" .*content\[1\]\.data must be base64/);
});

test('a ToolError is a result that the model can read [tools-023]', async () => {
  const errors: unknown[] = [];
  const server = empty((error) => errors.push(error));
  server.tool('plain', {}, () => {
    throw new ToolError('no such city', { cause: new Error('secret') });
  });
  server.tool('rich', { output: z.object({ a: z.number() }) }, () => {
    throw new ToolError('no such city', {
      content: [
        { type: 'text', text: 'try another' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    });
  });
  for (const date of dates) {
    assert.partialDeepStrictEqual(await called(server, date, 'plain'), {
      isError: true,
      content: [{ type: 'text', text: 'no such city' }],
    });
    assert.partialDeepStrictEqual(await called(server, date, 'rich'), {
      isError: true,
      content: [{ type: 'text', text: 'try another' }, { type: 'image' }],
    });
  }
  assert.deepEqual(errors, []);
});
