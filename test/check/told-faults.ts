/** Planted faults of URIs, pages, additions to requests and types of answers. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { eachMessage, json, result, type Fault, type Passing } from './faulty.ts';

type Json = Record<string, unknown>;

function paramsOf({ message: { params } }: Passing): Json {
  return isObject(params) ? params : {};
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Puts a text into each entry of a list. */
function renamed(method: string, field: string, [key, text]: readonly [string, string]): Fault {
  return result(method, (of) => {
    for (const one of objects(of[field])) one[key] = text;
  });
}

/** Refuses requests by what stands in their `_meta`. */
function refusing(isRefused: (meta: Json) => boolean): Fault {
  return {
    request(passing) {
      const meta = paramsOf(passing)['_meta'];
      const { id } = passing.message;
      return isObject(meta) && isRefused(meta)
        ? json(200, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'unknown parameter' } })
        : undefined;
    },
  };
}

/** Lists all on each page, with cursors of its own. */
function turning(method: string, next: (cursor: unknown) => unknown): Fault {
  const asked = new WeakMap<Passing, unknown>();
  return {
    request(passing) {
      const { cursor } = paramsOf(passing);
      // An unknown one is refused, as it should be.
      if (passing.message['method'] !== method || typeof cursor !== 'string' || !cursor.startsWith('turn')) return;
      asked.set(passing, cursor);
      delete paramsOf(passing)['cursor'];
      passing.body = JSON.stringify(passing.message);
    },
    ...result(method, (of, passing) => void (of['nextCursor'] = next(asked.get(passing)))),
  };
}

/** Puts the first entry that was ever listed at the end of every page but the first. */
function again(method: string, field: string): Fault {
  let first: Json | undefined;
  return result(method, (of, passing) => {
    const entries = objects(of[field]);
    first ??= entries[0];
    if (paramsOf(passing)['cursor'] !== undefined && first !== undefined) of[field] = [...entries, first];
  });
}

let turns = 0;

/** Every fault, with its row. */
export const toldFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'uri-without-scheme': ['wire-uri', renamed('resources/list', 'resources', ['uri', 'one.md'])],
  'uri-with-spaces': ['wire-uri', renamed('resources/list', 'resources', ['uri', 'memo://a b'])],
  'template-without-scheme': [
    'wire-uri',
    renamed('resources/templates/list', 'resourceTemplates', ['uriTemplate', 'notes/{name}']),
  ],
  'link-without-scheme': [
    'wire-uri',
    result('tools/call', ({ content }) => {
      if (Array.isArray(content)) content.push({ type: 'resource_link', uri: '/notes/one', name: 'one' });
    }),
  ],
  'one-cursor-for-ever': ['harden-endless-list', turning('tools/list', () => 'turn')],
  'cursors-in-a-ring': ['harden-endless-list', turning('prompts/list', () => `turn-${++turns % 3}`)],
  'cursors-without-end': ['harden-endless-list', turning('resources/list', () => `turn-${++turns}`)],
  'tool-on-two-pages': ['tools-020', again('tools/list', 'tools')],
  'prompts-on-two-pages': [
    'harden-listed-twice',
    turning('prompts/list', (cursor) => (cursor === undefined ? 'turn' : undefined)),
  ],
  'no-templates': [
    'harden-declared',
    {
      request: ({ message: { method, id } }) =>
        method === 'resources/templates/list'
          ? json(200, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } })
          : undefined,
    },
  ],
  'refuses-tokens': ['wire-meta', refusing(({ progressToken }) => progressToken === 'parley-check-token')],
  'refuses-keys': ['wire-meta', refusing((meta) => 'com.example/parley-check' in meta)],
  'plain-errors': [
    'http-017',
    {
      response({ status, headers, text }) {
        if (status >= 400 && text.startsWith('{')) headers['content-type'] = 'text/plain';
      },
    },
  ],
  'plain-text': [
    'http-017',
    {
      response(returning) {
        if (returning.headers['content-type']?.includes('json') === true)
          returning.headers['content-type'] = 'text/plain; charset=utf-8';
      },
    },
  ],
  'plain-text-list': [
    'http-017',
    {
      response(returning, { message: { method } }) {
        if (method === 'prompts/list') returning.headers['content-type'] = 'text/plain';
      },
    },
  ],
  'answer-in-a-list': [
    'basic-001',
    {
      response(returning, { message: { method } }) {
        if (method === 'tools/list' && returning.text.startsWith('{')) returning.text = `[${returning.text}]`;
      },
    },
  ],
  'progress-of-a-text': [
    'progress-005',
    {
      response(returning) {
        eachMessage(returning, ({ method, params }) => {
          if (method === 'notifications/progress' && isObject(params))
            params['progressToken'] = String(params['progressToken']);
        });
      },
    },
  ],
};
