import { requestHeaders } from '../../../../parley/src/client/connection/request-meta.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import type { JsonView, LensView } from '../view.ts';

/** Headers of the protocol, not of intermediaries. */
const ofProtocol = /^mcp-/;

/**
 * HTTP headers of a request as sent, and as a client of another revision would send them; `undefined` if it is not such
 * a request. Values from the server, and headers from tool schemas, are described.
 */
export function protocolHeadersOf(entry: RecordingEntry, message: unknown, client: Revision): LensView['headers'] {
  const given = entry.from === 'client' && entry.lane === 'message' ? entry.http?.headers : undefined;
  if (given === undefined) return undefined;
  const left = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (ofProtocol.test(name) ? [[name, String(value)]] : [])),
  );
  return { left, right: sentBy(client, message, left) };
}

function sentBy(
  client: Revision,
  message: unknown,
  left: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { method, params }: JsonView = isObject(message) ? message : {};
  const opens = method === 'initialize';
  const own = typeof method === 'string' ? requestHeaders(client, method, isObject(params) ? params : undefined) : {};
  const asked = client.mirroredHeaders ? Object.entries(left).filter(([name]) => name.startsWith('mcp-param-')) : [];
  return Object.fromEntries([
    ...(client.versionHeader === 'after-initialize' && !opens ? [['mcp-protocol-version', client.date]] : []),
    ...Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]),
    ...(client.http === 'session' && !opens ? [['mcp-session-id', 'the one that its server gives it']] : []),
    ...asked,
  ]);
}
