/** The planted faults that show where a tool is called: the row that each must be found in, by its name. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { metaOf } from './faults.ts';
import { eachMessage, json, result, type Fault } from './faulty.ts';

/** Keeps each state, and gives a text in its place of which only a number is looked at. */
function unsealed(): Fault {
  const states: string[] = [];
  return {
    request(passing) {
      const { params } = passing.message;
      if (!isObject(params) || typeof params['requestState'] !== 'string') return;
      params['requestState'] = states[Number(/\.(\d+)\./.exec(params['requestState'])?.[1])] ?? '';
      passing.body = JSON.stringify(passing.message);
    },
    response: result('tools/call', (of) => {
      if (typeof of['requestState'] !== 'string') return;
      of['requestState'] = `confirmed.${states.push(of['requestState']) - 1}.by-the-user-of-this-client`;
    }).response,
  } as Fault;
}

/** Answers a call that asks for a task. */
function onTaskParameter(answer: (id: unknown) => Record<string, unknown>): Fault {
  return {
    request: ({ message: { id, method, params } }) =>
      method === 'tools/call' && isObject(params) && params['task'] !== undefined
        ? json(200, { jsonrpc: '2.0', ...answer(id) })
        : undefined,
  };
}

/** Every fault, with the row that it must be found in. */
export const callFaults: Readonly<Record<string, readonly [row: string, fault: Fault]>> = {
  'output-breaks-schema': [
    'tools-011',
    result('tools/call', ({ structuredContent }) => {
      if (isObject(structuredContent) && 'sum' in structuredContent) structuredContent['sum'] = 'many';
    }),
  ],
  'asks-undeclared': [
    'elicit-016',
    {
      request(passing) {
        const meta = metaOf(passing.message);
        if (meta === undefined || passing.message['method'] !== 'tools/call') return;
        meta[metaKey.clientCapabilities] = { elicitation: {} };
        passing.body = JSON.stringify(passing.message);
      },
    },
  ],
  'state-unsealed': ['mrtr-011', unsealed()],
  'no-progress': [
    'progress-003',
    {
      response: (returning) =>
        eachMessage(returning, ({ method, params }) => {
          if (method === 'notifications/progress' && isObject(params)) params['progress'] = 1;
        }),
    },
  ],
  'runs-anything': [
    'tools-035',
    {
      request(passing) {
        const { params } = passing.message;
        if (!isObject(params) || params['name'] !== 'sum') return;
        params['arguments'] = { of: [1] };
        passing.body = JSON.stringify(passing.message);
      },
    },
  ],
  'asks-without-message': [
    'elicit-018',
    result('tools/call', ({ inputRequests }) => {
      for (const one of Object.values(isObject(inputRequests) ? inputRequests : {}))
        if (isObject(one) && isObject(one['params'])) delete one['params']['message'];
    }),
  ],
  'refuses-task-parameter': [
    'tasks-009',
    onTaskParameter((id) => ({ id, error: { code: -32_602, message: 'no tasks' } })),
  ],
  'undeclared-tasks': [
    'tasks-001',
    onTaskParameter((id) => ({
      id,
      result: { task: { taskId: 'none', status: 'working', createdAt: date, lastUpdatedAt: date, ttl: null } },
    })),
  ],
};

const date = '2026-01-01T00:00:00Z';
