/** The planted faults that show where a tool is called: the row that each must be found in, by its name. */

import { isObject } from '../../src/jsonrpc/message.ts';
import { metaKey } from '../../src/protocol/meta.ts';
import { metaOf } from './faults.ts';
import { eachMessage, result, type Fault } from './faulty.ts';

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
};
