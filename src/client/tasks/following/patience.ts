import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { McpError } from '../../../protocol/error.ts';
import { backoffMs, longestAskedMs } from '../../connection/backoff.ts';
import { mayPass } from '../../connection/retry.ts';
import type { ClientSettings } from '../../options.ts';
import { TaskGoneError } from '../errors.ts';
import type { TaskReference } from '../task-handle.ts';

/** Time for which failures in a row are waited out where a task is kept without limit, in milliseconds. */
export const longestOutageMs: number = 60 * 60_000;

/**
 * Patience with a server that is not reached, or answers with what may pass: it lasts as long as the task is kept. That is measured by our
 * own clock, since those of others may be anything.
 */
export class Patience {
  readonly #settings: ClientSettings;
  readonly #begunAt: number;
  #failing: { readonly since: number; readonly tries: number; readonly afterMs: number } | undefined;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#begunAt = settings.clock();
  }

  /** Time until the next attempt, in milliseconds; `undefined` where the last one went well. */
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
   * @param over Reason why the connection is over for good.
   * @throws What cannot be waited out, or was waited out long enough.
   */
  failed(error: unknown, task: TaskReference, over: Error | undefined): void {
    if (isUnknown(error)) throw new TaskGoneError(task, 'unknown', error);
    if (over !== undefined) throw over;
    if (!mayPass(error)) throw error;
    const now = this.#settings.clock();
    const { since = now, tries = 0 } = this.#failing ?? {};
    const until = task.ttlMs === null ? since + longestOutageMs : this.#begunAt + task.ttlMs;
    if (now >= until && tries > 0) throw new TaskGoneError(task, 'expired', error);
    const afterMs = error instanceof ConnectionError ? Math.min(longestAskedMs, error.retryAfterMs ?? 0) : 0;
    this.#failing = { since, tries: tries + 1, afterMs };
  }
}

/** Tells whether a server says that it knows no such task. */
export function isUnknown(error: unknown): boolean {
  return error instanceof McpError && error.kind === 'invalidParams';
}
