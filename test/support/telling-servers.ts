/** Servers that say the secrets which they know at every place where one may stand. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endable } from './inspected.ts';

/** Script of a server on stdio that says each of its variables at another place. */
export const tellingScript: string = `
  import { createInterface } from 'node:readline';
  const { env } = process;
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const info = { protocolVersion: '2025-11-25', serverInfo: { name: 'near', version: '1' } };
  const tools = ['say', 'fail'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const say = (id, { _meta, arguments: given }) => {
    process.stderr.write('began with ' + env.STDERR_KEY + '\\n' + env.SPLIT_KEY.slice(0, 11));
    setTimeout(() => {
      process.stderr.write(env.SPLIT_KEY.slice(11) + '\\n');
      const progressToken = _meta?.progressToken ?? 0;
      send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: env.PROGRESS_KEY } });
      send({ method: 'notifications/message', params: { level: 'info', logger: env.LOG_KEY, data: { x: env.LOG_KEY } } });
      const texts = [env.TEXT_KEY, encodeURIComponent(env.PERCENT_KEY), JSON.stringify([env.ESCAPED_KEY]), given.text];
      const content = texts.map((text) => ({ type: 'text', text }));
      send({ id, result: { content, structuredContent: { deep: [env.STRUCTURED_KEY] } } });
    }, 10);
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === 'initialize') send({ id, result: { ...info, capabilities: { tools: {}, resources: {}, logging: {} } } });
    else if (method === 'tools/list') send({ id, result: { tools } });
    else if (method === 'resources/list') send({ id, result: { resources: [{ name: 'r', uri: 'file:///' + encodeURIComponent(env.RESOURCE_KEY) }] } });
    else if (method === 'resources/read') send({ id, result: { contents: [{ uri: 'file:///r', text: env.RESOURCE_KEY }] } });
    else if (params?.name === 'say') say(id, params);
    else send({ id, error: { code: -32603, message: 'not ' + env.ERROR_KEY, data: env.ERROR_KEY } });
  });`;

/** Secrets that it gives. */
export interface Given {
  readonly session: string;
  readonly cookie: string;
}

/** Serves a server over HTTP that gives a session and a cookie, and repeats every header that it was sent. @returns Its address. */
export async function repeating(t: Endable, given: Given): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const { id, method = '' } = JSON.parse(text || '{}') as { id?: number; method?: string };
      const session = { 'mcp-session-id': given.session, 'set-cookie': `sid=${given.cookie}; HttpOnly` };
      if (id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json', ...session });
      const heard = `${JSON.stringify(request.headers)} ${String(request.url)} ${JSON.stringify(session)}`;
      const info = { protocolVersion: '2025-11-25', capabilities: { tools: {} } };
      const serverInfo = { name: 'far', version: '1' };
      const tools = [{ name: 'repeat', description: heard, inputSchema: { type: 'object' } }];
      const content = [{ type: 'text', text: heard }];
      const result = method === 'initialize' ? { ...info, serverInfo, instructions: heard } : { tools, content };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has the address of one.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
