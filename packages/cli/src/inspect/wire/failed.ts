import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';

/** Methods whose results are those of tools, or hold one. */
const methods: ReadonlySet<string | undefined> = new Set(['tools/call', 'tasks/result', 'tasks/get']);

/** Such a result up to its flag, where nothing that holds others comes before: enough for one that is not kept whole. */
const head = /^\s*\{[^{}[\]]*"result"\s*:\s*\{[^{}[\]]*"isError"\s*:\s*true\b/;

/** Tells whether a message is the result of a tool that says of itself that it failed. */
export function isToolFailure({ from, lane, method, text = '', cut }: RecordingEntry): boolean {
  const isResult = (lane === 'message' && from === 'server') || lane === 'app';
  // Most results have not failed, and are not read for this.
  if (!isResult || !methods.has(method) || !/"isError"\s*:\s*true\b/.test(text)) return false;
  if (cut !== undefined) return head.test(text);
  const message = jsonIn(text);
  const result = isObject(message) ? message['result'] : undefined;
  // A task of the extension has the result in it.
  const own = method === 'tasks/get' && isObject(result) ? result['result'] : result;
  return isObject(own) && own['isError'] === true;
}
