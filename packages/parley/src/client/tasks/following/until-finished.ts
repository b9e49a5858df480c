import { runOnAbort } from '../../../jsonrpc/run-on-abort.ts';
import { after, monotonicNow } from '../../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { aborted } from '../../../connection/pending.ts';
import type { CallToolResult } from '../../../protocol/features/tools.ts';
import type { FollowedTask } from './followed-task.ts';

/** Limits of a wait for a result. */
export interface FinishLimits {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait, in milliseconds; 0, Infinity and `undefined` mean no limit. */
  readonly ms?: number | undefined;
  /** Part of it that is over, in milliseconds. */
  readonly usedMs?: number | undefined;
}

/**
 * Waits for the result of a task.
 *
 * @throws The error of the task, or the reason why the wait could not continue.
 */
export async function untilFinished(
  task: FollowedTask,
  { signal, ms = 0, usedMs = 0 }: FinishLimits,
): Promise<CallToolResult> {
  if (signal?.aborted === true) throw aborted('tools/call', signal);
  let over = (): void => {};
  try {
    return await new Promise<CallToolResult>((resolve, reject) => {
      const clock = new Clock(ms === 0 ? Infinity : ms - usedMs, () =>
        reject(
          new ConnectionError('timeout', `tools/call did not end within ${Math.round(ms)} ms (maxTotalTimeoutMs)`),
        ),
      );
      const unwatch = task.watch({
        wants: reject,
        // As between the rounds of a call, the time that a person takes is not the server's.
        asks: (isAsking) => (isAsking ? clock.stop() : clock.start()),
        ended: (outcome) => {
          if ('result' in outcome) resolve(outcome.result);
          else reject(outcome.error as Error);
        },
      });
      const unlistened = signal && runOnAbort(signal, () => reject(aborted('tools/call', signal)));
      over = () => {
        unwatch();
        clock.stop();
        unlistened?.();
      };
    });
  } finally {
    over();
  }
}

/** A limit of time that can stand still. */
class Clock {
  readonly #over: () => void;
  #leftMs: number;
  #since = 0;
  #cancel: (() => void) | undefined;

  constructor(ms: number, over: () => void) {
    this.#leftMs = ms;
    this.#over = over;
    this.start();
  }

  start(): void {
    this.stop();
    this.#since = monotonicNow();
    this.#cancel = after(this.#leftMs, this.#over);
  }

  stop(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#leftMs -= monotonicNow() - this.#since;
  }
}
