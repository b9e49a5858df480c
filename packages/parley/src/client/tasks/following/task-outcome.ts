import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { errorFromWire, McpError } from '../../../protocol/error.ts';
import type { CallToolResult } from '../../../protocol/features/tools.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { readResult } from '../../api/read-result.ts';
import type { TaskState } from './task-state.ts';

/** The end of a wait: a result, or an error. */
export type TaskEnd = { readonly result: CallToolResult } | { readonly error: unknown };

/**
 * The outcome of a task of the extension, which is part of its state; `undefined` for a running task.
 *
 * @throws ConnectionError `invalid-message` if the server left it out, or it is malformed.
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
 * The error of a failed task of 2025-11-25, from the request for its result. Some servers have no result then and
 * return an empty one. In that case the task's status message is the error. `undefined` if it did not fail, or its
 * result may still come.
 */
export function failureInCore({ status, statusMessage }: TaskState, error: unknown): McpError | undefined {
  if (status !== 'failed') return undefined;
  if (error instanceof McpError) return error;
  const isMalformed = error instanceof ConnectionError && error.reason === 'invalid-message';
  if (!isMalformed || statusMessage === undefined) return undefined;
  return new McpError('internalError', statusMessage, { cause: error });
}

/**
 * Tells whether the state of an ended task of the extension lacks the outcome, as the response that creates it does.
 */
export function isBare({ status, result, error }: TaskState): boolean {
  return (status === 'completed' && result === undefined) || (status === 'failed' && error === undefined);
}

function without(what: string): ConnectionError {
  return new ConnectionError('invalid-message', `the server reported the end of the task without ${what}`);
}
