/** Rules of sending a request again, and of opening a connection again. */

import { addNewest } from '../../jsonrpc/newest.ts';
import { isTransientStatus } from '../../jsonrpc/transient.ts';
import { ConnectionError, unknownSessions } from '../../jsonrpc/transport.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { McpError } from '../../protocol/error.ts';
import type { Tool } from '../../protocol/features/tool.ts';

/** Tells whether a request may be sent again if it may have been served already. For tools, only the caller knows. */
export function isRepeatable(method: string, repeat: boolean | undefined): boolean {
  return repeat ?? methodOf(method)?.leaves !== undefined;
}

/** The tools with a hint that calling them twice does no harm. */
export class ToolHints {
  readonly #repeatable = new Set<string>();
  readonly #most: number;

  /** @param most How many are remembered; the longest unseen are forgotten first. */
  constructor(most: number) {
    this.#most = most;
  }

  learn(tools: readonly Tool[]): void {
    for (const { name, annotations } of tools) {
      if (annotations?.readOnlyHint === true || annotations?.idempotentHint === true)
        addNewest(this.#repeatable, this.#most, name);
      else this.#repeatable.delete(name);
    }
  }

  has(tool: unknown): boolean {
    return typeof tool === 'string' && this.#repeatable.has(tool);
  }
}

/** Counts how often something was done within the last while. */
export class Rate {
  readonly #most: number;
  readonly #windowMs: number;
  #times: readonly number[] = [];

  constructor(most: number, windowMs: number) {
    this.#most = most;
    this.#windowMs = windowMs;
  }

  /** Tells whether doing it once more would be too often. */
  exhausted(now: number): boolean {
    this.#times = this.#times.filter((time) => now - time < this.#windowMs);
    return this.#times.length >= this.#most;
  }

  note(now: number): void {
    this.#times = [...this.#times, now];
  }
}

/** Failures of the first request that an older server would answer with. */
export function disproves(error: unknown): boolean {
  if (error instanceof McpError) return true;
  if (!(error instanceof ConnectionError)) return false;
  const { reason, status = 0 } = error;
  return reason === 'invalid-message' || (reason === 'http' && status >= 400 && status < 500 && status !== 403);
}

/**
 * Tells whether a failure means that the session is over. The transport decides that, since it knows whether there was
 * a session. Without one, a 404 is an ordinary error.
 */
export function isSessionLoss(error: ConnectionError): boolean {
  return error.reason === 'session-lost' || unknownSessions.has(error);
}

/** Tells whether a failure may not happen again. */
export function isPassing(error: unknown): boolean {
  if (error instanceof McpError) return error.kind === 'internalError';
  if (!(error instanceof ConnectionError)) return false;
  const { reason, status = 0 } = error;
  if (reason === 'http') return status === 404 || isTransientStatus(status);
  return ['refused', 'closed', 'exited', 'session-lost', 'timeout'].includes(reason);
}

/** Like `isPassing`, for callers that can also retry when the server is less busy. */
export function mayPass(error: unknown): boolean {
  return isPassing(error) || (error instanceof McpError && error.kind === 'busy');
}
