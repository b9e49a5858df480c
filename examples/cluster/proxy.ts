import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';

/** A proxy that sends each request to the next server in turn. It skips servers that cannot be reached. */
export function roundRobin(servers: readonly URL[]): Server {
  let turn = 0;
  return createServer((incoming, outgoing) => {
    const body: Buffer[] = [];
    const forward = (left: number): void => {
      const { hostname, port } = servers[turn++ % servers.length] ?? new URL('http://127.0.0.1');
      const { method, url } = incoming;
      const headers = endToEnd(incoming.headers);
      const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
        answer.on('aborted', () => outgoing.destroy());
      });
      onward.on('error', (error: NodeJS.ErrnoException) => {
        if (outgoing.headersSent) outgoing.destroy();
        else if (error.code === 'ECONNREFUSED' && left > 1) forward(left - 1);
        else outgoing.writeHead(502).end();
      });
      outgoing.on('close', () => onward.destroy());
      onward.end(Buffer.concat(body));
    };
    incoming.on('data', (chunk: Buffer) => body.push(chunk));
    incoming.on('end', () => forward(servers.length));
    incoming.on('error', () => outgoing.destroy());
  });
}

const perConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The headers that a proxy forwards: without those that describe one connection. A client that reads the `Keep-Alive` of the server behind
 * the proxy sends requests on connections that the proxy has closed.
 */
export function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/[ ,]+/);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !perConnection.has(name) && !named.includes(name)),
  );
}
