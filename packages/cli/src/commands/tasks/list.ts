import type { Client } from '../../../../parley/src/client/api/client.ts';
import { walkPages } from '../../../../parley/src/client/api/pages.ts';
import { serverName } from '../../../../parley/src/client/tasks/reference.ts';
import type { TaskReference } from '../../../../parley/src/client/api/task-handle.ts';
import { taskStateOf, type TaskState } from '../../../../parley/src/client/tasks/following/task-state.ts';
import { fromWire } from '../../../../parley/src/protocol/compile/from-wire.ts';
import { listTasksResultShape } from '../../../../parley/src/protocol/features/tasks.ts';
import { revisionOf, revisions, type Revision } from '../../../../parley/src/protocol/revision.ts';
import { openPlace, type ServerPlace } from '../call/place.ts';
import { requestLimits } from '../call/time-limit.ts';
import { clipped, table } from '../explain/text.ts';
import type { Io } from '../io.ts';
import type { ParsedOptions } from '../options.ts';
import { shownJson } from '../shown.ts';
import { keptWords } from './render.ts';

/** Limits of a list. */
const bounds = { maxPages: 100, maxItems: 10_000 };

/** Width to which a list is written. */
const width = 140;

/** Lists the caller's tasks on a server, if its revision supports that. (Spec 2025-11-25, Tasks, Task Listing.) */
export async function listTasks(
  place: ServerPlace,
  { parsed, json }: { readonly parsed: ParsedOptions; readonly json: boolean },
  io: Io,
): Promise<number> {
  const known = revisions.filter((revision) => revision.tasks === 'core').map(({ date }) => date);
  const client = await openPlace(place, { parsed, opening: { known } }, io);
  try {
    const revision = revisionOf(client.revision);
    if (revision?.tasks !== 'core')
      throw new Error(`tasks are listed within ${known.join(' and ')} alone: leave --revision out`);
    if (!client.supports('tasks.list'))
      throw new Error(
        'the server lists no tasks: it did not declare tasks.list; keep the references that --detach prints',
      );
    const found = await statesOf(client, revision, io);
    const tasks = found.map((state) => ({ ...state, reference: referenceOf(state, client) }));
    io.stdout.write(json ? `${shownJson(tasks, 2)}\n` : renderList(tasks));
    return 0;
  } finally {
    await client.close();
  }
}

async function statesOf(client: Client, revision: Revision, io: Io): Promise<readonly TaskState[]> {
  const states: TaskState[] = [];
  const page = async (
    cursor: string | undefined,
  ): Promise<{ items: readonly TaskState[]; nextCursor: string | undefined; ttlMs: number; cacheScope: 'private' }> => {
    const raw = await client.request('tasks/list', cursor === undefined ? {} : { cursor }, requestLimits(io));
    const { tasks, nextCursor } = fromWire(revision, listTasksResultShape, raw);
    return { items: tasks.map(taskStateOf), nextCursor, ttlMs: 0, cacheScope: 'private' };
  };
  for await (const { items } of walkPages(page, bounds)) states.push(...items);
  return states;
}

/** The list does not say which tool a task is of. */
function referenceOf({ taskId, createdAt, ttlMs }: TaskState, client: Client): TaskReference {
  const server = serverName(client.description, client);
  return { server, taskId, revision: client.revision, tool: '', createdAt, ttlMs, answered: [] };
}

function renderList(tasks: readonly TaskState[]): string {
  if (tasks.length === 0) return 'the server has no tasks for you\n';
  const rows = tasks.map(({ taskId, status, statusMessage = '', createdAt, ttlMs }) => [
    clipped(taskId, 100),
    status,
    `${clipped(createdAt, 40)}, kept ${keptWords(createdAt, ttlMs)}${statusMessage === '' ? '' : `: ${clipped(statusMessage, 300)}`}`,
  ]);
  return `${table(rows, width, 0)}parley tasks list --json gives a reference of each, which the other commands take\n`;
}
