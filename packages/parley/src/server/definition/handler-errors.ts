/**
 * Errors of handlers whose results cannot report failures: prompts, reads of resources, methods of the server's own.
 */

import { catchMaybe } from '../../storage/maybe-promise.ts';
import { McpError } from '../../protocol/error.ts';
import { ToolError } from './tool-result.ts';

/** A tool failure that is a given protocol error where there is no tool. */
export class ProtocolFailure extends ToolError {
  /** The protocol error. */
  readonly instead: McpError;

  constructor(message: string, { kind, data }: Pick<McpError, 'kind' | 'data'>) {
    super(message);
    this.instead = new McpError(kind ?? 'internalError', message, { data, cause: this });
  }
}

/** Runs a handler. A `ToolError` that it throws becomes a protocol error with the same message. */
export function inWords<T>(run: () => T | Promise<T>): T | Promise<T> {
  return catchMaybe(run, (error) => {
    throw protocolError(error);
  });
}

function protocolError(error: unknown): unknown {
  if (error instanceof ProtocolFailure) return error.instead;
  return error instanceof ToolError ? new McpError('internalError', error.message, { cause: error }) : error;
}
