/** The planted faults: the row that each must be found in, by its name. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisionOf } from '../../packages/parley/src/protocol/revision.ts';
import { eachMessage, json, result, type Fault, type Passing } from './faulty.ts';

type Json = Record<string, unknown>;

const isStateless = ({ message }: Passing): boolean => metaOf(message) !== undefined;

/** The `_meta` of a request that stands by itself. */
export function metaOf(message: Json): Json | undefined {
  const params = message['params'];
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) && meta[metaKey.protocolVersion] !== undefined ? meta : undefined;
}

function isOfUnknownRevision(message: Json): boolean {
  const meta = metaOf(message);
  return meta !== undefined && revisionOf(String(meta[metaKey.protocolVersion])) === undefined;
}

let sessions = 1_000;
/** Names of clients that said once what they can do. */
const said = new Set<string>();

const counted = new Map<string, string>();
const ended = new Set<string>();
let shuffles = 0;

/** Gives an answer in place of the server's to requests of one method. */
function instead(method: string, answer: (id: unknown, passing: Passing) => unknown, status = 200): Fault {
  return {
    request: (passing) =>
      passing.message['method'] === method ? json(status, answer(passing.message['id'], passing)) : undefined,
  };
}

/** Every fault, with the row that it must be found in. */
export const faults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'origin-unchecked': ['http-003', { request: ({ headers }) => void delete headers['origin'] }],
  'rebinding-host': [
    'http-007',
    {
      request({ headers }) {
        const { host = '' } = headers;
        headers['host'] = host.replace(/^[^:]*/, '127.0.0.1');
        delete headers['origin'];
      },
    },
  ],
  'form-post': [
    'harden-form-post',
    { request: ({ headers, method }) => void (method === 'POST' && (headers['content-type'] = 'application/json')) },
  ],
  'unknown-method-200': [
    'http-068',
    {
      response: (returning, passing) =>
        void (isStateless(passing) && returning.status === 404 && (returning.status = 200)),
    },
  ],
  'answers-notification': [
    'basic-018',
    {
      request: ({ message }) =>
        String(message['method']).startsWith('notifications/cancelled')
          ? json(200, { jsonrpc: '2.0', id: 1, result: {} })
          : undefined,
    },
  ],
  'id-as-text': [
    'basic-009',
    {
      response: (returning) =>
        eachMessage(returning, (message) => void ('id' in message && (message['id'] = String(message['id'])))),
    },
  ],
  'result-and-error': [
    'basic-012',
    {
      response: (returning, { message: { method } }) =>
        void (
          method === 'tools/list' &&
          eachMessage(returning, (message) => (message['error'] ??= { code: -1, message: 'too' }))
        ),
    },
  ],
  'code-as-text': [
    'basic-015',
    {
      response: (returning) =>
        eachMessage(returning, ({ error }) => void (isObject(error) && (error['code'] = String(error['code'])))),
    },
  ],
  'error-without-message': [
    'basic-014',
    {
      response: (returning) => eachMessage(returning, ({ error }) => void (isObject(error) && delete error['message'])),
    },
  ],
  'batch-unanswered': [
    'basic-019',
    { request: ({ body }) => (body.startsWith('[') ? { status: 202, headers: {}, text: '' } : undefined) },
  ],
  'echoes-any-revision': [
    'lifecycle-013',
    result(
      'initialize',
      (of, { message: { params } }) => void (of['protocolVersion'] = isObject(params) ? params['protocolVersion'] : ''),
    ),
  ],
  'older-counter-offer': [
    'lifecycle-014',
    result('initialize', (of, { message: { params } }) => {
      if (isObject(params) && String(params['protocolVersion']).startsWith('1999'))
        of['protocolVersion'] = ['2024', '11', '05'].join('-');
    }),
  ],
  'talks-before-initialized': [
    'lifecycle-006',
    {
      response(returning, { message: { method } }) {
        if (method !== 'initialize' || returning.status !== 200) return;
        const early = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        const data = /^data: (\{.*)$/m.exec(returning.text)?.[1] ?? returning.text;
        returning.text = `data: ${early}\n\ndata: ${data}\n\n`;
        returning.headers['content-type'] = 'text/event-stream';
      },
    },
  ],
  'remembers-capabilities': [
    'basic-032',
    {
      request(passing) {
        const meta = metaOf(passing.message);
        const name = String((meta?.[metaKey.clientInfo] as { name?: unknown } | undefined)?.name);
        if (meta?.[metaKey.clientCapabilities] !== undefined) said.add(name);
        if (meta === undefined || !said.has(name)) return;
        meta[metaKey.clientCapabilities] ??= {};
        passing.body = JSON.stringify(passing.message);
      },
    },
  ],
  'counting-session-id': [
    'http-042',
    {
      request({ headers }) {
        const own = headers['mcp-session-id'];
        if (own !== undefined) headers['mcp-session-id'] = counted.get(own) ?? own;
      },
      response({ headers }) {
        const own = headers['mcp-session-id'];
        if (own === undefined) return;
        const known = [...counted].find(([, id]) => id === own)?.[0] ?? `session-${++sessions}`;
        counted.set(known, own);
        headers['mcp-session-id'] = known;
      },
    },
  ],
  'odd-session-id': [
    'http-043',
    {
      request({ headers }) {
        const own = headers['mcp-session-id'];
        if (own !== undefined) headers['mcp-session-id'] = own.replace('é', '');
      },
      response({ headers }) {
        const own = headers['mcp-session-id'];
        if (own !== undefined) headers['mcp-session-id'] = `é${own.replace('é', '')}`;
      },
    },
  ],
  'session-survives-delete': [
    'http-047',
    {
      request: ({ method, headers }) =>
        method === 'DELETE'
          ? (ended.add(String(headers['mcp-session-id'])), { status: 200, headers: {}, text: '' })
          : undefined,
    },
  ],
  'get-is-json': ['http-032', { request: ({ method }) => (method === 'GET' ? json(200, {}) : undefined) }],
  'any-version-header': [
    'http-053',
    {
      request: ({ headers }) =>
        void (headers['mcp-protocol-version'] === 'no-revision' && delete headers['mcp-protocol-version']),
    },
  ],
  'notification-with-body': [
    'http-014',
    {
      response: (returning) =>
        void (returning.status === 202 && ((returning.status = 200), (returning.text = 'thanks'))),
    },
  ],
  'notification-with-null': [
    'http-014',
    {
      response(returning) {
        if (returning.status === 202) Object.assign(returning, json(202, null));
      },
    },
  ],
  'header-mismatch-served': [
    'http-066',
    {
      request({ message, headers }) {
        const version = metaOf(message)?.[metaKey.protocolVersion];
        if (typeof version === 'string' && headers['mcp-protocol-version'] !== undefined)
          headers['mcp-protocol-version'] = version;
      },
    },
  ],
  'method-header-unchecked': [
    'http-075',
    {
      request: ({ message, headers }) =>
        void (headers['mcp-method'] !== undefined && (headers['mcp-method'] = String(message['method']))),
    },
  ],
  'method-header-optional': [
    'http-074',
    {
      request: (passing) =>
        void (isStateless(passing) && (passing.headers['mcp-method'] ??= String(passing.message['method']))),
    },
  ],
  'version-without-list': [
    'versioning-001',
    {
      response: (returning) =>
        eachMessage(
          returning,
          ({ error }) => void (isObject(error) && error['code'] === -32022 && delete error['data']),
        ),
    },
  ],
  'any-revision-served': [
    'versioning-001',
    {
      request(passing) {
        const meta = metaOf(passing.message);
        if (meta === undefined || !isOfUnknownRevision(passing.message)) return;
        meta[metaKey.protocolVersion] = ['2026', '07', '28'].join('-');
        passing.headers['mcp-protocol-version'] = String(meta[metaKey.protocolVersion]);
        passing.body = JSON.stringify(passing.message);
      },
    },
  ],
  'any-revision-served-as-an-old-one': [
    'versioning-001',
    {
      request: ({ message }) =>
        isOfUnknownRevision(message)
          ? json(200, { jsonrpc: '2.0', id: message['id'], result: { tools: [] } })
          : undefined,
    },
  ],
  'ping-lives': [
    'ping-005',
    {
      request: (passing) =>
        isStateless(passing) && passing.message['method'] === 'ping'
          ? json(200, { jsonrpc: '2.0', id: passing.message['id'], result: { resultType: 'complete' } })
          : undefined,
    },
  ],
  'no-result-type': ['basic-021', result('tools/list', (of) => void delete of['resultType'])],
  'negative-ttl': ['caching-003', result('tools/list', (of) => void ('ttlMs' in of && (of['ttlMs'] = -1)))],
  'no-cache-scope': ['caching-001', result('resources/list', (of) => void delete of['cacheScope'])],
  'odd-cache-scope': [
    'caching-004',
    result('prompts/list', (of) => void ('cacheScope' in of && (of['cacheScope'] = 'shared'))),
  ],
  'scope-by-page': [
    'caching-017',
    result(
      'tools/list',
      (of, { message: { params } }) =>
        void (
          'cacheScope' in of &&
          isObject(params) &&
          params['cursor'] !== undefined &&
          (of['cacheScope'] = 'public')
        ),
    ),
  ],
  'cursor-starts-over': [
    'page-009',
    {
      request(passing) {
        const { params } = passing.message;
        if (!isObject(params) || !String(params['cursor']).startsWith('parley-check')) return;
        delete params['cursor'];
        passing.body = JSON.stringify(passing.message);
      },
    },
  ],
  'shuffled-tools': [
    'tools-004',
    result('tools/list', (of) => void (Array.isArray(of['tools']) && ++shuffles % 2 === 0 && of['tools'].reverse())),
  ],
  'schema-null': [
    'tools-009',
    result('tools/list', ({ tools }) => void (Array.isArray(tools) && (tools[0].inputSchema = null))),
  ],
  'schema-of-a-string': [
    'tools-008',
    result('tools/list', ({ tools }) => void (Array.isArray(tools) && (tools[0].inputSchema = { type: 'string' }))),
  ],
  'twice-the-name': [
    'tools-020',
    result('tools/list', ({ tools }) => void (Array.isArray(tools) && tools.push(tools[0]))),
  ],
  'name-with-spaces': [
    'tools-018',
    result('tools/list', ({ tools }) => void (Array.isArray(tools) && (tools[0].name = 'a b, c'))),
  ],
  'hidden-text': [
    'harden-hidden-text',
    result('tools/list', ({ tools }) => void (Array.isArray(tools) && (tools[0].description = 'Adds\u202e.'))),
  ],
  'odd-header-name': [
    'http-083',
    result(
      'tools/list',
      ({ tools }) =>
        void (
          Array.isArray(tools) && (tools[0].inputSchema.properties = { a: { type: 'string', 'x-mcp-header': 'a b' } })
        ),
    ),
  ],
  'missing-is-empty': [
    'resources-017',
    instead('resources/read', (id, passing) => ({
      jsonrpc: '2.0',
      id,
      result: {
        contents: [],
        ...(isStateless(passing) ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}),
      },
    })),
  ],
  'contents-without-uri': [
    'resources-008',
    result('resources/read', ({ contents }) => void (Array.isArray(contents) && delete contents[0]?.uri)),
  ],
  'undeclared-tools': [
    'tools-001',
    {
      response: (returning) =>
        eachMessage(
          returning,
          ({ result: of }) => void (isObject(of) && isObject(of['capabilities']) && delete of['capabilities']['tools']),
        ),
    },
  ],
  'no-ack': [
    'subs-002',
    instead('subscriptions/listen', () => ({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [metaKey.subscriptionId]: 'parley-check-listen' } },
    })),
  ],
  'logs-unasked': [
    'logging-004',
    {
      response(returning, passing) {
        if (!isStateless(passing) || passing.message['method'] !== 'tools/list' || returning.status !== 200) return;
        const log = JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level: 'info', data: 'hello' },
        });
        returning.text = `data: ${log}\n\ndata: ${returning.text}\n\n`;
        returning.headers['content-type'] = 'text/event-stream';
      },
    },
  ],
  nameless: ['meta-016', result('tools/list', (of) => void delete of['_meta'])],
};
