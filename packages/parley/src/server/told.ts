/**
 * Errors of handlers whose results cannot report failures: prompts, reads of resources, methods of the server's own.
 */

import { orElse } from '../storage/now-or-later.ts';
import { McpError } from '../protocol/error.ts';
import { ToolError } from './offer/tool-result.ts';

/** A tool failure that is a given protocol error where there is no tool. */
export class ToldError extends ToolError {
  /** The protocol error. */
  readonly instead: McpError;

  constructor(message: string, { kind, data }: Pick<McpError, 'kind' | 'data'>) {
    super(message);
    this.instead = new McpError(kind ?? 'internalError', message, { data, cause: this });
  }
}

/** Runs a handler. A `ToolError` that it throws becomes a protocol error with the same message. */
export function inWords<T>(run: () => T | Promise<T>): T | Promise<T> {
  return orElse(run, (error) => {
    throw protocolError(error);
  });
}

function protocolError(error: unknown): unknown {
  if (error instanceof ToldError) return error.instead;
  return error instanceof ToolError ? new McpError('internalError', error.message, { cause: error }) : error;
}
