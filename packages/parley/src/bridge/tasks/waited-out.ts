/** Calls of tools that run as tasks alone, for clients that ask for no task: each is asked once more as a task, and waited for. */

import type { JsonObject } from '../../protocol/features/common.ts';
import type { TaskOnlyCall } from './attempt.ts';
import { taskFormOf } from './task-forms.ts';
import { waitInCore } from './waited-core.ts';
import { waitInExtension } from './waited-extension.ts';

/**
 * Sends the call as a task, and waits for its end.
 *
 * @returns The result of the call, or the questions for its client.
 * @throws McpError that the call failed with.
 */
export async function waitedOut(attempt: TaskOnlyCall): Promise<JsonObject> {
  return taskFormOf(attempt.client) === 'core' ? await waitInCore(attempt) : await waitInExtension(attempt);
}
