import type { Call } from '../runtime/call.ts';
import { notFound } from '../../connection/gate.ts';
import { declaresExtension, extensionCapability } from '../../protocol/extension.ts';
import { McpError } from '../../protocol/error.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import type { TaskUse } from '../definition/task-definition.ts';

/** Way in which a call of a tool is served: as it is, as a task at once, or as one that may become a task. */
export type CallWay = 'call' | 'task' | 'later';

/**
 * Chooses how a call is served, by its revision, by the client's capabilities and wish, and by its tool.
 *
 * @param use Use of tasks for the tool; `undefined` if it has none.
 * @throws McpError methodNotFound, or missingRequiredClientCapability with the extension, if tool and client do not
 * match. (Spec 2025-11-25, Tasks, Tool-Level
 * Negotiation; ext-tasks, Capabilities.)
 */
export function callWay(use: TaskUse | undefined, wish: object | undefined, call: Call): CallWay {
  const { facts } = call;
  switch (facts.tasks) {
    case 'none':
      if (use?.support === 'required')
        throw notFound(call.method, `of this tool needs tasks, which ${facts.date} does not have`);
      return 'call';
    case 'core':
      if (wish === undefined && use?.support === 'required')
        throw notFound(call.method, 'of this tool is a task alone: send params.task');
      if (wish !== undefined && use === undefined)
        throw notFound(call.method, 'of this tool is no task: leave params.task out');
      return wish === undefined ? 'call' : 'task';
    case 'extension':
      if (use === undefined) return 'call';
      if (use.support === 'required') requireExtension(call, 'this tool');
      else if (!hasExtension(call)) return 'call';
      return use.after === 0 || (use.after === undefined && use.support === 'required') ? 'task' : 'later';
  }
}

/** Tells whether the client of a request declared the extension with it. */
export function hasExtension({ facts, client }: Call): boolean {
  return facts.tasks === 'extension' && declaresExtension(facts, client.capabilities, tasksExtension);
}

/** @throws McpError missingRequiredClientCapability that names the extension. */
export function requireExtension(call: Call, what: string): void {
  if (hasExtension(call)) return;
  throw new McpError(
    'missingRequiredClientCapability',
    `${what} needs the extension ${tasksExtension}, which the client did not declare with this request`,
    { data: { requiredCapabilities: extensionCapability(tasksExtension) } },
  );
}
