/** A client over HTTP that sends what headers it likes. */

import type { ClientCapabilities } from '../../packages/parley/src/protocol/capability.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisionOf, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';

/** One client, with its session where it has one. */
export interface HttpSpeaker {
  readonly session: string | undefined;
  /** Sends a request, and gives the body of the answer as it came. */
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<string>;
}

const info = { name: 'speaker', version: '1' };
const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** Opens a conversation; the headers go with every request. */
export async function speaking(
  url: string,
  date: RevisionDate,
  headers: Readonly<Record<string, string>>,
  capabilities: ClientCapabilities = {},
): Promise<HttpSpeaker> {
  const post = (body: unknown, own: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { ...headers, ...types, ...own }, body: JSON.stringify(body) });
  if (revisionOf(date)?.era === 'stateless') {
    const _meta = {
      [metaKey.protocolVersion]: date,
      [metaKey.clientInfo]: info,
      [metaKey.clientCapabilities]: capabilities,
    };
    const request = async (method: string, params: Readonly<Record<string, unknown>>): Promise<string> => {
      const { name } = params;
      const own = {
        'MCP-Protocol-Version': date,
        'Mcp-Method': method,
        ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      };
      return await (await post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, own)).text();
    };
    return { session: undefined, request };
  }
  const initialize = { protocolVersion: date, capabilities, clientInfo: info };
  const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize });
  await opened.text();
  const session = opened.headers.get('mcp-session-id') ?? '';
  const own = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': date };
  await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, own)).text();
  return {
    session,
    request: async (method, params) => await (await post({ jsonrpc: '2.0', id: 1, method, params }, own)).text(),
  };
}
