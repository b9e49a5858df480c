import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBridge } from '../bridge.ts';
import { createServer } from '../server/server.ts';
import { memoryTransport } from '../testing/memory-transport.ts';

/** A program that no compiler checked. */
const make = createBridge as unknown as (options?: unknown) => Promise<unknown>;
const server = createServer({ name: 's', version: '1' });

for (const [what, options, words] of [
  ['nothing', undefined, /\{ upstream \} for one server or \{ upstreams \} for several/],
  ['neither', {}, /\{ upstream \} for one server or/],
  ['both', { upstream: 'http://127.0.0.1:1/mcp', upstreams: {} }, /\{ upstream \} for one server or/],
  ['no URL', { upstream: 'nope' }, /upstream is a URL .* or a transport.* not "nope"/],
  ['a server in place of a transport', { upstream: server }, /or a transport.* not an object/],
  ['a URL in place of an entry', { upstreams: { a: 'http://127.0.0.1:1/mcp' } }, /upstream "a" needs an object/],
  [
    'url for upstream',
    { upstreams: { a: { url: 'http://127.0.0.1:1/mcp' } } },
    /upstream "a" has no option "url"; it has upstream/,
  ],
  ['an unknown option', { upstream: 'http://127.0.0.1:1/mcp', maxUpstream: 1 }, /"maxUpstream".* maxUpstreams\b/],
  [
    'an unknown rate',
    { upstream: memoryTransport(server), rateLimits: { request: {} } },
    /rateLimits.*"request".* requests\b/,
  ],
  ['an unknown option of rounds', { upstream: memoryTransport(server), rounds: { key: [] } }, /rounds.*"key".* keys\b/],
  [
    'an unknown option of one upstream of several',
    { upstreams: { a: { upstream: memoryTransport(server), patiense: 1 } } },
    /upstream "a" has no option "patiense"/,
  ],
  ['an unknown sharing', { upstream: memoryTransport(server), sharing: 'all' }, /per-client or shared, not "all"/],
  [
    'an engine of tasks',
    { upstream: memoryTransport(server), tasks: { executor: {} } },
    /tasks.executor is an option of servers/,
  ],
  [
    'a rate that nothing can pass',
    { upstream: memoryTransport(server), rateLimits: { requests: { perSecond: 0 } } },
    /perSecond/,
  ],
  ['a lost store', { upstream: memoryTransport(server), rateLimits: { lost: 'open' } }, /rateLimits\.lost must be/],
  [
    'a patience without time',
    { upstreams: { a: { upstream: memoryTransport(server) } }, serverTimeoutMs: 0 },
    /^serverTimeoutMs /,
  ],
  ['an unknown option of tasks', { upstream: memoryTransport(server), tasks: { ttl: 1 } }, /tasks has no option "ttl"/],
  ['no way of tasks', { upstream: memoryTransport(server), tasks: 7 }, /tasks must be an object of options, .* not 7/],
  ...[{}, { known: () => undefined }, { keep: () => undefined }, null].map(
    (login) =>
      [
        `a login with ${Object.keys(login ?? {}).join() || 'nothing'}`,
        { upstream: memoryTransport(server), login },
        /login has the functions known and keep, and may have signIn/,
      ] as const,
  ),
  ...[
    [{ resource: 'files' }, /resource must be a URL, not "files"/],
    [{ scopes: 'read' }, /scopes must be a list, not "read"/],
    [{ audience: 7 }, /audience must be text, not 7/],
    [{ enterprise: {} }, /enterprise needs client/],
    [{ enterprise: { client: { id: 'c', secret: 's' } }, audience: 'a' }, /leave audience out/],
    [{ scope: 'read' }, /upstreamAuth has no option "scope"/],
    [{ as: 'machine' }, /upstreamAuth is 'service', 'exchange' or/],
  ].map(
    ([options, words]) =>
      [
        `an exchange with ${JSON.stringify(options)}`,
        { upstream: 'http://127.0.0.1:1/mcp', upstreamAuth: { as: 'exchange', ...(options as object) } },
        words as RegExp,
      ] as const,
  ),
  ['an unknown way with tasks', { upstream: memoryTransport(server), taskOnly: 'run' }, /wait or refuse, not "run"/],
] as const)
  test(`a bridge of ${what} is refused at once, by the right name`, async () => {
    await assert.rejects(make(options), { name: 'TypeError', message: words });
  });

test('a bridge takes an exchange whose options make sense', async () => {
  const client = { id: 'c', secret: 's' };
  for (const options of [
    {},
    { audience: 'a', resource: 'https://a.example/' },
    { scopes: ['read'], enterprise: { client } },
  ]) {
    const upstreamAuth = { as: 'exchange', ...options } as const;
    await (await createBridge({ upstream: 'http://127.0.0.1:1/mcp', upstreamAuth })).close();
  }
});

test('a bridge of a URL without credentials fails only since nobody answers there', async () => {
  await assert.rejects(make({ upstream: 'http://127.0.0.1:1/mcp' }), { name: 'ConnectionError' });
});
