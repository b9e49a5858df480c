/** Planted faults of what goes on side by side, or one after another: progress on streams of others, ids and rounds. */

import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { eachMessage, json, type Fault, type Passing } from './faulty.ts';
import type { Planted } from './further-faults.ts';

type Json = Record<string, unknown>;

function tokenOf({ message: { params } }: Passing): unknown {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta['progressToken'] : undefined;
}

/** Tells of the progress of the other one of two calls. */
const crossed: Fault = {
  response(returning, passing) {
    if (tokenOf(passing) !== 'parley-check-one') return;
    eachMessage(returning, ({ method, params }) => {
      if (method === 'notifications/progress' && isObject(params)) params['progressToken'] = 'parley-check-two';
    });
  },
};

/** Tells of the progress of a call on streams that were opened by GET. */
function onGet(): Fault {
  const open = new Set<(text: string) => void>();
  return {
    opened: (write, { method }) => void (method === 'GET' && open.add(write)),
    response(_, passing) {
      if (tokenOf(passing) !== 'parley-check-one') return;
      const params = { progressToken: 'parley-check-one', progress: 9 };
      for (const write of open)
        write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`);
    },
  };
}

/** Asks each time with one id, and takes the answer for that of the question that is open. */
function oneId(): Fault {
  let last: unknown;
  return {
    piece: (text) =>
      text.replaceAll(/^data: (\{.*"method":"elicitation\/create".*)$/gm, (_, data: string) => {
        const message = JSON.parse(data) as Json;
        last = message['id'];
        return `data: ${JSON.stringify({ ...message, id: 'question' })}`;
      }),
    request(passing) {
      if (passing.message['id'] === 'question') passing.body = JSON.stringify({ ...passing.message, id: last });
    },
  };
}

/** Refuses the answers to a second question. */
function onlyOnce(): Fault {
  const second = new Set<unknown>();
  return {
    request({ message: { id, params } }) {
      if (!isObject(params) || !second.has(params['requestState'])) return undefined;
      return json(200, { jsonrpc: '2.0', id, error: { code: -32_600, message: 'that was answered' } });
    },
    response(returning, { message: { params } }) {
      if (!isObject(params) || params['inputResponses'] === undefined || returning.text === '') return;
      eachMessage(returning, ({ result: of }) => {
        if (isObject(of) && of['resultType'] === 'input_required') second.add(of['requestState']);
      });
    },
  };
}

/** Every fault, with its row and the revision that is judged. */
export const besideFaults: Readonly<Record<string, Planted>> = {
  'progress-of-another': { row: 'http-021', date: '2025-06-18', fault: crossed },
  'progress-of-another-now': { row: 'http-054', date: '2026-07-28', fault: crossed },
  'progress-on-get': { row: 'http-033', date: '2025-11-25', fault: onGet() },
  'one-id-for-all': { row: 'basic-007', date: '2025-11-25', fault: oneId() },
  'one-question-alone': { row: 'mrtr-027', date: '2026-07-28', fault: onlyOnce() },
};
