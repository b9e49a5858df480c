/** More planted faults: of streams over HTTP, of values, and of what is offered beyond lists. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaOf } from './faults.ts';
import { asStream, eachMessage, json, result, type Fault, type Passing, type Returning } from './faulty.ts';

type Json = Record<string, unknown>;

/** Alters the first message of a stream that lasts. */
function onListen(more: (first: Json) => readonly Json[]): Fault {
  return {
    piece: (text) =>
      text.replace(/^data: (\{.*acknowledged.*)$/m, (_, data: string) =>
        more(JSON.parse(data) as Json)
          .map((one) => `data: ${JSON.stringify(one)}`)
          .join('\n\n'),
      ),
  };
}

/** A notification on a stream of changes, after its first message. */
function alsoOnListen(method: string, params: Json): Fault {
  return onListen((first) => {
    const said = isObject(first['params']) ? first['params'] : {};
    return [first, { jsonrpc: '2.0', method, params: { ...params, _meta: said['_meta'] } }];
  });
}

/** Writes the answer to a request on the streams that are open. @param alter Alters the answer itself. */
function toStreams(alter: (returning: Returning) => void): Fault {
  const open = new Set<(text: string) => void>();
  return {
    opened: (write, { method }) => void (method === 'GET' && open.add(write)),
    response(returning, { message }) {
      if (message['id'] !== 'parley-check-beside') return;
      for (const write of open) write(`data: ${returning.text.replaceAll(/^data: |\n/gm, '')}\n\n`);
      alter(returning);
    },
  };
}

const own = (passing: Passing): boolean => metaOf(passing.message) !== undefined;

/** A stream that goes on after its answer. */
function endless(isRight: (passing: Passing) => boolean): Fault {
  return {
    response(returning, passing) {
      if (passing.method !== 'POST' || !isRight(passing)) return;
      asStream(returning);
      if (returning.headers['content-type'] === 'text/event-stream') returning.lasts = true;
    },
  };
}

/** Adds a key to the `_meta` of a list. */
function withKey(key: string, value: unknown): Fault {
  return result(
    'tools/list',
    (of) => void (of['_meta'] = { ...(isObject(of['_meta']) ? of['_meta'] : {}), [key]: value }),
  );
}

/** Gives a block in the place of that of a prompt. */
function withBlock(block: Json): Fault {
  return result('prompts/get', ({ messages }) => {
    if (Array.isArray(messages) && isObject(messages[0])) messages[0]['content'] = block;
  });
}

/** Refuses with an error that wants a capability. */
function wantsCapability(status: number, data?: Json): Fault {
  return {
    request: (passing) =>
      passing.message['method'] === 'completion/complete' && own(passing)
        ? json(status, {
            jsonrpc: '2.0',
            id: passing.message['id'],
            error: { code: -32_021, message: 'it lacks one', ...(data && { data }) },
          })
        : undefined,
  };
}

/** Answers a method with an error. */
function without(method: string): Fault {
  return {
    request: ({ message }) =>
      message['method'] === method
        ? json(200, { jsonrpc: '2.0', id: message['id'], error: { code: -32_601, message: 'there is none' } })
        : undefined,
  };
}

let listening = 0;

/** Every fault, with the row that it must be found in. */
export const moreFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'one-message-two-streams': ['http-036', toStreams(() => undefined)],
  'answers-on-get': ['http-034', toStreams((returning) => void Object.assign(returning, { status: 202, text: '' }))],
  'same-event-ids': ['http-037', { response: (returning) => asStream(returning, 'one') }],
  'stream-goes-on': ['http-023', endless((passing) => !own(passing))],
  'stream-goes-on-now': ['http-056', endless(own)],
  'buffered-streams': [
    'http-057',
    {
      response(returning) {
        asStream(returning);
        delete returning.headers['x-accel-buffering'];
      },
    },
  ],
  'undecoded-name': [
    'http-079',
    {
      request: ({ headers, message }) =>
        headers['mcp-name']?.startsWith('=?base64?') === true
          ? json(400, { jsonrpc: '2.0', id: message['id'], error: { code: -32_020, message: 'another name' } })
          : undefined,
    },
  ],
  'shouted-marker': [
    'http-095',
    {
      request({ headers }) {
        if (headers['mcp-name'] !== undefined)
          headers['mcp-name'] = headers['mcp-name'].replace('=?BASE64?', '=?base64?');
      },
    },
  ],
  'refuses-with-200': [
    'http-016',
    {
      response(returning, { message }) {
        if (message['method'] !== 'notifications/cancelled' || returning.status !== 400) return;
        const error = { code: -32_600, message: 'not so' };
        Object.assign(returning, json(200, { jsonrpc: '2.0', id: null, error }));
      },
    },
  ],
  'reserved-key': ['meta-006', withKey('com.mcp.tools/x', 1)],
  'odd-traceparent': ['meta-020', withKey('traceparent', 'none')],
  'unnamed-capability': ['meta-014', wantsCapability(400)],
  'capability-200': ['meta-015', wantsCapability(200, { requiredCapabilities: { extensions: { 'a/b': {} } } })],
  'changes-everywhere': [
    'subs-001',
    {
      response(returning, passing) {
        if (!own(passing) || passing.message['method'] !== 'tools/list' || returning.status !== 200) return;
        const told = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
        const before = `data: ${JSON.stringify(told)}\n\n`;
        asStream(returning);
        returning.text = before + returning.text;
      },
    },
  ],
  'progress-on-listen': ['subs-012', alsoOnListen('notifications/progress', { progressToken: 1, progress: 1 })],
  'logs-on-listen': ['logging-005', alsoOnListen('notifications/message', { level: 'info', data: 'x' })],
  'loud-level': ['logging-008', alsoOnListen('notifications/message', { level: 'loud', data: 'x' })],
  'odd-template': [
    'resources-009',
    result('resources/templates/list', ({ resourceTemplates: all }) => {
      if (Array.isArray(all) && isObject(all[0])) all[0]['uriTemplate'] = 'note://{{name}}';
    }),
  ],
  'image-without-type': ['prompts-006', withBlock({ type: 'image', data: 'AAAA' })],
  'audio-without-data': ['prompts-007', withBlock({ type: 'audio', data: '!', mimeType: 'audio/wav' })],
  'empty-resource': ['prompts-008', withBlock({ type: 'resource', resource: { uri: 'memo://one' } })],
  'undeclared-completions': [
    'compl-001',
    {
      response: (returning) =>
        eachMessage(
          returning,
          ({ result: of }) =>
            void (isObject(of) && isObject(of['capabilities']) && delete of['capabilities']['completions']),
        ),
    },
  ],
  'many-completions': [
    'compl-002',
    result('completion/complete', ({ completion }) => {
      if (isObject(completion)) completion['values'] = Array.from({ length: 101 }, (_, at) => String(at));
    }),
  ],
  'watches-nothing': ['resources-005', without('resources/subscribe')],
  'watches-for-ever': ['resources-006', without('resources/unsubscribe')],
  'acknowledges-more': [
    'subs-004',
    onListen((first) => {
      const { params } = first;
      if (isObject(params) && isObject(params['notifications'])) {
        params['notifications']['toolsListChanged'] = true;
        params['notifications']['promptsListChanged'] = true;
        params['notifications']['resourcesListChanged'] = true;
      }
      return [first];
    }),
  ],
  'one-listener': [
    'subs-008',
    {
      request({ message }) {
        if (message['method'] !== 'subscriptions/listen') return undefined;
        listening++;
        const { id } = message;
        return id === 'listen-2' && listening > 1
          ? json(400, { jsonrpc: '2.0', id, error: { code: -32_600, message: 'there is one' } })
          : undefined;
      },
    },
  ],
};

/** Refusal of a call of the tool whose argument travels in a header; `undefined` where it is none of that kind. */
function unlessPlaced(isWrong: (header: string | undefined, args: Json) => boolean): Fault {
  return {
    request({ headers, message: { id, method, params } }) {
      if (method !== 'tools/call' || !isObject(params) || params['name'] !== 'place') return undefined;
      const args = isObject(params['arguments']) ? params['arguments'] : {};
      return isWrong(headers['mcp-param-region'], args)
        ? json(400, { jsonrpc: '2.0', id, error: { code: -32_020, message: 'another region' } })
        : undefined;
    },
  };
}

/** Puts the right header in the place of that of a call. */
function withRightHeader(isWanted: (header: string | undefined) => boolean): Fault {
  return {
    request({ headers, message: { params } }) {
      if (!isObject(params) || params['name'] !== 'place' || !isWanted(headers['mcp-param-region'])) return;
      const args = isObject(params['arguments']) ? params['arguments'] : {};
      if (typeof args['region'] === 'string') headers['mcp-param-region'] = args['region'];
    },
  };
}

/** More faults that show where a tool is called. */
export const moreCallFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'param-header-optional': ['http-098', withRightHeader((header) => header === undefined)],
  'param-mismatch-served': ['http-100', withRightHeader((header) => header !== undefined)],
  'undecoded-param': ['http-099', unlessPlaced((header) => header?.startsWith('=?base64?') === true)],
  'absent-param-wanted': ['http-097', unlessPlaced((_, args) => args['region'] === undefined)],
  'kept-question': [
    'caching-002',
    result('tools/call', (of) => {
      if (of['resultType'] === 'input_required') Object.assign(of, { ttlMs: 1, cacheScope: 'private' });
    }),
  ],
};
