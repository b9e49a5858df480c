import { Line } from './http-line.ts';
import type { Shot } from './http-load.ts';

/** The revision of the stateless era. */
export const stateless = '2026-07-28';

/** The newest revision whose clients have sessions. */
export const handshake = '2025-11-25';

/** The newest revision that some peers speak. */
export const older = '2025-06-18';

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const me = { name: 'bench', version: '1' };
/** What every request of the stateless era says about its client. */
export const meta: Readonly<Record<string, unknown>> = {
  'io.modelcontextprotocol/protocolVersion': stateless,
  'io.modelcontextprotocol/clientInfo': me,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** How one client speaks to a server: it makes the shots of its revision. */
export type Speaker = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  id: number,
  expected: string | RegExp,
) => Shot;

/** Speaks a revision to a server; opens a session where the revision has them. */
export async function speakerOf(url: URL, revision: string): Promise<Speaker> {
  if (revision === stateless) return statelessShot;
  const line = await Line.open(url);
  try {
    return sessionSpeaker(await openSession(line, revision));
  } finally {
    line.close();
  }
}

/** Speaks a revision to a server that takes whatever it is sent, such as the limit. */
export function bareSpeakerOf(revision: string): Speaker {
  if (revision === stateless) return statelessShot;
  return sessionSpeaker(sessionHeaders(revision, '6a7d24f1-7d5f-4f25-9a53-8d3f6f4f7c11'));
}

/**
 * Opens a session.
 *
 * @returns The headers of what is sent in it.
 */
export async function openSession(line: Line, revision: string): Promise<Readonly<Record<string, string>>> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: me };
  const opening = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const { head, body } = await line.post(json, opening);
  if (!body.includes(`"${revision}"`)) throw new Error(`the server does not speak ${revision}: ${body.slice(0, 150)}`);
  const headers = sessionHeaders(revision, /\r\nmcp-session-id: *([^\r]+)/i.exec(head)?.[1]);
  const opened = await line.post(headers, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  if (opened.status >= 300) throw new Error(`the session was not opened: ${opened.status}`);
  return headers;
}

function sessionHeaders(revision: string, session: string | undefined): Readonly<Record<string, string>> {
  return {
    ...json,
    ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
    ...(revision >= '2025-06-18' ? { 'MCP-Protocol-Version': revision } : {}),
  };
}

function sessionSpeaker(headers: Readonly<Record<string, string>>): Speaker {
  return (method, params, id, expected) => ({
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    expected,
  });
}

const statelessShot: Speaker = (method, params, id, expected) => ({
  headers: {
    ...json,
    'MCP-Protocol-Version': stateless,
    'Mcp-Method': method,
    ...(typeof params['name'] === 'string' ? { 'Mcp-Name': params['name'] } : {}),
  },
  body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
  expected,
});

/** Makes the numbered requests of a load. */
export type Shots = (speak: Speaker) => (number: number) => Shot;

/** The call of the tool `add`, whose answer is known. */
export const addition: Shots = (speak) => (number) =>
  speak('tools/call', { name: 'add', arguments: { a: number, b: 1 } }, number, `"text":"${number + 1}"`);

/** A call of `add` with arguments that its schema does not allow: whoever checks them refuses it. */
export const wrongAddition: Shots = (speak) => (number) =>
  speak('tools/call', { name: 'add', arguments: { a: 'one', b: 1 } }, number, /"isError":true|"error":\{/);
