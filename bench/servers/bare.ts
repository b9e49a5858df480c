/** A server for clients, as fast as there can be one: it knows the few requests that they make, and checks nothing. */
import { stateless } from '../harness/requests.ts';
import { serve } from './support.ts';

interface Call {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly arguments?: { readonly a: number; readonly b: number };
  };
}

const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};
const common = { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public' };
const capabilities = { tools: {} };
const serverInfo = { name: 'bare', version: '1.0.0' };

/** The results by their methods. */
const results = new Map<string, (params: NonNullable<Call['params']>) => object>([
  ['tools/call', ({ arguments: { a, b } = { a: 0, b: 0 } }) => ({ resultType: 'complete', content: textOf(a + b) })],
  ['tools/list', () => ({ ...common, tools: [{ name: 'add', inputSchema: numbers }] })],
  ['server/discover', () => ({ ...common, supportedVersions: [stateless], capabilities, serverInfo })],
  ['initialize', ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo })],
]);

serve((request, reply) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    // There is no event stream to GET.
    if (request.method !== 'POST') return void reply.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString()) as Call;
    if (id === undefined) return void reply.writeHead(202).end();
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: results.get(method)?.(params) ?? {} });
    reply.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) });
    reply.end(answer);
  });
});

function textOf(sum: number): readonly object[] {
  return [{ type: 'text', text: String(sum) }];
}
