import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { errorFromWire, McpError } from '../../../protocol/error.ts';
import type { CallToolResult } from '../../../protocol/features/tools.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { readResult } from '../../read-result.ts';
import type { TaskState } from './task-state.ts';

/** The end of a wait: a result, or why there is none. */
export type TaskEnd = { readonly result: CallToolResult } | { readonly error: unknown };

/**
 * The outcome of a task of the extension, which comes with how it stands; `undefined` of one that goes on.
 *
 * @throws ConnectionError `invalid-message` where the server left it out, or it is malformed.
 */
export function outcomeOf(
  { status, result, error }: TaskState,
  { revision, learned }: { readonly revision: Revision; learned(error: unknown): unknown },
): TaskEnd | undefined {
  if (status === 'completed') {
    if (result === undefined) throw without('a result');
    return { result: readResult(revision, 'tools/call', result) };
  }
  if (status !== 'failed') return undefined;
  if (error === undefined) throw without('an error');
  return { error: learned(errorFromWire(error)) };
}

/**
 * The error of a task of 2025-11-25 that failed, by what asking for its result gave. Some servers have no result then, and say so with an
 * empty one: what the server says of the task is the error. `undefined` where it did not fail, or its result may be had later.
 */
export function failureInCore({ status, statusMessage }: TaskState, error: unknown): McpError | undefined {
  if (status !== 'failed') return undefined;
  if (error instanceof McpError) return error;
  const isMalformed = error instanceof ConnectionError && error.reason === 'invalid-message';
  if (!isMalformed || statusMessage === undefined) return undefined;
  return new McpError('internalError', statusMessage, { cause: error });
}

/** Tells whether a task of the extension has ended in words that leave out what came of it, as those of its creation do. */
export function isBare({ status, result, error }: TaskState): boolean {
  return (status === 'completed' && result === undefined) || (status === 'failed' && error === undefined);
}

function without(what: string): ConnectionError {
  return new ConnectionError('invalid-message', `the server says that the task has ended, without ${what}`);
}
