import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { ServerConnection } from './server-connection.ts';

/** Time that the question for proof may take, in milliseconds. */
const proofMs = 5_000;

/** Code of servers that are not initialized, from the Language Server Protocol. For `resources/read` it has another meaning. */
const notInitialized = -32002;

/** Kinds of errors by which servers refuse what came before `initialize`. */
const vague: ReadonlySet<string | undefined> = new Set(['invalidRequest', 'invalidParams', 'internalError']);

/** Tells whether a server may have refused a request because it is not initialized. */
export function mayBeUninitialized(method: string, error: unknown): boolean {
  if (!(error instanceof McpError)) return false;
  const { kind, code } = error;
  // A code of an application is about the request itself. Some servers use 0 for an error without a code.
  const isUnnamed = kind === undefined && (code === 0 || (code <= -32_000 && code >= -32_768));
  return vague.has(kind) || isUnnamed || (code === notInitialized && method !== 'resources/read');
}

/**
 * The loss of a session behind a stream that stays open. A watcher such as `node --watch` starts its program again, and
 * the new program gets no `initialize`. No table of wordings finds it: the server refuses another method in the same
 * words, though it served requests in this connection, until it is initialized again.
 *
 * @returns `undefined` if the error is about the request itself.
 */
export async function uninitialized(
  connection: ServerConnection,
  method: string,
  error: unknown,
): Promise<LostSession | undefined> {
  const { revision, agreement, hasServed } = connection;
  const { connection: asking, exchanges } = agreement.channel;
  if (!(error instanceof McpError) || !revision.sessions || exchanges || !hasServed) return undefined;
  // A server that is initialized answers this with a list, or does not know the method.
  const other = otherList(method, agreement.capabilities);
  const refuses = async (): Promise<boolean> => {
    const proof: unknown = await asking
      .call(other, undefined, { revision, timeoutMs: proofMs, tellCancelled: false })
      .answer.catch((cause: unknown) => cause);
    if (!(proof instanceof McpError) || proof.code !== error.code || proof.kind === 'methodNotFound') return false;
    return proof.message.replaceAll(other, '') === error.message.replaceAll(method, '');
  };
  if (!(await refuses())) return undefined;
  const lost = new ConnectionError('session-lost', 'the server restarted and was not initialized', { cause: error });
  return { lost, refuses };
}

/** A list that the server declared, unless it has no other. Prompts are few. */
function otherList(method: string, { prompts }: ServerCapabilities): string {
  const isFirst = method === 'tools/list' || (prompts !== undefined && method !== 'prompts/list');
  return isFirst ? 'prompts/list' : 'tools/list';
}

/** A session that seems lost. */
export interface LostSession {
  readonly lost: ConnectionError;
  /** Tells whether the server refuses other requests in the same words: if it still does so when it is initialized, nothing was lost. */
  refuses(): Promise<boolean>;
}
