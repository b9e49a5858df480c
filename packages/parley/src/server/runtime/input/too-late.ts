import { McpError } from '../../../protocol/error.ts';

/** Error for a question that a handler asks after its request ended. */
export function tooLate(method: string): McpError {
  return new McpError('internalError', `${method} was not asked: the request that it belongs to is over`);
}
