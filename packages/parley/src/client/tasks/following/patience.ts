import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { McpError } from '../../../protocol/error.ts';
import { backoffMs, maxAskedMs } from '../../connection/backoff.ts';
import { mayPass } from '../../connection/retry.ts';
import type { ClientSettings } from '../../requests/settings.ts';
import { TaskGoneError } from '../../api/task-errors.ts';
import type { TaskReference } from '../../api/task-handle.ts';

/** Time for which consecutive failures are retried if the task has no expiry, in milliseconds. */
export const maxOutageMs: number = 60 * 60_000;

/**
 * Retries while a server is unreachable or fails temporarily, until the task expires. Expiry is measured by our own
 * clock, since other clocks may be wrong.
 */
export class Patience {
  readonly #settings: ClientSettings;
  readonly #begunAt: number;
  #failing: { readonly since: number; readonly tries: number; readonly afterMs: number } | undefined;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#begunAt = settings.clock();
  }

  /** Time until the next attempt, in milliseconds; `undefined` if the last one succeeded. */
  get retryMs(): number | undefined {
    const { tries, afterMs } = this.#failing ?? {};
    if (tries === undefined || afterMs === undefined) return undefined;
    return Math.max(backoffMs(tries - 1, this.#settings.random()), afterMs);
  }

  /** The server answered. */
  answered(): void {
    this.#failing = undefined;
  }

  /**
   * An attempt failed.
   *
   * @param over Reason why the connection ended permanently.
   * @throws A failure that cannot be retried, or was retried long enough.
   */
  failed(error: unknown, task: TaskReference, over: Error | undefined): void {
    if (isUnknown(error)) throw new TaskGoneError(task, 'unknown', error);
    if (over !== undefined) throw over;
    if (!mayPass(error)) throw error;
    const now = this.#settings.clock();
    const { since = now, tries = 0 } = this.#failing ?? {};
    const until = task.ttlMs === null ? since + maxOutageMs : this.#begunAt + task.ttlMs;
    if (now >= until && tries > 0) throw new TaskGoneError(task, 'expired', error);
    const afterMs = error instanceof ConnectionError ? Math.min(maxAskedMs, error.retryAfterMs ?? 0) : 0;
    this.#failing = { since, tries: tries + 1, afterMs };
  }
}

/** Tells whether a server reports that it does not know the task. */
export function isUnknown(error: unknown): boolean {
  return error instanceof McpError && error.kind === 'invalidParams';
}
