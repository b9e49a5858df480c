/** Planted faults of meanings and inputs: what is sent for something else than it is defined for, and what is taken that is no input. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { metaOf } from './faults.ts';
import { asStream, eachMessage, json, result, type Fault, type Passing } from './faulty.ts';
import type { Planted } from './further-faults.ts';

type Json = Record<string, unknown>;

const isStateless = (passing: Passing): boolean => metaOf(passing.message) !== undefined;

function paramsOf({ message: { params } }: Passing): Json {
  return isObject(params) ? params : {};
}

/** Alters the params of requests of a method before the server sees them. */
function altered(method: string, alter: (params: Json) => void): Fault {
  return {
    request(passing) {
      if (passing.message['method'] !== method) return;
      alter(paramsOf(passing));
      passing.body = JSON.stringify(passing.message);
    },
  };
}

/** Answers a method with an error that has data. */
function refusing(method: string, errorFor: (passing: Passing) => Json | undefined): Fault {
  return {
    request(passing) {
      const error = passing.message['method'] === method && isStateless(passing) ? errorFor(passing) : undefined;
      return error && json(400, { jsonrpc: '2.0', id: passing.message['id'], error: { message: 'no', ...error } });
    },
  };
}

/** Answers a list with a response that has neither a result nor an error. */
const neither: Fault = {
  response(returning, { message: { method } }) {
    if (method === 'prompts/list' && returning.status === 200)
      eachMessage(returning, (message) => void delete message['result']);
  },
};

/** Says something on the stream of a list, before the list, to clients of a handshake. */
export function beforeList(...messages: readonly Json[]): Fault {
  return {
    response(returning, passing) {
      if (passing.message['method'] !== 'tools/list' || returning.status !== 200 || isStateless(passing)) return;
      asStream(returning);
      const said = messages.map((message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      returning.text = said.join('') + returning.text;
    },
  };
}

/** Answers nothing in a session in which a cursor was no text. */
function silentAfterCursor(): Fault {
  const over = new Set<unknown>();
  return {
    request(passing) {
      const session = passing.headers['mcp-session-id'];
      if (session !== undefined && typeof paramsOf(passing)['cursor'] === 'number') over.add(session);
      const isOver = over.has(session) && 'id' in passing.message;
      return isOver ? { status: 200, headers: { 'content-type': 'application/json' }, text: '' } : undefined;
    },
  };
}

/** Reads a text that is no address as if it were one. */
function readsAnyText(): Fault {
  const asked = new WeakMap<Passing, string>();
  return {
    request(passing) {
      const params = paramsOf(passing);
      const { uri } = params;
      if (passing.message['method'] !== 'resources/read' || typeof uri !== 'string' || !uri.includes(' ')) return;
      asked.set(passing, uri);
      params['uri'] = 'memo://one';
      passing.body = JSON.stringify(passing.message);
    },
    response(returning, passing) {
      const uri = asked.get(passing);
      if (uri !== undefined) returning.text = returning.text.replaceAll('memo://one', uri);
    },
  };
}

/** Every fault, with the row that it must be found in. */
export const meaningFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'a-response-of-nothing': ['basic-011', neither],
  'a-response-of-nothing-now': ['basic-013', neither],
  'error-of-many-lines': [
    'basic-016',
    {
      response: (returning) =>
        eachMessage(
          returning,
          ({ error }) => void (isObject(error) && (error['message'] = 'no:\n  at this\n  at that')),
        ),
    },
  ],
  'unknown-result-type': [
    'basic-024',
    result('prompts/list', (of) => void ('resultType' in of && (of['resultType'] = 'done'))),
  ],
  'refuses-what-it-supports': [
    'basic-029',
    refusing('completion/complete', (passing) => {
      const requested = metaOf(passing.message)?.[metaKey.protocolVersion];
      return { code: -32_022, data: { supported: [requested], requested } };
    }),
  ],
  'wants-what-is-declared': [
    'basic-029',
    refusing('tools/call', (passing) => {
      const declared = metaOf(passing.message)?.[metaKey.clientCapabilities];
      const isObliging = isObject(declared) && declared['elicitation'] !== undefined;
      return paramsOf(passing)['name'] === 'ask' && isObliging
        ? { code: -32_021, data: { requiredCapabilities: { elicitation: { form: {} } } } }
        : undefined;
    }),
  ],
  'one-key-for-two-questions': [
    'mrtr-004',
    {
      response: (returning) =>
        void (returning.text = returning.text.replace(/"inputRequests":\{("[^"]+"):/, '"inputRequests":{$1:{},$1:')),
    },
  ],
  'reads-any-text': ['resources-018', readsAnyText()],
  'blob-of-other-letters': [
    'resources-020',
    result('resources/read', ({ contents }) => {
      if (!Array.isArray(contents) || !isObject(contents[0])) return;
      delete contents[0]['text'];
      contents[0]['blob'] = 'cmVt_W1iZX-';
    }),
  ],
  'completes-objects': [
    'compl-008',
    altered('completion/complete', ({ argument }) => {
      if (isObject(argument) && isObject(argument['value'])) argument['value'] = '';
    }),
  ],
  'takes-odd-arguments': [
    'prompts-011',
    altered('prompts/get', (params) => {
      if (isObject(params['arguments']) && isObject(params['arguments']['to'])) params['arguments'] = { to: 'Ada' };
    }),
  ],
  'ends-by-cursor': [
    'page-006',
    {
      request: (passing) =>
        isObject(paramsOf(passing)['cursor']) ? { status: 500, headers: {}, text: '' } : undefined,
    },
  ],
  'silent-after-a-cursor': ['page-006', silentAfterCursor()],
  'names-in-any-case': [
    'tools-017',
    {
      request(passing) {
        const params = paramsOf(passing);
        if (passing.message['method'] !== 'tools/call' || typeof params['name'] !== 'string') return;
        if (/[a-z]/.test(params['name'])) return;
        const name = params['name'].toLowerCase();
        params['name'] = name;
        if (passing.headers['mcp-name'] !== undefined) passing.headers['mcp-name'] = name;
        passing.body = JSON.stringify(passing.message);
      },
    },
  ],
  'half-a-batch': [
    'http-020',
    {
      response(returning, { body }) {
        if (!body.startsWith('[') || returning.status !== 200) return;
        const [first] = JSON.parse(returning.text) as readonly unknown[];
        returning.text = JSON.stringify(first);
        asStream(returning);
      },
    },
  ],
  'no-discover': [
    'versioning-003',
    {
      request: ({ message: { method, id } }) =>
        method === 'server/discover'
          ? json(404, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'no such method' } })
          : undefined,
    },
  ],
  'discovers-no-revisions': ['versioning-003', result('server/discover', (of) => void delete of['supportedVersions'])],
};

/** Faults of a server that changes and has apps, with the revision in which each shows. */
export const livelyMeaningFaults: Readonly<Record<string, Planted>> = {
  'news-before-the-acknowledgement': {
    row: 'subs-003',
    date: '2026-07-28',
    fault: {
      piece: (text) =>
        text.replace(/^data: (\{.*acknowledged.*)$/m, (line, data: string) => {
          const { params } = JSON.parse(data) as { readonly params: Json };
          const early = {
            jsonrpc: '2.0',
            method: 'notifications/tools/list_changed',
            params: { _meta: params['_meta'] },
          };
          return `data: ${JSON.stringify(early)}\n\n${line}`;
        }),
    },
  },
  'app-at-another-address': {
    row: 'resources-023',
    date: '2025-06-18',
    fault: {
      response: (returning) => void (returning.text = returning.text.replaceAll('ui://show', 'https://show.example')),
    },
  },
  'app-that-is-not-there': {
    row: 'resources-023',
    date: '2026-07-28',
    fault: {
      request(passing) {
        const { method, id } = passing.message;
        if (method !== 'resources/read' || paramsOf(passing)['uri'] !== 'ui://show') return undefined;
        return json(200, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'no such resource' } });
      },
    },
  },
  'app-that-is-a-page': {
    row: 'resources-024',
    date: '2026-07-28',
    fault: { response: (returning) => void (returning.text = returning.text.replaceAll(';profile=mcp-app', '')) },
  },
  'app-without-text': {
    row: 'tools-046',
    date: '2025-11-25',
    fault: result('tools/call', (of, passing) => void (paramsOf(passing)['name'] === 'show' && (of['content'] = []))),
  },
};
