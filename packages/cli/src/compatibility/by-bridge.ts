/** Messages of which a bridge makes other ones, or answers itself: no projection says what the other side gets. */

import { isFields, type ObjectFields } from '../../../parley/src/protocol/compile/value.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { exists, type Fidelity } from './cells.ts';
import { features } from './fidelity.ts';

/** Fate of such a message, in the words of its line. */
export interface ByBridge {
  readonly kind: 'bridge' | 'refused';
  readonly why: string;
}

/** Text that stands for an id that a bridge makes up, or by which the other hop knows what is meant. */
export const madeUp: string = '(made up by the bridge)';

const lines = new Map(features.map((feature) => [feature.id, feature]));

/** Task methods, by the line that covers them. */
const ofTasks: ReadonlyMap<string, string> = new Map([
  ['tasks/get', 'tasks-methods'],
  ['tasks/result', 'tasks-methods'],
  ['tasks/cancel', 'tasks-methods'],
  ['tasks/update', 'tasks-methods'],
  ['tasks/list', 'tasks-list'],
  ['notifications/tasks', 'tasks-notices'],
  ['notifications/tasks/status', 'tasks-notices'],
]);

/** Messages of change streams: those of a bridge cover the subscriptions of all its clients. */
const ofStreams: ReadonlySet<string> = new Set(['subscriptions/listen', 'notifications/subscriptions/acknowledged']);

/** The revisions of the two sides. */
export interface Sides {
  readonly client: Revision;
  readonly server: Revision;
}

/** Fate of a message that a bridge does not pass on; `undefined` for one that it projects. */
export function byBridge(method: string, value: unknown, sides: Sides): ByBridge | undefined {
  const { client, server } = sides;
  const line = ofTasks.get(method);
  if (line !== undefined) return client.tasks === server.tasks ? undefined : told(line, sides);
  if (ofStreams.has(method))
    return exists('subscriptions/listen', client) === exists('subscriptions/listen', server)
      ? { kind: 'bridge', why: 'the bridge listens in streams of its own, and tells each client what it asked for' }
      : told('resource-subscriptions', sides);
  if (!isFields(value)) return undefined;
  if (value['resultType'] === 'input_required' && server.resultsAsk && !client.resultsAsk) return told('rounds', sides);
  if (method === 'tools/call' && standsForTask(value, server) && client.tasks !== server.tasks)
    return told(client.tasks === 'none' ? 'tasks-only' : 'tasks-created', sides);
  return undefined;
}

/** Tells whether a result of a call stands for a task, in the form of a revision. */
export function standsForTask(value: unknown, { tasks }: Revision): boolean {
  if (!isFields(value)) return false;
  if (tasks === 'extension') return value['resultType'] === 'task';
  return tasks === 'core' && isFields(value['task']) && value['content'] === undefined;
}

function told(id: string, { client, server }: Sides): ByBridge {
  const line = lines.get(id);
  const cell: Fidelity = line?.between(client, server) ?? { kind: 'carried' };
  const words = cell.kind === 'changed' ? cell.how : cell.kind === 'refused' ? cell.why : cell.nothing;
  return {
    kind: cell.kind === 'refused' ? 'refused' : 'bridge',
    why: `${line?.title ?? id}: ${words ?? 'the bridge answers itself'}`,
  };
}

/** A place of a part of a message at which an id of a hop stands. */
export interface OwnId {
  readonly path: string;
  readonly title: string;
  /** Kind of the change, where nothing stands in its place. */
  readonly kind?: 'left-out';
}

/** A part of a message, with the places of it at which something stands for what belongs to a hop. */
export interface WithOwnIds {
  readonly value: unknown;
  readonly ids: readonly OwnId[];
}

const ofHop: OwnId = { path: '.requestId', title: 'The id of a request: each hop counts its own' };
const reasons: OwnId = { path: '.reason', title: 'A reason without words stays at the bridge', kind: 'left-out' };

/** A cancellation names a request of its hop; words that say why go on. */
function cancellation({ reason, ...others }: ObjectFields): WithOwnIds {
  const isTold = typeof reason === 'string' && reason !== '';
  const value = isTold ? { ...others, reason } : others;
  return {
    value: value['requestId'] === undefined ? value : { ...value, requestId: madeUp },
    ids: reason === undefined || isTold ? [ofHop] : [ofHop, reasons],
  };
}

const taskIds = 'The id of a task: that of the bridge';

/** Replaces the ids of this hop by placeholders for those of the other. Returns the same object if there is none. */
export function withOwnIds(
  { method, part, value }: { readonly method: string; readonly part: 'params' | 'result'; readonly value: unknown },
  sender: Revision,
): WithOwnIds {
  if (!isFields(value)) return { value, ids: [] };
  if (method === 'notifications/cancelled') return cancellation(value);
  const own = { value: { ...value, taskId: madeUp }, ids: [{ path: '.taskId', title: taskIds }] };
  if (ofTasks.has(method)) {
    if (typeof value['taskId'] === 'string') return own;
    const { tasks } = value;
    if (!Array.isArray(tasks)) return { value, ids: [] };
    return {
      value: { ...value, tasks: tasks.map((task: unknown) => (isFields(task) ? { ...task, taskId: madeUp } : task)) },
      ids: tasks.map((_, at) => ({ path: `.tasks[${at}].taskId`, title: taskIds })),
    };
  }
  if (method !== 'tools/call' || part === 'params' || !standsForTask(value, sender)) return { value, ids: [] };
  if (!isFields(value['task'])) return own;
  return {
    value: { ...value, task: { ...value['task'], taskId: madeUp } },
    ids: [{ path: '.task.taskId', title: taskIds }],
  };
}
