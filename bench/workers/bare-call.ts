/** A call as bare clients write and read it. */
import { meta, stateless } from '../harness/requests.ts';
import { textOf } from './support.ts';

const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': stateless,
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'add',
};
let last = 0;

/** The call of `add` with a number and 1. */
export function callOf(number: number): { readonly headers: Record<string, string>; readonly body: string } {
  const params = { name: 'add', arguments: { a: number, b: 1 }, _meta: meta };
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: ++last, method: 'tools/call', params }) };
}

/** The text of the answer. */
export function resultOf(text: string): string {
  // The server here answers nothing else.
  return textOf((JSON.parse(text) as { readonly result: object }).result);
}
