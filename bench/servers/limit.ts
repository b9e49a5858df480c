/**
 * The limit: a bare server that parses the body and writes an answer, and does nothing else. It can also write the same
 * bytes to everybody (`bytes`), or hold streams open and write one event to each when it is told to (`streams`).
 */
import type { ServerResponse } from 'node:http';
import { acknowledgement, event } from './limit-events.ts';
import { optionsOf, serve } from './support.ts';
import { largeText } from './tools.ts';

const { bytes, streams } = optionsOf();
const constant = Buffer.alloc(Number(bytes ?? 0), 'x');
const open = new Set<ServerResponse>();

const answer = bytes !== undefined ? writeBytes : streams === true ? holdOpen : call;

serve(
  (request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(Buffer.concat(chunks), reply));
  },
  {
    change: () => {
      for (const reply of open) reply.write(event);
    },
  },
);

function call(body: Buffer, reply: ServerResponse): void {
  const { id, params } = JSON.parse(body.toString()) as {
    readonly id: number;
    readonly params: { readonly arguments: { readonly a: number; readonly b: number; readonly text?: string } };
  };
  const { a, b, text } = params.arguments;
  const said = text === undefined ? (largeText === '' ? String(a + b) : largeText) : String(text.length);
  const result = { resultType: 'complete', content: [{ type: 'text', text: said }] };
  const written = JSON.stringify({ jsonrpc: '2.0', id, result });
  reply.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(written) });
  reply.end(written);
}

function writeBytes(_: Buffer, reply: ServerResponse): void {
  reply.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': constant.length });
  reply.end(constant);
}

function holdOpen(_: Buffer, reply: ServerResponse): void {
  open.add(reply);
  reply.on('close', () => open.delete(reply));
  reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
  reply.write(acknowledgement);
}
