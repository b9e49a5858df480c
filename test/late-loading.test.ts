/** What is loaded by the first who needs it, where that failed: a process may have no file descriptor left for a moment. */

import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { registerHooks } from 'node:module';
import { after, test, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { connect, type Client } from '../packages/parley/src/client.ts';
import { createHandler } from '../packages/parley/src/http.ts';
import { guardedFetch } from '../packages/parley/src/transports/node/login/guarded-fetch.ts';
import { loopback } from '../packages/parley/src/node.ts';
import { oauth } from '../packages/parley/src/oauth.ts';
import { createServer } from '../packages/parley/src/server.ts';
import { memoryTransport } from '../packages/parley/src/testing.ts';
import { until } from './support/turns.ts';

const session = '2025-06-18';

/** What cannot be loaded the next time. */
const failing = new Set<string>();

const hooks = registerHooks({
  resolve: (specifier, context, next) => {
    if (failing.delete(specifier)) throw new Error('EMFILE: too many open files');
    return next(specifier, context);
  },
});
after(() => hooks.deregister());

/** Has something fail once to be loaded, and makes sure that it was tried. */
function failOnce(t: TestContext, specifier: string): void {
  failing.add(specifier);
  t.after(() => assert.ok(!failing.delete(specifier), `${specifier} was not loaded`));
}

test('a guarded fetch that could not be loaded is loaded for the next request', async (t) => {
  const server = createHttpServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  failOnce(t, 'undici');
  const fetch = guardedFetch({ allow: ['localhost'] });
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
  const request = {
    method: 'GET',
    headers: {},
    redirect: 'manual',
    credentials: 'omit',
    signal: AbortSignal.timeout(10_000),
  } as const;
  await assert.rejects(fetch(url, request), /EMFILE/);
  assert.equal((await fetch(url, request)).status, 200);
});

test('what follows tasks is loaded for the next one', async (t) => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('long', { task: 'required' }, () => 'done');
  const client = await connect(memoryTransport(server), { revisions: ['2026-07-28'] });
  t.after(() => Promise.all([client.close(), server.close()]));
  failOnce(t, './client-tasks.ts');
  await assert.rejects(client.callTool('long'), /EMFILE/);
  assert.deepEqual((await client.callTool('long')).content, [{ type: 'text', text: 'done' }]);
});

test('what mends a refusal is loaded for the next one', async (t) => {
  failOnce(t, './authorization-recovery.ts');
  const auth = oauth({ redirect: loopback() });
  let asked = 0;
  const client = async (): Promise<unknown> =>
    await connect('http://localhost:1/mcp', {
      auth,
      // Else `initialize` is the next request.
      revisions: ['2026-07-28'],
      fetch: async () => {
        asked++;
        return new Response('', { status: 401 });
      },
    });
  await assert.rejects(client(), ({ cause }: Error) => /EMFILE/.test(String(cause)));
  await assert.rejects(client(), { name: 'AuthorizationError' });
  assert.ok(asked >= 2);
});

for (const [where, body, challenge] of [
  ['its body', 'no entry with sesame-0123456789', undefined],
  ['its challenge', '', 'Bearer error="invalid_token", error_description="sesame-0123456789"'],
] as const)
  test(`a refusal is told where what hides secrets in ${where} could not be loaded, without its words`, async (t) => {
    const client = async (): Promise<unknown> =>
      await connect('http://localhost:1/mcp', {
        headers: { 'x-api-key': 'sesame-0123456789' },
        fetch: async () =>
          new Response(body, {
            status: 401,
            headers: challenge === undefined ? {} : { 'www-authenticate': challenge },
          }),
      });
    failOnce(t, '../../../auth/common/secrets.ts');
    for (let time = 0; time < 2; time++) {
      const refusal: unknown = await client().catch((error: unknown) => error);
      assert.match(String(refusal), /HTTP 401 from/);
      assert.doesNotMatch(inspect(refusal), /EMFILE|sesame/);
    }
  });

test('a refusal that cannot be mended is told where what adds the words of the server could not be loaded', async (t) => {
  const connecting = connect('http://localhost:1/mcp', {
    auth: oauth({ redirect: loopback() }),
    fetch: async () => new Response('', { status: 401 }),
  });
  failOnce(t, './unmended.ts');
  await assert.rejects(connecting, { name: 'AuthorizationError' });
});

test('a request is answered where what measures requests could not be loaded, and the next one is served', async (t) => {
  const errors: unknown[] = [];
  const rateLimits = { requests: { perSecond: 100 } };
  const server = createServer({ name: 's', version: '1' }, { rateLimits, onError: (error) => errors.push(error) });
  t.after(() => server.close());
  const client = (): Promise<Client> => connect(memoryTransport(server), { revisions: [session], timeoutMs: 5_000 });
  failOnce(t, './rates.ts');
  await assert.rejects(client(), { name: 'McpError', message: 'internal error' });
  assert.match(String(errors), /EMFILE/);
  await (await client()).close();
});

test('a change is not told, and the owner of the server hears why, where the middleware that it passes could not be loaded', async (t) => {
  const errors: unknown[] = [];
  const server = createServer({ name: 's', version: '1' }, { onError: (error) => errors.push(error) });
  server.tool('one', {}, () => 'one');
  const client = await connect(memoryTransport(server), { revisions: [session] });
  t.after(() => Promise.all([client.close(), server.close()]));
  const told: unknown[] = [];
  await client.subscribe({ tools: true }, (change) => told.push(change));
  server.use((_, next) => next());
  failOnce(t, './passing.ts');
  server.tool('two', {}, () => 'two');
  await until(() => errors.length > 0, 'the error');
  assert.match(String(errors), /EMFILE/);
  assert.deepEqual(told, []);
  server.tool('three', {}, () => 'three');
  await until(() => told.length > 0, 'the change');
});

test('who has a client is warned where the middleware that a notification passes could not be loaded', async (t) => {
  const warnings: unknown[] = [];
  const server = createServer({ name: 's', version: '1' });
  server.tool('one', {}, () => 'one');
  const onWarning = (...warning: unknown[]): void => void warnings.push(warning);
  const client = await connect(memoryTransport(server), { revisions: [session], onWarning });
  t.after(() => Promise.all([client.close(), server.close()]));
  client.use((_, next) => next());
  failOnce(t, './passing.ts');
  server.tool('two', {}, () => 'two');
  await until(() => warnings.length > 0, 'the warning');
  assert.match(inspect(warnings), /EMFILE/);
});

test('a request is served where what tells of it could not be loaded', async (t) => {
  const server = createServer({ name: 's', version: '1' }, { onEvent: () => undefined });
  const errors: unknown[] = [];
  const handler = createHandler(server, { onError: (error) => errors.push(error) });
  t.after(() => Promise.all([handler.close(), server.close()]));
  failOnce(t, './health/told-reply.ts');
  for (let time = 0; time < 2; time++) {
    const response = await handler(new Request('http://localhost/mcp', { method: 'PUT' }));
    assert.equal(response.status, 405);
  }
  assert.equal(errors.length, 1);
});
