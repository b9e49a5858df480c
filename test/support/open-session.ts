/** A session of a real server over HTTP, in memory. */

/** What sends requests within it. */
export interface OpenSession {
  post(method: string, params: Readonly<Record<string, unknown>>): Promise<Response>;
}

/** Opens one, by `initialize`. */
export async function openSession(
  handler: (request: Request) => Promise<Response>,
  protocolVersion: string,
  capabilities: object = {},
): Promise<OpenSession> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  let id = 0;
  const send = async (body: object): Promise<Response> =>
    await handler(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(body) }));
  const post: OpenSession['post'] = (method, params) => send({ jsonrpc: '2.0', id: ++id, method, params });
  const opened = await post('initialize', { protocolVersion, capabilities, clientInfo: { name: 'c', version: '1' } });
  await opened.text();
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  headers['mcp-protocol-version'] = protocolVersion;
  await (await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).text();
  return { post };
}
