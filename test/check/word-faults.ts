/** Planted faults of words: what forms ask for and have in them, names of keys, extensions and secrets, and ids, origins and cursors that are taken for others. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { json, result, type Fault } from './faulty.ts';
import { before, type Planted } from './further-faults.ts';

type Json = Record<string, unknown>;

/** Asks by another form than the server does. */
function form(properties: Json, message = 'Sure?'): Fault {
  return result('tools/call', ({ inputRequests }) => {
    for (const one of Object.values(isObject(inputRequests) ? inputRequests : {}))
      if (isObject(one)) one['params'] = { message, requestedSchema: { type: 'object', properties } };
  });
}

/** Takes a request with an id for a notification, but the first of a conversation. */
function silentFor(none: unknown): Fault {
  return {
    request: ({ message: { id, method } }) =>
      id === none && method !== 'initialize' ? { status: 202, headers: {}, text: '' } : undefined,
  };
}

const newest = '2026-07-28';

/** Every fault, by its name. */
export const wordFaults: Readonly<Record<string, Planted>> = {
  'asks-for-a-password': { row: 'elicit-010', date: newest, fault: form({ password: { type: 'string' } }) },
  'asked-for-a-key': {
    row: 'elicit-003',
    date: '2025-06-18',
    fault: before({
      id: 'e-1',
      method: 'elicitation/create',
      params: { message: 'Sure?', requestedSchema: { type: 'object', properties: { api_key: { type: 'string' } } } },
    }),
  },
  'link-in-a-message': { row: 'elicit-050', date: newest, fault: form({}, 'See [here](https://example.com/x).') },
  'link-in-a-field': {
    row: 'elicit-050',
    date: newest,
    fault: form({ sure: { type: 'boolean', description: 'See <a href="https://example.com">this</a>.' } }),
  },
  'secret-in-a-header': {
    row: 'http-106',
    date: newest,
    fault: result('tools/list', ({ tools }) => {
      const [tool] = Array.isArray(tools) ? tools.filter(isObject) : [];
      if (tool !== undefined)
        tool['inputSchema'] = { type: 'object', properties: { apiKey: { type: 'string', 'x-mcp-header': 'Key' } } };
    }),
  },
  'domain-in-meta': {
    row: 'meta-005',
    date: newest,
    fault: result('tools/list', (of) => (of['_meta'] = { ...(of['_meta'] as Json), 'example.com/page': 1 })),
  },
  'domain-as-extension': {
    row: 'versioning-020',
    date: newest,
    fault: result('server/discover', ({ capabilities }) => {
      if (isObject(capabilities)) capabilities['extensions'] = { 'example.com/maps': {} };
    }),
  },
  'domain-as-extension-in-a-session': {
    row: 'versioning-020',
    date: '2025-11-25',
    fault: result('initialize', ({ capabilities }) => {
      if (isObject(capabilities)) capabilities['extensions'] = { 'example.com/maps': {} };
    }),
  },
  'blank-progress': {
    row: 'progress-004',
    date: '2025-11-25',
    fault: before({ method: 'notifications/progress', params: { progressToken: 'x', progress: 1, message: ' \n' } }),
  },
  'zero-is-no-id': { row: 'basic-005', date: '2025-11-25', fault: silentFor(0) },
  'no-text-is-no-id': { row: 'basic-005', date: newest, fault: silentFor('') },
  'origin-by-its-beginning': {
    row: 'http-003',
    date: '2025-06-18',
    fault: {
      request({ headers }) {
        if (/^http:\/\/(localhost|127\.0\.0\.1)/.test(headers['origin'] ?? '')) delete headers['origin'];
      },
    },
  },
  'cursor-of-its-own-is-none': {
    row: 'page-005',
    date: '2025-11-25',
    fault: {
      request: ({ message: { id, params } }) =>
        isObject(params) && params['cursor'] !== undefined
          ? json(200, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'not so' } })
          : undefined,
    },
  },
};
