/**
 * Parley, as its users serve it: every default limit and check is on. It listens by itself, is a listener of a server that is
 * theirs, or answers a `Request`, by the `entry` that is asked for.
 */
import { memoryStore } from '../../packages/parley/src/storage/memory/store.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { createHandler } from '../../packages/parley/src/http.ts';
import { listen, toNodeHandler } from '../../packages/parley/src/node.ts';
import { resource, token } from './guard.ts';
import { optionsOf, ready, serve, type Readiness } from './support.ts';
import { descriptions, largeText, moreNames } from './tools.ts';

const { entry, guarded, middleware, telemetry, store } = optionsOf();
// One that several processes could share.
const shared = { store: { ...memoryStore(), shared: true }, rounds: { keys: [new Uint8Array(32).fill(1)] } };
const server = createServer({ name: 'bench', version: '1.0.0' }, store === true ? shared : {});
const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;
const length = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

server.tool('add', { description: descriptions.add, input: numbers }, ({ a, b }) => String(a + b));
server.tool('large', { description: descriptions.large }, () => largeText);
server.tool('length', { description: descriptions.length, input: length }, ({ text }) => String(text.length));
for (const name of moreNames) server.tool(name, { description: `The ${name}.`, input: numbers }, ({ a }) => String(a));

const readiness: Readiness = { change: () => server.changed('tools') };
if (telemetry === 'sdk') (await import('./telemetry.ts')).registerSdk();
if (telemetry !== undefined) server.use((await import('../../packages/parley/src/otel.ts')).otel());
// Such as looks at a request and its result, and changes nothing.
for (let count = 0; count < Number(middleware ?? 0); count++)
  server.use(({ method, meta }, next) => (method === '' || meta['none'] !== undefined ? {} : next()));

/** Guarded or not, it is served alike. */
const served =
  guarded === true
    ? protect(server, {
        resource,
        authorizationServers: ['http://127.0.0.1/login'],
        scopes: ['bench'],
        verify: (given) => (given === token ? { sub: 'bench', aud: resource, scope: 'bench' } : undefined),
      })
    : server;
if (entry === 'createHandler') {
  const { serveWeb } = await import('./web.ts');
  await serveWeb(createHandler(served), readiness);
} else if (entry === 'toNodeHandler') serve(toNodeHandler(served), readiness);
else ready((await listen(served, { port: 0 })).url, readiness);
