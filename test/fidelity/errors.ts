/** What goes wrong, and what nobody but the two ends understands. */

import assert from 'node:assert/strict';
import { errorToWire, McpError } from '../../packages/parley/src/protocol/error.ts';
import { takeViolations } from '../setup.ts';
import { serverAt } from '../support/bridged.ts';
import { open, statelessDate, type Json, type RawError } from '../support/raw.ts';
import { paramsSent } from '../support/scripted-upstream.ts';
import {
  at,
  bridgeBeforeServer,
  changed,
  compared,
  meet,
  nothing,
  refusal,
  type Pairing,
  type Walk,
  type Walks,
} from './walk.ts';
import { until } from '../support/turns.ts';

/** What the client is told of an error of the server. */
async function told(
  pairing: Pairing,
  error: RawError,
  method = 'tools/call',
  params: Json = { name: 'any' },
): Promise<RawError> {
  const { raw } = await meet(pairing, { answers: { [method]: (sent, peer) => peer.refuse(sent, error) } });
  return raw.error(method, params);
}

/** The walk of an error that passes as it is. */
function passing(error: RawError): Walk {
  return async (pairing) => compared(error, await told(pairing, error));
}

const toolErrors: Walk = async (pairing) => {
  const said = { content: [{ type: 'text', text: 'no luck' }], isError: true };
  const { raw } = await meet(pairing, { answers: { 'tools/call': said } });
  const { content, isError } = await raw.result('tools/call', { name: 'any' });
  return compared(said, { content, isError });
};

const unknownTool: Walk = async (pairing) => {
  const { client, server } = pairing;
  const upstream = serverAt(server.date);
  upstream.tool('known', {}, () => 'known');
  const raw = await open(await bridgeBeforeServer(pairing, upstream), client.date);
  return compared(
    { code: -32602, message: 'unknown tool "unknown"' },
    await raw.error('tools/call', { name: 'unknown' }),
  );
};

const resourceNotFound: Walk = async (pairing) => {
  const { client, server } = pairing;
  const data = { uri: 'memo:none' };
  const error = errorToWire(server, new McpError('resourceNotFound', 'gone', { data }));
  const heard = await told(pairing, error, 'resources/read', data);
  assert.deepEqual(heard, { ...error, code: errorToWire(client, new McpError('resourceNotFound', '')).code });
  return compared(error, heard);
};

const ofTheHop: Walk = async (pairing) => {
  const seen = [];
  for (const code of [-32020, -32022, -32600, -32700]) {
    const data = code === -32022 ? { supported: [statelessDate], requested: statelessDate } : undefined;
    seen.push(refusal(pairing.client, await told(pairing, { code, message: 'of the hop', ...(data && { data }) })));
  }
  const [first, ...rest] = seen;
  assert.ok(first);
  for (const other of rest) assert.deepEqual(other, first);
  return first;
};

const missingCapability: Walk = async (pairing) => {
  const { client, server } = pairing;
  if (server.era === 'handshake') return nothing;
  const data = { requiredCapabilities: { sampling: {} } };
  const error = errorToWire(server, new McpError('missingRequiredClientCapability', 'I need a model', { data }));
  const heard = await told(pairing, error);
  assert.deepEqual(
    heard,
    errorToWire(client, new McpError('missingRequiredClientCapability', 'I need a model', { data })),
  );
  return compared(error, heard);
};

const own = { 'x.example/trace': ['a', 1], traceparent: '00-1-2-03' };

const unknownFields: Walk = async (pairing) => {
  const more = { deep: [null, { fields: true }] };
  const { raw, transport } = await meet(pairing, { answers: { 'tools/call': { content: [], more } } });
  const result = await raw.result('tools/call', { name: 'any', more });
  return compared([more, more], [paramsSent(transport, 'tools/call')['more'], result['more']]);
};

const nullFields: Walk = async (pairing) => {
  const { raw, transport } = await meet(pairing, { answers: { 'prompts/list': { prompts: [], nextCursor: null } } });
  const { nextCursor } = await raw.result('prompts/list', { cursor: null });
  const { cursor } = paramsSent(transport, 'prompts/list');
  assert.deepEqual([cursor, nextCursor], [undefined, undefined]);
  return compared(null, nextCursor);
};

/** Something that the next revision brought, or a later one. */
const youngerFields: Walk = async (pairing) => {
  if (pairing.server.cacheHints) return nothing;
  const { raw } = await meet(pairing, { answers: { 'prompts/list': { prompts: [], ttlMs: 5000 } } });
  const { ttlMs } = await raw.result('prompts/list');
  assert.equal(ttlMs, pairing.client.cacheHints ? 0 : undefined);
  return compared(5000, ttlMs);
};

const unknownMeta: Walk = async (pairing) => {
  const { raw, transport } = await meet(pairing, { answers: { 'tools/call': { content: [], _meta: own } } });
  const result = await raw.result('tools/call', { name: 'any', _meta: own });
  const heard = [paramsSent(transport, 'tools/call'), result].map((message) =>
    Object.fromEntries(Object.keys(own).map((key) => [key, at(message, '_meta', key)])),
  );
  return compared([own, own], heard);
};

const unknownContent: Walk = async (pairing) => {
  const content = [{ type: 'hologram', data: { deep: [1] } }];
  const { raw } = await meet(pairing, { answers: { 'tools/call': { content } } });
  const seen = compared(content, (await raw.result('tools/call', { name: 'any' }))['content']);
  // The official schemas know no such content; a bridge passes it all the same.
  takeViolations();
  return seen;
};

const unknownMethods: Walk = async (pairing) => {
  const said = { params: { deep: [1] }, result: { own: { deep: [2] } } };
  const { raw, transport } = await meet(pairing, { answers: { 'x.example/own': said.result } });
  const response = await raw.ask('x.example/own', said.params);
  if ('error' in response) return refusal(pairing.client, response['error'] as RawError);
  const { deep } = paramsSent(transport, 'x.example/own');
  return compared(said, { params: { deep }, result: { own: at(response, 'result', 'own') } });
};

const unknownNotifications: Walk = async (pairing) => {
  const params = { deep: [1] };
  const notice = { jsonrpc: '2.0', method: 'notifications/x.example/own', params };
  const { raw, transport } = await meet(pairing, {
    answers: {
      'tools/call': (sent, peer) => {
        // A notification of an extension reaches the call whose token it has.
        const progressToken = at(sent.message, 'params', '_meta', 'progressToken');
        peer.send({ ...notice, params: { ...params, progressToken } });
        peer.reply(sent, { content: [], resultType: 'complete' });
      },
    },
  });
  await raw.result('tools/call', { name: 'any', _meta: { progressToken: 'own' } });
  await raw.notify(notice.method, params);
  const up = (): Json | undefined => transport.sent.find(({ message }) => message['method'] === notice.method)?.message;
  const down = (): Json | undefined => raw.heard.find(({ message }) => message['method'] === notice.method)?.message;
  await until(() => up() !== undefined && down() !== undefined, 'notifications in both directions').catch(
    () => undefined,
  );
  const heard = [up(), down()].map((message) => at(message, 'params', 'deep'));
  return heard.every((deep) => deep === undefined) ? changed : compared([[1], [1]], heard);
};

/** The walks of errors, and of what the protocol does not know. */
export const errorWalks: Walks = {
  'tool-errors': toolErrors,
  'unknown-tool': unknownTool,
  'invalid-params': passing({ code: -32602, message: 'not today', data: { retry: 'tomorrow' } }),
  'internal-error': passing({ code: -32603, message: 'broken', data: [1] }),
  'own-errors': passing({ code: 4711, message: 'my own trouble', data: [1] }),
  'resource-not-found': resourceNotFound,
  'errors-of-the-hop': ofTheHop,
  'missing-capability': missingCapability,
  'unknown-fields': unknownFields,
  'null-fields': nullFields,
  'younger-fields': youngerFields,
  'unknown-meta': unknownMeta,
  'unknown-content': unknownContent,
  'unknown-methods': unknownMethods,
  'unknown-notifications': unknownNotifications,
};
