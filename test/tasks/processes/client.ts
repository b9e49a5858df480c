/** One client of servers that come and go: who does not answer in time is given up, and another is asked. */

import { metaKey } from '../../../packages/parley/src/protocol/meta.ts';
import { extended } from '../../support/task-client.ts';

/** JSON that came as an answer. */
export type Json = Readonly<Record<string, unknown>>;

/** What came of a request: a result, an error, or nothing that anybody could know of. */
export type Answer =
  | { readonly result: Json; readonly error?: undefined }
  | { readonly error: Json; readonly result?: undefined }
  | undefined;

const revision = '2026-07-28';

/** Sends one request to a server, and waits for its answer for so long. */
export async function ask(url: string, method: string, params: Json, limitMs: number): Promise<Answer> {
  const _meta = { [metaKey.protocolVersion]: revision, [metaKey.clientCapabilities]: extended };
  const name = params['name'] ?? params['taskId'];
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': revision,
        'Mcp-Method': method,
        ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await response.text();
    // A process that stood still had no time to read the request.
    if (response.status === 408) return undefined;
    const json = text.startsWith('{') ? text : (/^data: (\{.*\})$/m.exec(text)?.[1] ?? '{}');
    // What is neither a result nor an error is read as if nobody had answered.
    const { result, error } = JSON.parse(json) as { readonly result?: Json; readonly error?: Json };
    if (result !== undefined) return { result };
    return error === undefined ? undefined : { error };
  } catch {
    return undefined;
  }
}

/** The first text of a result of a tool. */
export function textOf(result: unknown): string {
  const { content = [] } = (result ?? {}) as { readonly content?: readonly Json[] };
  return String(content[0]?.['text']);
}
