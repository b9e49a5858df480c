import { McpError } from '../../../protocol/error.ts';

/**
 * Error for a state that does not open. An earlier process may have sealed it with a key that is lost, so its call may
 * have run.
 */
export function invalidState(): McpError {
  const why = 'requestState is not valid for this request, and a call that it belongs to may have run';
  return new McpError('invalidParams', `${why}; begin again without it only if the call may run twice`);
}

/** Error for a state whose call has no known outcome. */
export function mayHaveRun(why: string): McpError {
  return new McpError(
    'invalidParams',
    `requestState belongs to a call that may have run: ${why}; begin again only if it may run twice`,
  );
}

/** Error for a state that has expired. */
export function tooOld(): McpError {
  return mayHaveRun('it is too old');
}
