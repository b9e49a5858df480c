import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import {
  dates,
  initializeParams,
  open,
  Raw,
  statelessDate,
  withMeta,
  type Json,
} from '../../../../test/support/raw.ts';
import { metaKey } from '../protocol/meta.ts';
import { methodNames } from '../protocol/catalogue.ts';
import { createServer, type Server } from './server.ts';

/** A server with something behind every method, whose handlers fail on nothing. */
function served(masked: unknown[]): Server {
  const server = createServer(
    { name: 'tested', version: '1.0.0' },
    { pageSize: 1, onError: (error) => masked.push(error) },
  );
  server.tool('any', { input: { type: 'object' } }, (args, ctx) => {
    ctx.progress(1);
    ctx.log('error', args);
    return JSON.stringify(args);
  });
  server.tool(
    'typed',
    {
      input: z.object({
        n: z.number(),
        s: z.string().optional(),
        list: z.array(z.object({ x: z.boolean() })).default([]),
      }),
      output: z.object({ n: z.number() }),
    },
    ({ n }) => ({ n }),
  );
  server.resource('memo://one', { name: 'one' }, () => 'x');
  server.resourceTemplate(
    'user://{id}{?q,list*}',
    { name: 'user', complete: { id: (typed) => [typed] }, list: () => [{ uri: 'user://7', name: '7' }] },
    (_, variables) => JSON.stringify(variables),
  );
  server.prompt(
    'listed',
    {
      arguments: [{ name: 'a', required: true }],
      complete: { a: (typed, ctx) => [typed, ...Object.values(ctx.arguments)] },
    },
    (args) => JSON.stringify(args),
  );
  server.prompt('typed', { arguments: z.object({ a: z.string().max(3) }) }, (args) => JSON.stringify(args));
  return server;
}

/** Parameters that each method takes, to be spoiled. */
const good: Readonly<Record<string, Json>> = {
  initialize: initializeParams('2025-06-18', { sampling: {}, roots: { listChanged: true }, experimental: { x: {} } }),
  'tools/list': { cursor: btoa('tool:0') },
  'tools/call': { name: 'typed', arguments: { n: 1, s: 'x', list: [{ x: true }] }, _meta: { progressToken: 1 } },
  'resources/list': { cursor: btoa('at:0') },
  'resources/templates/list': {},
  'resources/read': { uri: 'user://7?q=1&list=a' },
  'resources/subscribe': { uri: 'memo://one' },
  'resources/unsubscribe': { uri: 'memo://one' },
  'prompts/list': {},
  'prompts/get': { name: 'listed', arguments: { a: 'x' } },
  'completion/complete': {
    ref: { type: 'ref/prompt', name: 'listed' },
    argument: { name: 'a', value: 'v' },
    context: { arguments: { b: 'c' } },
  },
  'logging/setLevel': { level: 'debug' },
  'subscriptions/listen': { notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://one'] } },
  'tasks/update': { taskId: 't', inputResponses: {} },
};

const nastyText = fc.oneof(
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    'toString',
    'any',
    'typed',
    'listed',
    'memo://one',
    'user://%',
    'user://%ff',
    'user://{id}',
    '\u0000',
    '\ud800',
    'ref/prompt',
    'ref/resource',
    '2025-06-18',
    'debug',
    '../../etc/passwd',
    'x'.repeat(70_000),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const nastyNumber = fc.constantFrom(0, -0, -1, 1.5, 1e308, -1e308, 2 ** 53, Number.MIN_VALUE);
const nasty: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    nastyText,
    nastyNumber,
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(
      fc.tuple(
        fc.oneof(
          nastyText,
          fc.constantFrom(
            'name',
            'uri',
            'arguments',
            'cursor',
            '_meta',
            'ref',
            'argument',
            'type',
            'progressToken',
            'level',
          ),
        ),
        tie('value'),
      ),
      { maxLength: 4 },
    )
    .map((entries) => Object.fromEntries(entries)),
})).value;

/** Some parameters with one value anywhere inside replaced, or one key taken away or added. */
function spoiled(params: Json): fc.Arbitrary<unknown> {
  const paths: (readonly string[])[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(params, []);
  return fc
    .record({
      path: fc.constantFrom(...paths),
      value: nasty,
      how: fc.constantFrom('replace', 'remove', 'add'),
      key: nastyText,
    })
    .map(({ path, value, how, key }) => {
      const change = (at: unknown, [head, ...rest]: readonly string[]): unknown => {
        if (head === undefined)
          return how === 'add' && typeof at === 'object' && at !== null
            ? Object.fromEntries([...Object.entries(at), [key, value]])
            : value;
        // The path leads through objects and lists alone: it was made by walking them.
        const fields = at as Readonly<Record<string, unknown>>;
        const entries = Object.entries(fields).flatMap(([name, inner]): [string, unknown][] =>
          name !== head ? [[name, inner]] : rest.length === 0 && how === 'remove' ? [] : [[name, change(inner, rest)]],
        );
        return Array.isArray(at) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
      };
      return change(params, path);
    });
}

function assertAnswers(response: Json | undefined, id: unknown, what: string): void {
  assert.ok(response !== undefined, `${what} got no response`);
  assert.equal(response['jsonrpc'], '2.0');
  assert.deepEqual(response['id'], id, what);
  assert.equal(Number('result' in response) + Number('error' in response), 1, what);
  const error = response['error'] as { code: number; message: string } | undefined;
  if (error === undefined) return;
  assert.ok(Number.isInteger(error.code) && error.message.length < 2000, `${what}: ${error.message.slice(0, 200)}`);
  assert.notEqual(error.code, -32603, `${what}: ${error.message}`);
}

const requests = methodNames.filter((name) => !name.startsWith('notifications/'));

for (const date of dates) {
  for (const method of requests) {
    const params = good[method] ?? {};
    test(`${method} answers whatever parameters come at ${date}, and no handler of ours fails [basic-009, resources-018, compl-008]`, async () => {
      const masked: unknown[] = [];
      const raw = await open(served(masked), date);
      let id = 0;
      await fc.assert(
        fc.asyncProperty(fc.oneof(nasty, spoiled(params), spoiled(params)), async (given) => {
          const unfit = typeof given !== 'object' || given === null || Array.isArray(given);
          const dressed = date === statelessDate && !unfit && !fits(given) ? withMeta(given as Json) : given;
          const asked = ++id;
          const answer = raw.receive({ jsonrpc: '2.0', id: asked, method, params: dressed });
          if (method === 'subscriptions/listen') {
            const first = await Promise.race([answer, new Promise((resolve) => void setImmediate(resolve, 'open'))]);
            if (first === 'open') {
              await raw.notify('notifications/cancelled', { requestId: asked });
              assert.equal(await answer, undefined);
              return;
            }
          }
          assertAnswers(await answer, asked, JSON.stringify(dressed).slice(0, 300));
        }),
        { numRuns: 60 },
      );
      assert.deepEqual(masked, []);
    });
  }
}

/** Whether parameters bring a spoiled `_meta` of their own, which then is to be answered too. */
function fits(given: object): boolean {
  return '_meta' in given && typeof given._meta === 'object';
}

test('whatever is in _meta of a stateless request, it is answered [meta-010]', async () => {
  const masked: unknown[] = [];
  const raw = new Raw(served(masked), true);
  const complete = {
    [metaKey.protocolVersion]: statelessDate,
    [metaKey.clientCapabilities]: { sampling: {}, extensions: { 'a/b': {} } },
    [metaKey.clientInfo]: { name: 'c', version: '1' },
    [metaKey.logLevel]: 'debug',
    progressToken: 1,
  };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('tools/list', 'tools/call', 'server/discover', 'resources/read'),
      spoiled(complete),
      async (method, _meta) => {
        const response = await raw.receive({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: { name: 'any', uri: 'memo://one', _meta },
        });
        assertAnswers(response, 1, JSON.stringify(_meta).slice(0, 300));
      },
    ),
    { numRuns: 500 },
  );
  assert.deepEqual(masked, []);
});

test('whatever value comes is answered or ignored, and the conversation lives on [basic-001]', async () => {
  const masked: unknown[] = [];
  const server = served(masked);
  const raws = await Promise.all(dates.map((date) => open(server, date)));
  const message = fc.record(
    {
      jsonrpc: fc.oneof({ weight: 4, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: nasty }),
      id: fc.oneof(fc.integer(), nastyText, nasty),
      method: fc.oneof(
        fc.constantFrom(...methodNames.filter((name) => name !== 'subscriptions/listen')),
        nastyText,
        nasty,
      ),
      params: nasty,
      result: nasty,
      error: nasty,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(nasty, message, message), async (value) => {
      for (const raw of raws) {
        const response = await raw.receive(value);
        if (response === undefined) continue;
        assert.equal(response['jsonrpc'], '2.0');
        assert.equal(Number('result' in response) + Number('error' in response), 1);
      }
    }),
    { numRuns: 500 },
  );
  for (const raw of raws) assert.ok(Array.isArray((await raw.result('tools/list'))['tools']));
  assert.deepEqual(masked, []);
});
