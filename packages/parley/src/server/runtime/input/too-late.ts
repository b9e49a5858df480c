import { McpError } from '../../../protocol/error.ts';

/** Error for a question that a handler asks after its request ended. */
export function tooLate(method: string, isCancelled: boolean = false): McpError {
  const message = isCancelled
    ? 'the request was cancelled'
    : `${method} was not asked: the request that it belongs to is over`;
  return new McpError('internalError', message);
}
