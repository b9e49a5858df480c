/** What a client asks of a server: lists, calls, reads, and what travels with their results. */

import assert from 'node:assert/strict';

import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { createHandler } from '../../packages/parley/src/transports/http/server/fetch.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import type { Servable } from '../../packages/parley/src/server/runtime/request-handler.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import type { Revision } from '../../packages/parley/src/protocol/revision.ts';
import { clientOf, serverAt } from '../support/bridged.ts';
import { open, statelessDate, withMeta, type Json } from '../support/raw.ts';
import { httpWire, stdioWire } from '../support/wires.ts';
import {
  bridgeBeforeServer,
  bridgeOf,
  changed,
  compared,
  meet,
  refusal,
  type Pairing,
  type Seen,
  type Walk,
  type Walks,
} from './walk.ts';
import { until } from '../support/turns.ts';

/** What each request asks, and what the server answers: nothing in it is younger than the oldest revision. */
const exchanges: Readonly<Record<string, { readonly params: Json; readonly result: Json }>> = {
  'tools/list': {
    params: {},
    result: { tools: [{ name: 'add', description: 'adds', inputSchema: { type: 'object' } }] },
  },
  'tools/call': {
    params: { name: 'add', arguments: { a: 1, b: [null, { deep: 'é' }] } },
    result: { content: [{ type: 'text', text: '3' }], isError: false },
  },
  'resources/list': { params: {}, result: { resources: [{ uri: 'memo:one', name: 'one', mimeType: 'text/plain' }] } },
  'resources/templates/list': {
    params: {},
    result: { resourceTemplates: [{ uriTemplate: 'memo:{id}', name: 'memo' }] },
  },
  'resources/read': {
    params: { uri: 'memo:one' },
    result: {
      contents: [
        { uri: 'memo:one', text: 'first' },
        { uri: 'memo:two', blob: 'AQID' },
      ],
    },
  },
  'prompts/list': {
    params: {},
    result: { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] },
  },
  'prompts/get': {
    params: { name: 'greet', arguments: { who: 'Ada' } },
    result: { description: 'greets', messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }] },
  },
  'completion/complete': {
    params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'a' } },
    result: { completion: { values: ['ada'], total: 1, hasMore: false } },
  },
};

/** The walk of a request whose parameters and result pass as they are. */
function passing(method: string): Walk {
  return async (pairing) => {
    const { params, result } = exchanges[method] ?? { params: {}, result: {} };
    const { raw, transport } = await meet(pairing, { answers: { [method]: result } });
    const came = await raw.result(method, params);
    // The bridge lists the tools itself before its client does.
    const sent = Object(transport.sent.findLast(({ message }) => message['method'] === method)?.message['params']);
    return compared({ params, result }, { params: known(sent, params), result: known(came, result) });
  };
}

/** The fields of a value that another has too: those of the envelope are no part of what was said. */
function known(value: Json, like: Json): Json {
  return Object.fromEntries(Object.keys(like).map((key) => [key, value[key]]));
}

/** Every page of a list, in order, through a client of ours. */
const pagination: Walk = async (pairing) => {
  const { t, client, server } = pairing;
  const upstream = serverAt(server.date, { pageSize: 2 });
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) upstream.prompt(name, {}, () => name);
  const reader = await clientOf(t, await bridgeBeforeServer(pairing, upstream), client.date);
  const pages: string[][] = [];
  for await (const page of reader.pages('prompts/list')) pages.push(page.items.map(({ name }) => name));
  return compared([['a', 'b'], ['c', 'd'], ['e']], pages);
};

const embeddedResources: Walk = async (pairing) => {
  const content = [
    { type: 'text', text: 'words' },
    { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'memo:one', mimeType: 'text/plain', text: 'first' } },
    { type: 'resource', resource: { uri: 'memo:two', blob: 'AQID' } },
  ];
  const { raw } = await meet(pairing, { answers: { 'tools/call': { content } } });
  return compared(content, (await raw.result('tools/call', { name: 'any' }))['content']);
};

const cachingHints: Walk = async (pairing) => {
  const said = pairing.server.cacheHints ? { ttlMs: 5000, cacheScope: 'public' } : undefined;
  const { raw } = await meet(pairing, { answers: { 'prompts/list': { prompts: [], ...said } } });
  const { ttlMs, cacheScope } = await raw.result('prompts/list');
  const heard = ttlMs === undefined && cacheScope === undefined ? undefined : { ttlMs, cacheScope };
  const seen = compared(said, heard);
  if (said === undefined && heard !== undefined) assert.deepEqual(heard, { ttlMs: 0, cacheScope: 'private' });
  return seen;
};

const resultType: Walk = async (pairing) => {
  const said = pairing.server.era === 'stateless' ? 'complete' : undefined;
  const { raw } = await meet(pairing, { answers: { 'tools/call': { content: [] } } });
  const heard = (await raw.result('tools/call', { name: 'any' }))['resultType'];
  if (said === undefined && heard !== undefined) assert.equal(heard, 'complete');
  return compared(said, heard);
};

/** Serves without a network, where a revision has an HTTP of this shape, else in memory; gives the headers of each request. */
function served(
  upstream: Servable,
  { http }: Revision,
): { readonly transport: Transport; readonly headers: Headers[] } {
  const headers: Headers[] = [];
  if (http === 'sse-pair') return { transport: memoryTransport(upstream), headers };
  const handler = createHandler(upstream);
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    headers.push(request.headers);
    return await handler(request);
  };
  return { transport: httpTransport('http://127.0.0.1/mcp', { fetch: fetch as never }), headers };
}

/** The walk of headers that say again what the body says: what the client wrote, and what the server reads. */
function mirrored(names: readonly string[]): Walk {
  return async (pairing) => {
    const { client, server } = pairing;
    const upstream = serverAt(server.date);
    const properties = { city: { type: 'string', 'x-mcp-header': 'City' } } as const;
    upstream.tool('forecast', { input: { type: 'object', properties } }, ({ city }) => `sunny in ${city}`);
    const above = served(upstream, server);
    const bridge = await bridgeOf(pairing, above.transport);
    const wrote = client.http === 'exchange' ? await callOverHttp(bridge, names) : undefined;
    if (wrote === undefined) {
      const { content } = await (await open(bridge, client.date)).result('tools/call', body('Bern'));
      assert.deepEqual(content, [{ type: 'text', text: 'sunny in Bern' }]);
    }
    const reads = names.map((name) => above.headers.at(-1)?.get(name) ?? undefined);
    if (server.http === 'exchange')
      assert.deepEqual(
        reads,
        names.map((name) => written[name]),
      );
    return compared(wrote, reads.every((text) => text === undefined) ? undefined : reads);
  };
}

/** The headers of a call. */
const written: Readonly<Record<string, string>> = {
  'mcp-method': 'tools/call',
  'mcp-name': 'forecast',
  'mcp-param-city': 'Bern',
};

/** A stateless call over HTTP; with a header that says something else it is refused. */
async function callOverHttp(bridge: Servable, names: readonly string[]): Promise<readonly unknown[]> {
  const handler = createHandler(bridge);
  for (const name of names) assert.equal((await handler(forecast({ ...written, [name]: 'other' }))).status, 400);
  assert.equal((await handler(forecast(written))).status, 200);
  return names.map((name) => written[name]);
}

function body(city: string): Json {
  return { name: 'forecast', arguments: { city } };
}

function forecast(headers: Readonly<Record<string, string>>): Request {
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': statelessDate,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: withMeta(body('Bern')) }),
  });
}

/** Two calls in one batch, over standard streams and, where the revision has sessions over it, over HTTP. */
const batches: Walk = async (pairing) => {
  const { client } = pairing;
  const seen = [await batchOver('stdio', pairing)];
  if (client.http !== 'sse-pair' && client.batches) seen.push(await batchOver('http', pairing));
  const [first, ...others] = seen;
  assert.ok(first);
  for (const other of others) assert.deepEqual(other, first);
  return first;
};

async function batchOver(way: 'stdio' | 'http', pairing: Pairing): Promise<Seen> {
  const { t, client } = pairing;
  const { bridge, transport } = await meet(pairing, { answers: { 'tools/call': { content: [] } } });
  const came: unknown[] = [];
  const deliver = (_: number, message: unknown): void => void came.push(message);
  const wire = way === 'stdio' ? stdioWire(bridge, deliver) : await httpWire(bridge, client, deliver);
  t.after(() => wire.close());
  if (client.era === 'handshake') {
    const clientInfo = { name: 'batch', version: '1' };
    const params = { protocolVersion: client.date, capabilities: {}, clientInfo };
    await wire.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    await until(() => came.length === 1, 'an answer to initialize');
    await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    came.length = 0;
  }
  const params = client.era === 'stateless' ? withMeta({ name: 'any' }) : { name: 'any' };
  await wire.send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })));
  await until(() => came.flat().length > 0, 'an answer to the batch');
  const [answer] = came.flat() as Json[];
  if (answer?.['error'] !== undefined) return refusal(client, answer['error'] as never);
  await until(() => came.flat().length === 2, 'both answers');
  assert.equal(transport.methods.filter((method) => method === 'tools/call').length, 2);
  return changed;
}

/** The walks of requests. */
export const requestWalks: Walks = {
  ...Object.fromEntries(Object.keys(exchanges).map((method) => [method, passing(method)])),
  pagination,
  'embedded-resources': embeddedResources,
  'caching-hints': cachingHints,
  'result-type': resultType,
  'routing-headers': mirrored(['mcp-method', 'mcp-name']),
  'parameter-headers': mirrored(['mcp-param-city']),
  batches,
};
