import { after } from '../../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { aborted } from '../../../peer/pending.ts';
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
 * @throws What the task failed with, and why the wait could not go on.
 */
export async function untilFinished(
  task: FollowedTask,
  { signal, ms = 0, usedMs = 0 }: FinishLimits,
): Promise<CallToolResult> {
  if (signal?.aborted === true) throw aborted('tools/call', signal);
  let over = (): void => {};
  try {
    return await new Promise<CallToolResult>((resolve, reject) => {
      const unwatch = task.watch({
        wants: reject,
        ended: (outcome) => {
          if ('result' in outcome) resolve(outcome.result);
          else reject(outcome.error as Error);
        },
      });
      const onAbort = (): void => {
        if (signal !== undefined) reject(aborted('tools/call', signal));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const cancel = after(ms === 0 ? Infinity : Math.max(1, ms - usedMs), () =>
        reject(new ConnectionError('timeout', `tools/call did not end within ${ms} ms`)),
      );
      over = () => {
        unwatch();
        cancel();
        signal?.removeEventListener('abort', onAbort);
      };
    });
  } finally {
    over();
  }
}
