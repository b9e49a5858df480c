/** Planted faults of what a server asks, changes and says meanwhile: row, fault, and the revision in which it shows. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { metaOf } from './faults.ts';
import { asStream, eachMessage, json, result, type Fault, type Passing } from './faulty.ts';

type Json = Record<string, unknown>;

/** A fault, with the row that it must be found in and the revision that is judged; in a server of that alone where it is `modern`. */
export interface Planted {
  readonly row: string;
  readonly date: RevisionDate;
  readonly fault: Fault;
  readonly isModern?: true;
}

const [first, older, old, core, newest] = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const;

function paramsOf({ message: { params } }: Passing): Json {
  return isObject(params) ? params : {};
}

/** Alters a request, and sends it on as it is then. */
function altered(alter: (passing: Passing) => void): Fault {
  return {
    request(passing) {
      alter(passing);
      // What is no object goes on as it came.
      if (Object.keys(passing.message).length > 0) passing.body = JSON.stringify(passing.message);
    },
  };
}

function refused({ message: { id } }: Passing, code: number, status = 200): ReturnType<typeof json> {
  return json(status, { jsonrpc: '2.0', id, error: { code, message: 'not so' } });
}

/** Says something on the stream of a list, before the list. */
export function before(message: Json): Fault {
  return {
    response(returning, passing) {
      if (passing.message['method'] !== 'tools/list' || returning.status !== 200) return;
      asStream(returning);
      returning.text = `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n${returning.text}`;
    },
  };
}

/** Answers calls of a tool with an error. */
function failing(name: string, error: Json): Fault {
  return {
    request: (passing) =>
      passing.message['method'] === 'tools/call' && paramsOf(passing)['name'] === name
        ? json(200, { jsonrpc: '2.0', id: passing.message['id'], error: { message: 'not so', ...error } })
        : undefined,
  };
}

/** Says nothing of a change. */
function silent(method: string): Fault {
  const without = (text: string): string => text.replaceAll(`"${method}"`, '"notifications/parley/other"');
  return { piece: without, response: (returning) => void (returning.text = without(returning.text)) };
}

/** Puts a right answer in the place of each that is not. */
function takesAny(isWrong: (answer: unknown) => boolean): Fault {
  const right = { action: 'accept', content: { sure: true } };
  return altered((passing) => {
    const { message } = passing;
    if (isObject(message['result']) && isWrong(message['result'])) message['result'] = right;
    const { inputResponses } = paramsOf(passing);
    if (!isObject(inputResponses)) return;
    for (const [key, answer] of Object.entries(inputResponses)) if (isWrong(answer)) inputResponses[key] = right;
  });
}

const isMisfit = (answer: unknown): boolean =>
  isObject(answer) && isObject(answer['content']) && isObject(answer['content']['sure']);

/** Looks at the answer to a round. */
function onRounds(act: (responses: unknown, passing: Passing) => ReturnType<NonNullable<Fault['request']>>): Fault {
  return {
    request(passing) {
      const { inputResponses } = paramsOf(passing);
      return inputResponses === undefined ? undefined : act(inputResponses, passing);
    },
  };
}

/** Takes any state of its own for that of any call: each is put in the place of the last of the tool that is called. */
function unboundStates(): Fault {
  const last = new Map<unknown, unknown>();
  return {
    ...altered((passing) => {
      const params = paramsOf(passing);
      if (params['requestState'] !== undefined && last.has(params['name']))
        params['requestState'] = last.get(params['name']);
    }),
    response: (returning, passing) => {
      if (passing.message['method'] !== 'tools/call' || returning.text === '') return;
      eachMessage(returning, ({ result: of }) => {
        if (isObject(of) && of['requestState'] !== undefined) last.set(paramsOf(passing)['name'], of['requestState']);
      });
    },
  };
}

/** Asks no more when twelve questions in a row were not answered. */
function forgetful(): Fault {
  let open = 0;
  return {
    request: (passing) => void (paramsOf(passing)['inputResponses'] !== undefined && (open = 0)),
    response(returning, passing) {
      if (passing.message['method'] !== 'tools/call' || !returning.text.includes('input_required')) return;
      if (++open <= 12) return;
      open = 0;
      Object.assign(returning, refused(passing, -32_000));
    },
  };
}

/** Takes each cursor once, each time that it is given. */
function cursorsOnce(): Fault {
  const used = new Set<unknown>();
  return {
    request(passing) {
      const { cursor } = paramsOf(passing);
      if (cursor === undefined || !used.has(cursor)) return void used.add(cursor);
      return refused(passing, -32_602);
    },
    response: result('tools/list', ({ nextCursor }) => void used.delete(nextCursor)).response,
  } as Fault;
}

/** Serves a client that asked for server/discover alone. */
function introduced(): Fault {
  const known = new Set<unknown>();
  return {
    request(passing) {
      const client = metaOf(passing.message)?.[metaKey.clientInfo];
      const name = isObject(client) ? client['name'] : undefined;
      if (passing.message['method'] === 'server/discover') known.add(name);
      return name === undefined || known.has(name) ? undefined : refused(passing, -32_600);
    },
  };
}

/** Every fault, by its name. */
export const furtherFaults: Readonly<Record<string, Planted>> = {
  'nameless-completion': {
    row: 'elicit-027',
    date: core,
    fault: before({ method: 'notifications/elicitation/complete', params: {} }),
  },
  'wants-no-page': { row: 'elicit-032', date: core, fault: failing('run', { code: -32_042 }) },
  'wants-a-form': {
    row: 'elicit-033',
    date: core,
    fault: failing('run', { code: -32_042, data: { elicitations: [{ mode: 'form', message: 'Sure?' }] } }),
  },
  'plain-page': {
    row: 'elicit-051',
    date: newest,
    fault: result('tools/call', ({ inputRequests }) => {
      for (const one of Object.values(isObject(inputRequests) ? inputRequests : {}))
        if (isObject(one))
          one['params'] = { mode: 'url', message: 'See', url: 'http://example.com/', elicitationId: 'e' };
    }),
  },
  'result-of-no-use': {
    row: 'sampling-013',
    date: core,
    fault: before({
      id: 's-1',
      method: 'sampling/createMessage',
      params: {
        maxTokens: 1,
        messages: [{ role: 'user', content: [{ type: 'tool_result', toolUseId: 'none', content: [] }] }],
      },
    }),
  },
  'roots-of-nobody': { row: 'roots-011', date: older, fault: before({ id: 'r-1', method: 'roots/list' }) },
  'tasks-of-nobody': {
    row: 'tasks-003',
    date: core,
    fault: before({
      id: 'e-1',
      method: 'elicitation/create',
      params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} }, task: {} },
    }),
  },
  'half-a-token': {
    row: 'progress-001',
    date: first,
    fault: before({ id: 'p-1', method: 'ping', params: { _meta: { progressToken: 1.5 } } }),
  },
  'cancels-something': {
    row: 'cancel-004',
    date: core,
    fault: before({ method: 'notifications/cancelled', params: {} }),
  },
  'cancels-another': {
    row: 'cancel-016',
    date: newest,
    fault: {
      piece: (text) =>
        text.includes('acknowledged')
          ? `${text}data: {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"another"}}\n\n`
          : text,
    },
  },
  'logs-undeclared': {
    row: 'logging-001',
    date: old,
    fault: {
      response(returning, passing) {
        void before({ method: 'notifications/message', params: { level: 'info', data: 'x' } }).response?.(
          returning,
          passing,
        );
        void result(
          'initialize',
          ({ capabilities }) => void (isObject(capabilities) && delete capabilities['logging']),
        ).response?.(returning, passing);
      },
    },
  },
  'stream-without-answer': {
    row: 'http-019',
    date: older,
    fault: {
      response(returning, { message: { method } }) {
        if (method !== 'ping') return;
        asStream(returning);
        returning.text = ': nothing\n\n';
      },
    },
  },
  'unprimed-stream': {
    row: 'http-024',
    date: core,
    fault: {
      response: (returning, { message: { method } }) => method === 'ping' && asStream(returning, '7-1'),
    } as Fault,
  },
  'latin-1': {
    row: 'basic-002',
    date: core,
    fault: {
      response(returning, { message: { method } }) {
        if (method !== 'tools/list') return;
        returning.bytes = Buffer.from(returning.text.replace('"name":', '"title":"caf\u00e9","name":'), 'latin1');
      },
    },
  },
  'form-unchecked': { row: 'elicit-005', date: old, fault: takesAny(isMisfit) },
  'form-unchecked-now': { row: 'elicit-060', date: newest, fault: takesAny(isMisfit) },
  'cannot-be-declined': {
    row: 'elicit-035',
    date: newest,
    fault: onRounds((responses, passing) =>
      JSON.stringify(responses).includes('"decline"') ? refused(passing, -32_603) : undefined,
    ),
  },
  'number-for-an-answer': { row: 'mrtr-023', date: newest, fault: takesAny((answer) => answer === 42) },
  'text-for-answers': {
    row: 'mrtr-024',
    date: newest,
    fault: onRounds((responses, { message: { id } }) =>
      typeof responses === 'string'
        ? json(200, { jsonrpc: '2.0', id, result: { resultType: 'complete', content: [] } })
        : undefined,
    ),
  },
  'twelve-questions': { row: 'mrtr-008', date: newest, fault: forgetful() },
  'state-of-another': { row: 'mrtr-014', date: newest, fault: unboundStates() },
  'progress-after-the-end': {
    row: 'progress-006',
    date: core,
    fault: {
      response(returning, passing) {
        const meta = paramsOf(passing)['_meta'];
        if (passing.message['method'] !== 'tools/call' || !isObject(meta) || meta['progressToken'] === undefined)
          return;
        const params = { progressToken: meta['progressToken'], progress: 9 };
        const late = { jsonrpc: '2.0', method: 'notifications/progress', params };
        asStream(returning);
        returning.text += `data: ${JSON.stringify(late)}\n\n`;
      },
    },
  },
  'roots-are-too-much': {
    row: 'roots-012',
    date: core,
    fault: {
      request: (passing) =>
        passing.message['method'] === 'notifications/roots/list_changed' ? refused(passing, -32_603, 500) : undefined,
    },
  },
  'cursors-once': { row: 'page-005', date: core, fault: cursorsOnce() },
  'introduced-first': { row: 'basic-034', date: newest, fault: introduced() },
  'one-at-a-time': {
    row: 'basic-033',
    date: newest,
    fault: {
      request: (passing) => (passing.message['id'] === 'parley-check-two' ? refused(passing, -32_000) : undefined),
    },
  },
  'wants-to-resume': {
    row: 'http-113',
    date: newest,
    isModern: true,
    fault: {
      request: (passing) =>
        passing.headers['last-event-id'] === undefined ? undefined : refused(passing, -32_000, 400),
    },
  },
  'names-no-revision': {
    row: 'versioning-010',
    date: newest,
    isModern: true,
    fault: {
      response(returning, { message: { method } }) {
        if (method === 'initialize') returning.text = returning.text.replaceAll(newest, 'another');
      },
    },
  },
  'odd-schema': {
    row: 'schema-006',
    date: core,
    fault: result('tools/list', ({ tools }) => {
      for (const tool of Array.isArray(tools) ? tools : [])
        if (isObject(tool) && isObject(tool['inputSchema'])) tool['inputSchema']['required'] = 'all';
    }),
  },
  'any-characters': {
    row: 'http-101',
    date: newest,
    fault: {
      request(passing) {
        const args = paramsOf(passing)['arguments'];
        const region = passing.headers['mcp-param-region'];
        if (region === undefined || !isObject(args) || /^[\x20-\x7e]*$/.test(region)) return;
        passing.headers['mcp-param-region'] = `=?base64?${Buffer.from(String(args['region'])).toString('base64')}?=`;
      },
    },
  },
  'numbers-as-texts': {
    row: 'http-102',
    date: newest,
    fault: {
      request: (passing) =>
        passing.headers['mcp-param-count'] === '42.0' ? refused(passing, -32_020, 400) : undefined,
    },
  },
  'untold-tools': { row: 'tools-005', date: core, fault: silent('notifications/tools/list_changed') },
  'untold-tools-now': { row: 'tools-006', date: newest, fault: silent('notifications/tools/list_changed') },
  'untold-prompts': { row: 'prompts-004', date: old, fault: silent('notifications/prompts/list_changed') },
  'untold-prompts-now': { row: 'prompts-005', date: newest, fault: silent('notifications/prompts/list_changed') },
  'untold-resources': { row: 'resources-004', date: older, fault: silent('notifications/resources/list_changed') },
  'untold-resources-now': { row: 'subs-015', date: newest, fault: silent('notifications/resources/list_changed') },
  'untold-update': { row: 'subs-016', date: newest, fault: silent('notifications/resources/updated') },
};
