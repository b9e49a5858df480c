import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { errorOf, open, statelessDate, type Json } from '../../../../../test/support/raw.ts';
import { called } from '../../../../../test/support/tool-server.ts';
import { McpError } from '../../protocol/error.ts';
import { inputRequired } from './input-required.ts';
import { createServer, type Server } from '../server.ts';

/** A program that no compiler checked. */
type Loose = { readonly [Method in keyof Server]: (...args: unknown[]) => unknown };

const make = createServer as unknown as (...args: unknown[]) => Loose;
const info = { name: 's', version: '1' };
const server = make(info);
const run = (): string => 'x';

for (const [what, mistake, words] of [
  [
    'inputSchema for input',
    () => server.tool('t', { inputSchema: {} }, run),
    /tool "t" has no option "inputSchema".* input\b/,
  ],
  ['outputSchema for output', () => server.tool('t', { outputSchema: {} }, run), /"outputSchema".* output\b/],
  ['parameters for input', () => server.tool('t', { parameters: {} }, run), /"parameters".* input\b/],
  ['argsSchema for arguments', () => server.prompt('p', { argsSchema: {} }, run), /"argsSchema".* arguments\b/],
  ['_meta for meta', () => server.resource('a:b', { name: 'n', _meta: {} }, run), /"_meta".* meta\b/],
  [
    'an unknown option of a template',
    () => server.resourceTemplate('a:{b}', { name: 'n', lists: 1 }, run),
    /"lists".* list\b/,
  ],
  [
    'an annotation that is misspelt',
    () => server.tool('t', { annotations: { readonlyHint: true } }, run),
    /tool "t" has the annotation "readonlyHint"; it is called readOnlyHint/,
  ],
  [
    'an annotation with a slip of the keys',
    () => server.tool('t', { annotations: { destructivHint: true } }, run),
    /tool "t" has the annotation "destructivHint"; it is called destructiveHint/,
  ],
  ['a tool without a handler', () => server.tool('t', {}), /tool "t" needs a handler/],
  ['a tool without a definition', () => server.tool('t', run), /tool "t" needs a handler.* after its definition/],
  ['a tool whose handler is an object', () => server.tool('t', {}, {}), /needs a handler/],
  ['a resource without a handler', () => server.resource('a:b', { name: 'n' }), /resource "a:b" needs a handler/],
  ['a template without a handler', () => server.resourceTemplate('a:{b}', { name: 'n' }), /needs a handler/],
  ['a prompt without a handler', () => server.prompt('p', {}), /prompt "p" needs a handler/],
  ['a resource without a name', () => server.resource('a:b', {}, run), /resource "a:b" needs a name/],
  ['a template without a name', () => server.resourceTemplate('a:{b}', {}, run), /"a:\{b\}" needs a name/],
  [
    'fields as the arguments of a prompt',
    () => server.prompt('p', { arguments: { a: z.string() } }, run),
    /prompt "p".*z\.object/,
  ],
  ['names as the arguments of a prompt', () => server.prompt('p', { arguments: ['a'] }, run), /prompt "p".* list/],
  [
    'a completion of no argument',
    () => server.prompt('p', { arguments: [{ name: 'a' }], complete: { b: run } }, run),
    /complete of prompt "p" has no option "b".* a\b/,
  ],
  [
    'a completion of no variable',
    () => server.resourceTemplate('a:{b}', { name: 'n', complete: { c: run } }, run),
    /complete of resource template "a:\{b\}" has no option "c".* b\b/,
  ],
  [
    'a completion that is a list',
    () => server.resourceTemplate('a:{b}', { name: 'n', complete: { b: ['x'] } }, run),
    /has functions; b is a list/,
  ],
  [
    'an unknown option of rounds',
    () => make({ name: 's', version: '1' }, { rounds: { key: 1 } }),
    /rounds .*"key".* keys\b/,
  ],
  [
    'a schema that JSON cannot say',
    () => server.tool('when', { output: z.object({ at: z.date() }) }, run),
    /tool "when": the output side of the zod schema/,
  ],
  ['no definition', () => server.tool('t', null, run), /tool "t" needs an object/],
  ['an unknown option of a server', () => make({ name: 's', version: '1' }, { onErorr: run }), /"onErorr".* onError\b/],
  ['a time of states in words', () => make({ name: 's', version: '1' }, { rounds: { ttlMs: '1h' } }), /ttlMs .*"1h"/],
  ['an endless time of states', () => make({ name: 's', version: '1' }, { rounds: { ttlMs: Infinity } }), /ttlMs/],
  ['rounds that are no number', () => make({ name: 's', version: '1' }, { rounds: { maxRounds: NaN } }), /maxRounds/],
  ['a log level as a switch', () => make(info, { logging: 'off' }), /logging must be true or false, not "off"/],
  ['text as a switch', () => make(info, { exposeErrors: 'false' }), /exposeErrors must be true or false, not "false"/],
  ['no listener', () => make(info, { onError: 'log' }), /onError must be a function, not "log"/],
  ['instructions that are none', () => make(info, { instructions: 5 }), /instructions must be text, not 5/],
  ['a use that is none', () => make(info, { rounds: { singleUse: 'no' } }), /rounds\.singleUse must be true or false/],
  ['keys that are no list', () => make(info, { rounds: { keys: 'abc' } }), /rounds\.keys must be a list of keys/],
  ['a clock that is none', () => make(info, { rounds: { now: 5 } }), /rounds\.now must be a function, not 5/],
  ['endless listeners', () => make(info, { subscriptions: { listeners: NaN } }), /subscriptions\.listeners .* not NaN/],
  [
    'too few resources',
    () => make(info, { subscriptions: { resourcesPerClient: -1 } }),
    /subscriptions\.resourcesPerClient .* not -1/,
  ],
  [
    'null as the rates of tools',
    () => make(info, { rateLimits: { byTool: null } }),
    /^rateLimits\.byTool must be an object of rates by name, not null$/,
  ],
  [
    'a word as the rates of tools',
    () => make(info, { rateLimits: { byTool: 'fast' } }),
    /^rateLimits\.byTool must be an object of rates by name, not "fast"$/,
  ],
  [
    'a rate of one tool with a misspelt option',
    () => make(info, { rateLimits: { byTool: { a: { perSecond: 1, bursts: 1 } } } }),
    /rateLimits\.byTool\["a"\] has no option "bursts".* burst\b/,
  ],
  ['a rate in words', () => make(info, { rateLimits: { tools: { perSecond: '5' } } }), /perSecond above 0, .* not "5"/],
  [
    'a hint that no client can keep',
    () => server.resource('a:///b', { name: 'n', cache: { ttlMs: 1.5, cacheScope: 'public' } }, run),
    /resource "a:\/\/\/b": cache\.ttlMs must be .*, not 1\.5/,
  ],
  [
    'half a hint',
    () => server.resource('a:///b', { name: 'n', cache: { ttlMs: 5 } }, run),
    /cache\.cacheScope must be public or private/,
  ],
  [
    'a key that is too short',
    () => make(info, { rounds: { keys: ['c2VjcmV0'] } }),
    /a sealing key of rounds.keys must be 32 bytes, as bytes or in base64, not 6 bytes/,
  ],
  [
    'a key that is no text',
    () => make(info, { tasks: { keys: [7] } }),
    /of tasks.keys must .* not a value of type number/,
  ],
  ['a hint without its end', () => server.tool('t', { annotations: { readonly: true } }, run), /called readOnlyHint/],
  [
    'a method that is misspelt',
    () => server.use('tool/call', (_: unknown, next: () => unknown) => next()),
    /no method "tool\/call"; it is called tools\/call/,
  ],
  ['a server without options', () => make({ name: 's', version: '1' }, null), /needs an object/],
  ['a server without a name', () => make({ version: '1' }), /a name and a version/],
  ['a server without a version', () => make({ name: 's' }), /a name and a version/],
  [
    'an option beside the name',
    () => make({ ...info, rounds: { keys: ['secret'] } }),
    /createServer takes rounds in its second argument; the first is what clients see/,
  ],
  ['what clients are not to see', () => make({ ...info, apiKey: 'k' }), /first argument of createServer .*"apiKey"/],
  ['a title that is no text', () => make({ ...info, title: 5 }), /first argument of createServer .* title must be/],
  [
    'capabilities that are none',
    () => make(info, { capabilities: { experimental: 5 } }),
    /capabilities .* experimental/,
  ],
  ['a bigint in meta', () => server.tool('t', { meta: { 'a.b/c': 1n } }, run), /tool "t" cannot be written as JSON/],
  [
    'a bigint in a schema',
    () => server.tool('t', { input: { type: 'object', properties: { a: { const: 1n } } } }, run),
    /tool "t" cannot be written as JSON: .*BigInt/,
  ],
  [
    'a priority out of its range',
    () => server.resource('a:b', { name: 'n', annotations: { priority: 7 } }, run),
    /annotations\.priority must be a number of at least 0 and at most 1/,
  ],
  ['a size with a fraction', () => server.resource('a:b', { name: 'n', size: 1.5 }, run), /size must be an integer/],
  ['inputRequests for requests', () => inputRequired({ inputRequests: {} } as never), /it is called requests here/],
  ['rounds by hand of nothing', () => inputRequired(undefined as never), /inputRequired needs an object/],
  ['a server without anything', () => make(), /a name and a version/],
  ['a name alone', () => make('s'), /a name and a version/],
  ['a template given to resource', () => server.resource('user://{id}', { name: 'n' }, run), /resourceTemplate/],
  ['fields of zod as input', () => server.tool('t', { input: { city: z.string() } }, run), /"city".*z\.object\(/],
  ['fields of zod as output', () => server.tool('t', { output: { city: z.string() } }, run), /"city".*z\.object\(/],
  ['an error of an unknown kind', () => new McpError('notFound' as never, 'x'), /"notFound".* resourceNotFound/],
  ['an error without a kind', () => new McpError(undefined as never, 'x'), /"undefined".* invalidParams/],
] as const) {
  test(`a TypeError at once names the right one: ${what}`, () => {
    assert.throws(mistake, (error: Error) => {
      assert.equal(error.name, 'TypeError');
      assert.match(error.message, words);
      return true;
    });
  });
}

test("progress('half') in JavaScript is a TypeError that names it, at the server alone", async () => {
  for (const args of [['half'], [1, 'two'], [undefined]]) {
    const errors: unknown[] = [];
    const typed = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
    typed.tool('t', {}, (_args, ctx) => {
      ctx.progress(...(args as unknown as [number, number]));
      return 'x';
    });
    assert.equal((await called(typed, statelessDate, 't'))['isError'], true);
    assert.match(String(errors[0]), /^TypeError: progress takes numbers, not ("half"|"two"|undefined)$/);
  }
});

test("log('warn') in JavaScript is a TypeError that names the levels, whether anybody listens or not", async () => {
  const errors: unknown[] = [];
  const typed = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
  typed.tool('t', {}, (_args, ctx) => {
    ctx.log('warn' as 'warning', 'x');
    return 'x';
  });
  assert.equal((await called(typed, statelessDate, 't'))['isError'], true);
  assert.match(String(errors[0]), /^TypeError: level must be "debug", .*"warning".*, not "warn"$/);
});

test('an annotation of one’s own is sent as it is', async () => {
  const own = createServer({ name: 's', version: '1' });
  const annotations = { 'com.example/cost': 3, hint: 1, open: 2, world: 3, read: 4, only: 5, readOnly: 6 };
  own.tool('t', { annotations: annotations as object }, () => 'x');
  const client = await open(own, statelessDate);
  const [tool] = (await client.result('tools/list'))['tools'] as readonly Json[];
  assert.deepEqual(tool?.['annotations'], annotations);
});

test("closeStream('x') in JavaScript is a TypeError that names it, in every revision", async () => {
  for (const given of ['x', -1, Number.NaN, null]) {
    const errors: unknown[] = [];
    const typed = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
    typed.tool('t', {}, (_args, ctx) => ctx.closeStream(given as number));
    await called(typed, statelessDate, 't');
    assert.match(String(errors[0]), /^TypeError: closeStream takes milliseconds .*, not ("x"|-1|NaN|null)$/);
  }
});

test('exposeErrors lets clients read what a handler throws; without it the server says how', async (t) => {
  const lines: string[] = [];
  t.mock.method(console, 'error', (...words: unknown[]) => void lines.push(words.join(' ')));
  for (const [exposeErrors, text, count] of [
    [false, 'the tool "t" failed', 1],
    [true, 'the tool "t" failed: no such table', 0],
  ] as const) {
    lines.length = 0;
    const throwing = createServer({ name: 's', version: '1' }, { exposeErrors });
    throwing.tool('t', {}, () => {
      throw new Error('no such table');
    });
    throwing.prompt('p', {}, () => {
      throw new Error('no such table');
    });
    for (let time = 0; time < 2; time++)
      assert.deepEqual((await called(throwing, statelessDate, 't'))['content'], [{ type: 'text', text }]);
    const client = await open(throwing, statelessDate);
    const { message } = errorOf(await client.ask('prompts/get', { name: 'p' }));
    assert.equal(message, exposeErrors ? 'no such table' : 'internal error');
    assert.equal(lines.filter((line) => line.startsWith('prompts/get "p": Error')).length, 1);
    assert.equal(lines.filter((line) => /throw an McpError .*exposeErrors/.test(line)).length, count);
    assert.equal(lines.filter((line) => line.includes('no such table')).length, 3);
    assert.equal(lines.filter((line) => /throw a ToolError .*exposeErrors/.test(line)).length, count);
  }
});

test('a plain error of middleware is printed with the errors that a client can read', async (t) => {
  const lines: string[] = [];
  t.mock.method(console, 'error', (...words: unknown[]) => void lines.push(words.join(' ')));
  const guarded = createServer({ name: 's', version: '1' });
  guarded.tool('t', {}, () => 'done');
  guarded.use('tools/call', () => {
    throw new Error('denied');
  });
  const client = await open(guarded, statelessDate);
  assert.equal(errorOf(await client.ask('tools/call', { name: 't' })).message, 'internal error');
  assert.deepEqual(lines, [
    'tools/call "t": Error: denied',
    'tools/call "t": the client received only "internal error"; throw an McpError to send it a message, or a ToolError to tell the model, or set exposeErrors',
  ]);
});
