import { McpError } from '../../../protocol/error.ts';

/** Error of a question that a handler asks when nobody waits for its request any more. */
export function tooLate(method: string): McpError {
  return new McpError('internalError', `${method} was not asked: the request that it belongs to is over`);
}
