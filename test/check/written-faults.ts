/** Planted faults of how single things are written: ids, codes, keys, names, addresses, and what another revision has. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { asStream, eachMessage, json, result, type Fault } from './faulty.ts';

type Json = Record<string, unknown>;

/** Says something on the stream of a list, before the list, to clients of a handshake. */
function before(message: Json): Fault {
  return {
    response(returning, { message: { method }, headers }) {
      if (method !== 'tools/list' || returning.status !== 200 || headers['mcp-method'] !== undefined) return;
      asStream(returning);
      returning.text = `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n${returning.text}`;
    },
  };
}

/** Adds a key to the `_meta` of a list. */
function withKey(key: string): Fault {
  return result('tools/list', (of) => void (of['_meta'] = { ...(isObject(of['_meta']) ? of['_meta'] : {}), [key]: 1 }));
}

/** Names the header of a parameter. */
function withHeaderName(name: string): Fault {
  return result('tools/list', ({ tools }) => {
    if (Array.isArray(tools)) tools[0].inputSchema.properties = { a: { type: 'string', 'x-mcp-header': name } };
  });
}

/** Names a header at a place of a schema where none may be. */
function withHeaderElsewhere(schema: Json): Fault {
  return result('tools/list', ({ tools }) => {
    if (Array.isArray(tools)) Object.assign(tools[0].inputSchema, schema);
  });
}

/** Every fault, with the row that it must be found in. */
export const writtenFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'asks-without-an-id': ['basic-006', before({ id: null, method: 'ping' })],
  'errors-of-nobody': [
    'basic-010',
    {
      response(returning) {
        if (returning.status === 200) eachMessage(returning, (one) => void ('error' in one && (one['id'] = null)));
      },
    },
  ],
  'reserved-code': [
    'basic-031',
    {
      response: (returning) =>
        eachMessage(returning, ({ error }) => void (isObject(error) && (error['code'] = -32_500))),
    },
  ],
  'two-dots-in-a-key': ['meta-002', withKey('com..example/key')],
  'digit-before-a-label': ['meta-003', withKey('1com.example/key')],
  'name-with-a-sign': ['meta-004', withKey('com.example/key!')],
  'empty-header-name': ['http-082', withHeaderName('')],
  'line-in-a-header-name': ['http-084', withHeaderName('a\r\nb')],
  'empty-header-name-in-items': [
    'http-082',
    withHeaderElsewhere({ properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': '' } } } }),
  ],
  'empty-header-name-in-a-branch': [
    'http-082',
    withHeaderElsewhere({ allOf: [{ properties: { b: { type: 'string', 'x-mcp-header': '' } } }] }),
  ],
  'line-in-a-header-name-of-a-definition': [
    'http-084',
    withHeaderElsewhere({ $defs: { b: { type: 'string', 'x-mcp-header': 'a\nb' } } }),
  ],
  'odd-header-name-in-a-definition': [
    'http-083',
    withHeaderElsewhere({ $defs: { b: { type: 'string', 'x-mcp-header': 'a b' } } }),
  ],
  'another-revisions-news': [
    'lifecycle-008',
    before({ method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } }),
  ],
  'later-news': [
    'lifecycle-007',
    before({ method: 'notifications/elicitation/complete', params: { elicitationId: 'a' } }),
  ],
  'odd-scheme': [
    'resources-012',
    result('resources/list', ({ resources }) => {
      if (Array.isArray(resources) && isObject(resources[0])) resources[0]['uri'] = 'my_memo://one';
    }),
  ],
  'odd-scheme-of-a-template': [
    'resources-012',
    result('resources/templates/list', ({ resourceTemplates: all }) => {
      if (Array.isArray(all) && isObject(all[0])) all[0]['uriTemplate'] = '1note://{name}';
    }),
  ],
  'counted-sessions': [
    'security-016',
    {
      response({ headers }, { message: { method } }) {
        if (method === 'initialize' && headers['mcp-session-id'] !== undefined)
          headers['mcp-session-id'] = String(++sessions);
      },
      request: ({ headers, message: { id } }) =>
        headers['mcp-session-id'] === undefined ? undefined : json(200, { jsonrpc: '2.0', id, result: {} }),
    },
  ],
};

let sessions = 5_000;
