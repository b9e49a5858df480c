import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endToEnd } from '../../examples/cluster/proxy.ts';
import { onLine } from './lines.ts';
import type { Wire, WireLine } from './wire.ts';

/** A proxy before a server, and what passed through it. */
export interface HttpTap extends Wire {
  /** The URL of the server as clients of the tap reach it. */
  readonly url: string;
  close(): void;
}

/** The headers that mean something to MCP. */
const telling = /^(?:accept|allow|content-type|last-event-id|mcp-.*|www-authenticate|retry-after)$/;

/** Listens in on the HTTP of one server. */
export async function tapHttp(server: string): Promise<HttpTap> {
  const target = new URL(server);
  const lines: WireLine[] = [];
  const note = (arrow: WireLine['arrow'], text: string): void => {
    lines.push({ at: Date.now(), arrow, text: text.slice(0, 4000) });
  };
  const proxy = createServer((incoming, outgoing) => pass(incoming, outgoing, { target, note }));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  // A server that listens on a port has such an address.
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    lines: () => lines,
    close: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}

interface Passing {
  readonly target: URL;
  readonly note: (arrow: WireLine['arrow'], text: string) => void;
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, { target, note }: Passing): void {
  const { method = '', url = '', headers } = incoming;
  // The empty lines between events say nothing.
  const noteBody = (body: IncomingMessage, arrow: WireLine['arrow']): void =>
    onLine(body, (line) => void (line !== '' && note(arrow, line)));
  note('→', `${method} ${url}${headersOf(headers)}`);
  noteBody(incoming, '→');
  const onward = request(
    { host: target.hostname, port: target.port, method, path: url, headers: endToEnd(headers) },
    (answer) => {
      note('←', `${answer.statusCode}${headersOf(answer.headers)}`);
      noteBody(answer, '←');
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    },
  );
  onward.once('error', (error) => {
    note('!', error.message);
    outgoing.destroy();
  });
  // A client that goes away ends its request at the server, too.
  outgoing.once('close', () => onward.destroy());
  incoming.pipe(onward);
}

function headersOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  return Object.entries(headers)
    .filter(([name]) => telling.test(name))
    .map(([name, value]) => `; ${name}: ${String(value)}`)
    .join('');
}
