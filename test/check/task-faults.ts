/** The planted faults of tasks: the row that each must be found in, by its name. */

import { setTimeout as rest } from 'node:timers/promises';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { metaOf } from './faults.ts';
import { asStream, eachMessage, json, result, type Fault, type Passing } from './faulty.ts';
import { renamed } from './task-server.ts';

type Json = Record<string, unknown>;
type Faults = Readonly<Record<string, readonly [row: string, fault: Fault]>>;

const related = 'io.modelcontextprotocol/related-task';
const extension = 'io.modelcontextprotocol/tasks';

function paramsOf({ message: { params } }: Passing): Json {
  return isObject(params) ? params : {};
}

const isEnd = (status: unknown): boolean => ['completed', 'failed', 'cancelled'].includes(String(status));

/** Alters a request of a method, or answers it. */
function request(
  method: string,
  act: (passing: Passing, params: Json) => ReturnType<NonNullable<Fault['request']>>,
): Fault {
  return {
    request(passing) {
      if (passing.message['method'] !== method) return undefined;
      const answer = act(passing, paramsOf(passing));
      passing.body = JSON.stringify(passing.message);
      return answer;
    },
  };
}

/** Alters a task of one status. */
function ofStatus(status: string, alter: (task: Json) => void): Fault {
  return result('tasks/get', (task) => void (task['status'] === status && alter(task)));
}

function refused({ message: { id } }: Passing, code: number): ReturnType<typeof json> {
  return json(200, { jsonrpc: '2.0', id, error: { code, message: 'not so' } });
}

/** Alters errors of a method. */
function errors(method: string, alter: (error: Json, message: Json) => void): Fault {
  return {
    response(returning, { message }) {
      if (message['method'] !== method) return;
      eachMessage(returning, (one) => void (isObject(one['error']) && alter(one['error'], one)));
    },
  };
}

/**
 * Tells of the progress of a task before an answer about it, which becomes a stream for that.
 *
 * @param after Number of answers that say that it is completed before that.
 */
function toldBefore(
  method: string,
  tell: (task: string, token: unknown) => { readonly task: string; readonly token: unknown },
  after = 0,
): Fault {
  const [tokens, ended, called] = [new Map<string, unknown>(), counts(), new Map<unknown, unknown>()];
  return {
    request(passing) {
      const meta = isObject(paramsOf(passing)['_meta']) ? (paramsOf(passing)['_meta'] as Json) : {};
      if (passing.message['method'] === 'tools/call') called.set(passing.message['id'], meta['progressToken']);
    },
    response(returning, passing) {
      const text = /"taskId":"([^"]+)"/.exec(`${passing.body}${returning.text}`)?.[1] ?? '';
      if (passing.message['method'] === 'tools/call') tokens.set(text, called.get(passing.message['id']));
      if (passing.message['method'] !== method || (after > 0 && !/"status":"completed"/.test(returning.text))) return;
      if (after > 0 && ended(text) < after) return;
      const { task, token } = tell(text, tokens.get(text));
      const params = { progressToken: token, progress: 99, _meta: { [related]: { taskId: task } } };
      asStream(returning);
      const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
      returning.text = `data: ${notice}\n\n${returning.text}`;
    },
  };
}

/** Counts by keys. */
function counts(): (key: unknown) => number {
  const seen = new Map<unknown, number>();
  return (key) => {
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return seen.get(key) ?? 0;
  };
}

function changesAtEnd(): Fault {
  const count = counts();
  return result('tasks/get', (task) => {
    if (isEnd(task['status']) && count(task['taskId']) === 2) task['status'] = 'working';
  });
}

function asksOn(): Fault {
  const asked = new Set<unknown>();
  return result('tasks/get', (task) => {
    if (task['status'] === 'input_required') asked.add(task['taskId']);
    if (asked.has(task['taskId'])) task['status'] = 'input_required';
  });
}

function worksOn(): Fault {
  const ended = new Set<unknown>();
  return {
    response(returning, { message: { method } }) {
      if (method === 'tasks/cancel')
        eachMessage(returning, ({ result: of }) => void (isObject(of) && ended.add(of['taskId'])));
      if (method === 'tasks/get')
        eachMessage(returning, ({ result: of }) => {
          if (isObject(of) && ended.has(of['taskId'])) of['status'] = 'completed';
        });
    },
  };
}

/** Declares that it lists tasks, and lists those of everybody. */
function listsForAll(): Fault {
  const tasks: unknown[] = [];
  return {
    request: ({ message: { id, method } }) =>
      method === 'tasks/list' ? json(200, { jsonrpc: '2.0', id, result: { tasks } }) : undefined,
    response(returning, { message: { method } }) {
      if (returning.text === '' || (method !== 'initialize' && method !== 'tools/call')) return;
      eachMessage(returning, ({ result: of }) => {
        if (!isObject(of)) return;
        if (isObject(of['task'])) tasks.push(of['task']);
        const { capabilities } = of;
        if (isObject(capabilities) && isObject(capabilities['tasks'])) capabilities['tasks']['list'] = {};
      });
    },
  };
}

/** Faults of tasks that a client asks for. */
export const coreTaskFaults: Faults = {
  'progress-of-another-token': ['progress-010', toldBefore('tasks/get', (task) => ({ task, token: 'another' }))],
  'progress-after-the-end': ['progress-011', toldBefore('tasks/get', (task, token) => ({ task, token }), 2)],
  'ended-goes-on': ['tasks-013', changesAtEnd()],
  'result-at-once': [
    'tasks-021',
    request('tasks/result', ({ message: { id } }) => json(200, { jsonrpc: '2.0', id, result: { content: [] } })),
  ],
  'goes-by-meta': [
    'tasks-026',
    request('tasks/get', (_, params) => {
      const meta = isObject(params['_meta']) ? params['_meta'][related] : undefined;
      if (isObject(meta)) params['taskId'] = meta['taskId'];
    }),
  ],
  'question-of-no-task': [
    'tasks-025',
    { piece: (text) => text.replaceAll(/(elicitation\/create.*)related-task/g, '$1other-task') },
  ],
  'answers-when-done': [
    'tasks-015',
    {
      async response(_, passing) {
        if (paramsOf(passing)['task'] !== undefined) await rest(1_800);
      },
    },
  ],
  'another-outcome': ['tasks-020', { piece: (text) => text.replaceAll('"pages":3', '"pages":4') }],
  'asks-while-working': ['tasks-028', ofStatus('input_required', (task) => void (task['status'] = 'working'))],
  'asks-on': ['tasks-030', asksOn()],
  'cancelled-works-on': ['tasks-039', worksOn()],
  'one-id': ['tasks-010', renamed(() => 'the-only-task-that-there-is')],
  'counting-ids': ['tasks-044', renamed((count) => `task-${count + 1}`)],
  'lists-for-all': ['tasks-046', listsForAll()],
  'kept-for-ever': [
    'tasks-048',
    result('tools/call', ({ task }, passing) => {
      const asked = paramsOf(passing)['task'];
      if (isObject(task) && isObject(asked)) task['ttl'] = asked['ttl'];
    }),
  ],
  'names-related': [
    'tasks-027',
    result('tasks/get', (task) => void (task['_meta'] = { [related]: { taskId: task['taskId'] } })),
  ],
  'streams-tasks': [
    'tasks-031',
    { response: (returning, { message: { method } }) => void (method === 'tasks/get' && asStream(returning)) },
  ],
  'fails-silently': ['tasks-042', ofStatus('failed', (task) => void delete task['statusMessage'])],
};

function lostAtFirst(): Fault {
  const count = counts();
  return request('tasks/get', (passing, { taskId }) => (count(taskId) === 1 ? refused(passing, -32_602) : undefined));
}

/** Gives all questions of a task one key. */
function oneKey(): Fault {
  let real = '';
  return {
    request(passing) {
      const { inputResponses } = paramsOf(passing);
      if (passing.message['method'] !== 'tasks/update' || !isObject(inputResponses) || !('key' in inputResponses))
        return;
      paramsOf(passing)['inputResponses'] = { [real]: inputResponses['key'] };
      passing.body = JSON.stringify(passing.message);
    },
    response: result('tasks/get', (task) => {
      const [entry] = Object.entries(isObject(task['inputRequests']) ? task['inputRequests'] : {});
      if (entry === undefined) return;
      real = entry[0];
      task['inputRequests'] = { key: entry[1] };
    }).response,
  } as Fault;
}

/** Answers a method about a task that does not exist with a result. */
function takesNone(method: string): Fault {
  return errors(method, (_, message) => {
    delete message['error'];
    message['result'] = { resultType: 'complete' };
  });
}

function discovered(alter: (capabilities: Json) => void): Fault {
  return result('server/discover', ({ capabilities }) => void (isObject(capabilities) && alter(capabilities)));
}

/** Faults of tasks of the extension. */
export const extensionTaskFaults: Faults = {
  'complete-task': [
    'tasks-056',
    result('tools/call', (of) => void (of['resultType'] === 'task' && (of['resultType'] = 'complete'))),
  ],
  'listed-task': ['tasks-057', result('tools/list', (of) => void (of['resultType'] = 'task'))],
  'failed-with-result': [
    'tasks-058',
    ofStatus('failed', (task) => {
      delete task['error'];
      task['result'] = { content: [], isError: true };
    }),
  ],
  'failed-without-error': ['tasks-088', ofStatus('failed', (task) => void delete task['error'])],
  'fails-without-words': ['tasks-087', ofStatus('failed', (task) => void delete task['statusMessage'])],
  'completed-without-result': ['tasks-065', ofStatus('completed', (task) => void delete task['result'])],
  'asks-for-nothing': ['tasks-066', ofStatus('input_required', (task) => void delete task['inputRequests'])],
  'update-is-task': ['tasks-067', result('tasks/update', (of) => void (of['resultType'] = 'task'))],
  'not-yet-kept': ['tasks-059', lostAtFirst()],
  'one-key': ['tasks-072', oneKey()],
  'talkative-update': ['tasks-073', result('tasks/update', (of) => void (of['status'] = 'working'))],
  'only-what-was-asked': [
    'tasks-075',
    request('tasks/update', (passing, { inputResponses }) =>
      isObject(inputResponses) && 'parley-check-extra' in inputResponses ? refused(passing, -32_602) : undefined,
    ),
  ],
  'talkative-cancel': ['tasks-077', result('tasks/cancel', (of) => void (of['status'] = 'cancelled'))],
  'updates-none': ['tasks-074', takesNone('tasks/update')],
  'cancels-none': ['tasks-078', takesNone('tasks/cancel')],
  'other-code': ['tasks-085', errors('tasks/cancel', (error) => void (error['code'] = -32_000))],
  'listens-to-strangers': [
    'tasks-079',
    request('subscriptions/listen', ({ message: { id } }, { notifications }) =>
      isObject(notifications) && 'taskIds' in notifications
        ? json(200, { jsonrpc: '2.0', id, result: { resultType: 'complete' } })
        : undefined,
    ),
  ],
  'wants-no-name': [
    'tasks-082',
    request('tasks/get', (passing) =>
      passing.headers['mcp-name'] === undefined
        ? undefined
        : json(400, { jsonrpc: '2.0', id: passing.message['id'], error: { code: -32_020, message: 'another name' } }),
    ),
  ],
  'any-name': [
    'tasks-083',
    request('tasks/get', ({ headers }, { taskId }) => void (headers['mcp-name'] = String(taskId))),
  ],
  'refused-otherwise': ['tasks-053', errors('tools/call', (error) => void (error['code'] = -32_600))],
  'unnamed-extension': [
    'tasks-054',
    errors('tools/call', (error) => void (error['data'] = { requiredCapabilities: { extensions: { 'a/b': {} } } })),
  ],
  'soft-errors-fail': [
    'tasks-089',
    ofStatus('completed', (task) => {
      if (!isObject(task['result']) || task['result']['isError'] !== true) return;
      Object.assign(task, { status: 'failed', error: { code: -32_603, message: 'it failed' } });
    }),
  ],
  'undeclared-tasks': [
    'tasks-092',
    discovered(({ extensions }) => void (isObject(extensions) && delete extensions[extension])),
  ],
  'former-capability': ['tasks-093', discovered((capabilities) => void (capabilities['tasks'] = {}))],
  'takes-the-former': [
    'tasks-094',
    request('tasks/get', ({ message }) => {
      const capabilities = metaOf(message)?.[metaKey.clientCapabilities];
      if (isObject(capabilities) && 'tasks' in capabilities) capabilities['extensions'] = { [extension]: {} };
    }),
  ],
  'numbered-tasks': ['tasks-095', renamed((count) => `task-${count + 1}`)],
};
