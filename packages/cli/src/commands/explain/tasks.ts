import type { ServerCapabilities } from '../../../../parley/src/protocol/capability.ts';
import { declaresExtension } from '../../../../parley/src/protocol/extension.ts';
import { tasksExtension } from '../../../../parley/src/protocol/features/tasks.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import type { Offer } from '../../compatibility/offer.ts';
import type { TasksExplained } from './report.ts';
import { clipped, table } from './text.ts';

/** Tells whether the list of tools says which of them are tasks. (Spec 2025-11-25, Tasks, Tool-Level Negotiation.) */
export function listsTasks(revision: Revision, { tasks }: ServerCapabilities): boolean {
  return revision.tasks === 'core' && tasks?.requests?.tools?.call !== undefined;
}

/** Account of what a server does with tasks in one revision; `undefined` where that is nothing. */
export function tasksOf(
  revision: Revision,
  capabilities: ServerCapabilities,
  tools: Offer['tools'],
): TasksExplained | undefined {
  if (revision.tasks === 'extension')
    return declaresExtension(revision, capabilities, tasksExtension)
      ? { revision: revision.date, surface: 'extension', cancel: true, list: false }
      : undefined;
  const { tasks } = capabilities;
  if (revision.tasks !== 'core' || tasks === undefined) return undefined;
  const named = (support: string): readonly string[] =>
    (tools?.items ?? []).flatMap(({ name, execution }) => (execution?.taskSupport === support ? [name] : []));
  const found = { optional: named('optional'), required: named('required'), more: tools?.more === true };
  return {
    revision: revision.date,
    surface: 'core',
    cancel: tasks.cancel !== undefined,
    list: tasks.list !== undefined,
    ...(listsTasks(revision, capabilities) && { tools: found }),
  };
}

/** Number of tools that are named. */
const maxNames = 20;

/** Writes what a server does with tasks. */
export function renderTasks(tasks: readonly TasksExplained[], width: number): string {
  return `tasks\n${table(
    tasks.map((one) => [one.revision, sentence(one)]),
    width,
  )}`;
}

function sentence({ surface, cancel, list, tools }: TasksExplained): string {
  if (surface === 'extension')
    return 'by the extension: the server decides which calls become tasks, and says so of no tool; it can be asked to cancel them, and lists none';
  const can = `it ${cancel ? 'cancels' : 'does not cancel'} them, and ${list ? 'lists them' : 'lists none'}`;
  if (tools === undefined) return `declared, but no call of a tool can be one; ${can}`;
  const { optional, required, more } = tools;
  const words = [
    ...(optional.length > 0
      ? [`${names(optional)} may be called as ${optional.length === 1 ? 'a task' : 'tasks'}`]
      : []),
    ...(required.length > 0
      ? [`${names(required)} can be called as ${required.length === 1 ? 'a task' : 'tasks'} alone`]
      : []),
  ];
  const some = words.length > 0 ? words.join(', ') : 'no tool that was listed can be one';
  return `where the client asks: ${some}${more ? ' (the list goes on)' : ''}; ${can}`;
}

function names(list: readonly string[]): string {
  const shown = list.slice(0, maxNames).map((name) => clipped(name, 100));
  return `${shown.join(', ')}${list.length > maxNames ? ', …' : ''}`;
}
