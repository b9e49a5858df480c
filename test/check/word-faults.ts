/** Planted faults of words: what forms ask for and have in them, and the names of keys, extensions and secrets. */

import { isObject } from '../../src/jsonrpc/message.ts';
import { result, type Fault } from './faulty.ts';
import { before, type Planted } from './further-faults.ts';

type Json = Record<string, unknown>;

/** Asks by another form than the server does. */
function form(properties: Json, message = 'Sure?'): Fault {
  return result('tools/call', ({ inputRequests }) => {
    for (const one of Object.values(isObject(inputRequests) ? inputRequests : {}))
      if (isObject(one)) one['params'] = { message, requestedSchema: { type: 'object', properties } };
  });
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
  'blank-progress': {
    row: 'progress-004',
    date: '2025-11-25',
    fault: before({ method: 'notifications/progress', params: { progressToken: 'x', progress: 1, message: ' \n' } }),
  },
};
