import { mayPass } from '../../../client/connection/retry.ts';
import { isUnknown, maxOutageMs } from '../../../client/tasks/following/patience.ts';
import { monotonicNow } from '../../../jsonrpc/timeout.ts';
import { McpError } from '../../../protocol/error.ts';

/**
 * Measures how long a server is unreachable or fails temporarily. Its work continues meanwhile and is not lost. A task
 * that expires earlier ends the wait earlier.
 */
export class Outage {
  readonly #maxMs: number;
  #since: number | undefined;

  /** @param longestMs Time that is waited out. */
  constructor(maxMs: number = maxOutageMs) {
    this.#maxMs = maxMs;
  }

  /** The server answered. */
  over(): void {
    this.#since = undefined;
  }

  /**
   * A request about the task failed, of which the client of the call knows nothing.
   *
   * @param method The method of the request.
   * @throws What cannot be waited out, or was waited out long enough; internalError for a task that the server does not have.
   */
  failed(error: unknown, method: string): void {
    if (method === 'tasks/get' && isUnknown(error))
      throw new McpError('internalError', 'the upstream server does not have the task of the call any more', {
        cause: error,
      });
    const now = monotonicNow();
    this.#since ??= now;
    if (mayPass(error) && now - this.#since < this.#maxMs) return;
    if (!(error instanceof McpError) || error.kind === 'internalError') throw error;
    throw new McpError('internalError', `the upstream server refused ${method} of the task of the call`, {
      cause: error,
    });
  }
}
