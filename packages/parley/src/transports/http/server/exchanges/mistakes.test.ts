import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEndpoint } from '../../../../../../../test/support/fake-endpoint.ts';
import { createHandler } from '../fetch.ts';
import type { HttpOptions } from './options.ts';
import { createServer } from '../../../../server/server.ts';

/** A program that no compiler checked. */
const make = createHandler as (served: unknown, options?: unknown) => ReturnType<typeof createHandler>;
const server = createServer({ name: 's', version: '1' });

for (const [what, options, words] of [
  ['an unknown option', { allowHosts: ['a'] }, /no option "allowHosts".* allowedHosts\b/],
  [
    'a name where a list belongs',
    { allowedHosts: 'a.example' },
    /allowedHosts must be a list .*, or 'any', not "a.example"/,
  ],
  [
    'a URL where a name belongs',
    { allowedHosts: ['https://a.example'] },
    /names such as .*, not "https:\/\/a.example"/,
  ],
  ['an origin without its scheme', { allowedOrigins: ['a.example'] }, /origins such as .* not "a.example"/],
  ['an origin with a path', { allowedOrigins: ['https://a.example/app'] }, /not "https:\/\/a.example\/app"/],
  ['a star for any origin', { allowedOrigins: ['*'] }, /or 'any', not "\*"/],
  ['a header that is none', { allowedHeaders: ['a b'] }, /names of header fields, not "a b"/],
  ['a number that is text', { maxSessions: 'many' }, /maxSessions must be a number of at least 0, not "many"/],
  ['a negative number', { bodyTimeoutMs: -1 }, /bodyTimeoutMs must be .*, not -1/],
  ['a hook that is none', { authenticate: 'bearer' }, /authenticate must be a function, not "bearer"/],
  ['a number that is none', { maxStreams: NaN }, /maxStreams must be .*, not NaN/],
  ['a store of events that is none', { events: 'memory' }, /events is 'none' or left out, not "memory"/],
  ['a path without its slash', { path: 'mcp' }, /path must be a path such as \/mcp, not "mcp"/],
] as const)
  test(`${what} is refused at once, by the right name`, () => {
    assert.throws(() => make(server, options), { name: 'TypeError', message: words });
  });

test('lists that are right are taken', () => {
  for (const options of [
    { allowedHosts: ['a.example', 'a.example:8080', '[::1]'], allowedOrigins: 'any' },
    { allowedHosts: 'any', allowedOrigins: ['https://a.example/', 'chrome-extension://abc', 'null'] },
  ])
    make(server, options);
});

for (const [what, served] of [
  ['nothing', undefined],
  ['an empty object', {}],
  ['the endpoint of a server', server.endpoint],
  ['a text', 'server'],
] as const)
  test(`${what} is no server to be served`, () => {
    assert.throws(() => make(served), { name: 'TypeError', message: /must come from createServer or createBridge/ });
  });

for (const answer of [undefined, true, 'bo', {}, { scopes: [] }])
  test(`authenticate that gives ${JSON.stringify(answer)} lets nobody in, and its owner is told`, async () => {
    const told: string[] = [];
    const authenticate = (() => answer) as unknown as NonNullable<HttpOptions['authenticate']>;
    const handler = createHandler(fakeEndpoint(), { authenticate, onError: (error) => told.push(String(error.cause)) });
    const response = await handler(new Request('http://localhost/mcp', { method: 'POST' }));
    assert.equal(response.status, 500);
    assert.match(told.join(), /authenticate must return \{ principal/);
  });

test('a hook that fails is printed where nobody hears of errors, once', async (context) => {
  const printed = context.mock.method(console, 'error', () => undefined);
  const handler = createHandler(fakeEndpoint(), { authenticate: () => Promise.reject(new Error('no database')) });
  for (let at = 0; at < 3; at++) await handler(new Request('http://localhost/mcp', { method: 'POST' }));
  assert.equal(printed.mock.callCount(), 1);
  const told: unknown = printed.mock.calls[0]?.arguments[0];
  assert.match(told instanceof Error ? String(told.cause) : '', /no database/);
});

test('a body that a framework has read of a Request is said to be read', async () => {
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: '{}',
  });
  await request.text();
  const response = await createHandler(server, { onError: () => undefined })(request);
  assert.match(await response.text(), /the body was read before it reached the MCP handler/);
});

test('a hook for errors that fails itself fails nothing else, and is printed', async (context) => {
  const printed = context.mock.method(console, 'error', () => undefined);
  const failing = (): never => {
    throw new Error('no disk');
  };
  const handler = createHandler(fakeEndpoint(), { authenticate: failing, onError: failing, onWarning: failing });
  assert.equal((await handler(new Request('http://localhost/mcp', { method: 'POST' }))).status, 500);
  assert.equal((await handler(new Request('http://evil.example/mcp', { method: 'POST' }))).status, 403);
  assert.deepEqual(
    printed.mock.calls.map(({ arguments: [told] }) => String(told)),
    ['Error: no disk', 'Error: no disk'],
  );
});
