/** Scopes of tools, prompts, resources and methods, told before they run. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../server.ts';

test('a list of scopes is needed whatever the arguments, scopes of a function only for valid ones', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  t.after(() => server.close());
  const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  const own = { fixed: ['a', 'b'], made: ({ n }: { readonly n: number }) => [`n${n}`] };
  server.tool('fixed', { input, scopes: own.fixed }, () => 'x');
  server.tool('made', { input, scopes: own.made as never }, () => 'x');
  server.tool('open', { input }, () => 'x');
  const args = [{ name: 'n', required: true }];
  const named = ({ n }: { readonly n: string }): readonly string[] => [`n${n}`];
  server.prompt('fixed', { arguments: args, scopes: own.fixed } as never, () => 'x');
  server.prompt('made', { arguments: args, scopes: named } as never, () => 'x');
  server.method('x.example/fixed', { params: input, scopes: own.fixed } as never, () => ({}));
  server.method('x.example/made', { params: input, scopes: own.made } as never, () => ({}));
  server.method('x.example/open', {}, () => ({}));
  server.resource('fixed:1', { name: 'r', scopes: own.fixed }, () => 'x');
  server.resourceTemplate(
    'a:{id}',
    { name: 't', scopes: ({ id }: { readonly id: string }) => [id] } as never,
    () => 'x',
  );
  const guard = await server.endpoint.guard?.();
  assert.ok(guard);
  const missing = (method: string, params: object, granted: readonly string[] = ['b']) =>
    guard.missingScopes(
      { jsonrpc: '2.0', id: 1, method, params } as never,
      { principal: 'p', scopes: granted } as never,
    );
  for (const [method, argumentsIn] of [
    ['tools/call', (name: string, given: object) => ({ name, arguments: given })],
    ['prompts/get', (name: string, given: object) => ({ name, arguments: given })],
    ['x.example/', (_: string, given: object) => given],
  ] as const) {
    const of = (name: string, given: object, granted?: readonly string[]) =>
      missing(method.endsWith('/') ? method + name : method, argumentsIn(name, given), granted);
    const right = method === 'prompts/get' ? { n: '7' } : { n: 7 };
    assert.deepEqual(await of('fixed', right), ['a', 'b'], method);
    assert.deepEqual(await of('fixed', {}), ['a', 'b'], method);
    assert.deepEqual(await of('fixed', right, ['a', 'b']), [], method);
    assert.deepEqual(await of('made', right), ['n7'], method);
    assert.deepEqual(await of('made', {}), [], method);
    assert.deepEqual(await of('unknown', right), [], method);
    assert.deepEqual(await of('open', right), [], method);
  }
  for (const method of ['resources/read', 'resources/subscribe']) {
    assert.deepEqual(await missing(method, { uri: 'fixed:1' }), ['a', 'b']);
    assert.deepEqual(await missing(method, { uri: 'a:x' }), ['x']);
    assert.deepEqual(await missing(method, { uri: 'a:b' }), []);
    assert.deepEqual(await missing(method, { uri: 'other:1' }), []);
  }
  const listening = { notifications: { resourceSubscriptions: ['fixed:1', 'a:x', 'a:x', 'other:1'] } };
  assert.deepEqual(await missing('subscriptions/listen', listening), ['a', 'b', 'x']);
  assert.deepEqual(new Set(guard.knownScopes()), new Set(['a', 'b', 'n7', 'x']));
});
