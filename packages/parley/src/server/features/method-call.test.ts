/** Methods of a server's own: their names, what they need, and what they may return. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpError } from '../../protocol/error.ts';
import { toInputSchema, toOutputSchema } from '../../schema/schema.ts';
import { createServer } from '../server.ts';
import { callMethod } from './method-call.ts';
import { addMethod, ownMethods, type MethodEntry } from './methods.ts';
import { Registry } from '../definition/registry.ts';

const call = (flags: readonly string[] = [], aborted = false) =>
  ({ aborted, client: { supports: (flag: string) => flags.includes(flag) } }) as never;

async function called(entry: Partial<MethodEntry>, params: object = {}, by = call()): Promise<unknown> {
  return await callMethod({ name: 'x.example/y', run: () => ({}), ...entry } as MethodEntry, params as never, by);
}

const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

test('a name of a request is not empty, and does not begin as those that the protocol reserves', () => {
  const server = createServer({ name: 's', version: '1' });
  for (const name of ['', 'rpc.x', 'notifications/x', 5, undefined])
    assert.throws(() => server.method(name as string, {}, () => ({})), /is no name of a request/, String(name));
  assert.throws(() => server.method('tools/call', {}, () => ({})), /belongs to the protocol/);
  assert.throws(() => server.method('x', { extension: 'x.example/y' } as never, () => ({})), /which is not declared/);
  server.method('rpcx', {}, () => ({}));
});

test('a server names its methods that everybody may see, each with its extension', () => {
  const registry = new Registry<MethodEntry>('method', () => undefined);
  const add = (name: string, definition: object): unknown =>
    addMethod(registry, name, { definition: definition as never, run: () => ({}), isDeclared: () => true });
  add('x.example/a', {});
  add('x.example/b', { extension: 'x.example/z' });
  add('x.example/c', { visible: () => true });
  assert.deepEqual(ownMethods(registry), { 'x.example/a': {}, 'x.example/b': { extension: 'x.example/z' } });
});

test('a method runs without _meta among its parameters, which must fit', async () => {
  const params = toInputSchema(number);
  const echo = (given: unknown) => ({ given });
  assert.deepEqual(await called({ run: echo }, { n: 'x', _meta: {} }), { given: { n: 'x' } });
  assert.deepEqual(await called({ run: echo, params }, { n: 1, _meta: {} }), { given: { n: 1 } });
  await assert.rejects(called({ run: () => assert.fail('it ran'), params }, { n: 'x' }), (error: McpError) => {
    const { problems } = error.data as { problems: readonly unknown[] };
    return (
      error.kind === 'invalidParams' &&
      problems.length === 1 &&
      /x\.example\/y: \/n: must be number/.test(error.message)
    );
  });
  assert.deepEqual(await called({ run: () => assert.fail('it ran') }, {}, call([], true)), {});
});

test('a method needs its capability and its extension', async () => {
  const entry = { capability: 'elicitation.form', extension: 'x.example/z' } as const;
  for (const [flags, requiredCapabilities] of [
    [[], { elicitation: { form: {} } }],
    [['elicitation.form'], { extensions: { 'x.example/z': {} } }],
  ] as const)
    await assert.rejects(
      called(entry, {}, call(flags)),
      new McpError(
        'missingRequiredClientCapability',
        `x.example/y needs ${flags.length === 0 ? 'elicitation.form' : 'x.example/z'}, which the client did not declare`,
        {
          data: { requiredCapabilities },
        },
      ),
    );
  assert.deepEqual(await called(entry, {}, call(['elicitation.form', 'x.example/z'])), {});
});

test('a method returns an object, nothing, or what an extension made', async () => {
  assert.deepEqual(await called({ run: () => undefined }), {});
  assert.deepEqual(await called({ run: () => ({ resultType: 'complete' }) }), { resultType: 'complete' });
  for (const wrong of [1, 'x', []]) await assert.rejects(called({ run: () => wrong }), /a result is an object/);
  const task = () => ({ resultType: 'task', n: 1 });
  await assert.rejects(called({ run: task }), /returned a resultType; return what extensionResult makes/);
  const result = toOutputSchema(number);
  await assert.rejects(called({ run: task, result }), /returned a resultType/);
});

test('a result fits its schema, beside the metadata that every result may have', async () => {
  const result = toOutputSchema(number);
  assert.deepEqual(await called({ run: () => ({ n: 1, _meta: { a: 1 } }), result }), { n: 1, _meta: { a: 1 } });
  assert.deepEqual(await called({ run: () => ({ n: 1 }), result }), { n: 1 });
  for (const wrong of [{ n: 'x' }, {}, undefined, 1])
    await assert.rejects(called({ run: () => wrong, result }), /returned an invalid result: /);
});
