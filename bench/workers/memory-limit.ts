/** The limit in memory: a pair of functions with nothing between them but JSON text. */
import { offer, textOf } from './support.ts';

interface Request {
  readonly id: number;
  readonly params: { readonly arguments: { readonly a: number; readonly b: number } };
}

interface Response {
  readonly id: number;
  readonly result: { readonly content: readonly { readonly type: string; readonly text: string }[] };
}

let last = 0;

async function server(text: string): Promise<string> {
  const { id, params } = JSON.parse(text) as Request;
  const content = [{ type: 'text', text: String(params.arguments.a + params.arguments.b) }];
  return JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content } });
}

async function client(number: number): Promise<string> {
  const params = { name: 'add', arguments: { a: number, b: 1 } };
  const text = await server(JSON.stringify({ jsonrpc: '2.0', id: ++last, method: 'tools/call', params }));
  const { id, result } = JSON.parse(text) as Response;
  if (id !== last) throw new Error('the answer belongs to another request');
  return textOf(result);
}

offer(client);
