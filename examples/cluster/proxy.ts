import { createServer, request, type Server } from 'node:http';

/** A proxy that hands each request to the next of some servers, whoever asks; one that cannot be reached is passed over. */
export function roundRobin(servers: readonly URL[]): Server {
  let turn = 0;
  return createServer((incoming, outgoing) => {
    const body: Buffer[] = [];
    const forward = (left: number): void => {
      const { hostname, port } = servers[turn++ % servers.length] ?? new URL('http://127.0.0.1');
      const { method, url, headers } = incoming;
      const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
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
