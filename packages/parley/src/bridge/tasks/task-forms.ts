/** Facts about the tasks of two hops, for every request: it is all that bridges load of tasks before they see one. */

import type { Client } from '../../client/api/client.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { hasServerCapability, hostsTasksOf, type ClientCapabilities } from '../../protocol/capability.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { McpError } from '../../protocol/error.ts';
import { declaresExtension, extensionCapability } from '../../protocol/extension.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { tasksExtension } from '../../protocol/features/tasks.ts';
import { metaKey } from '../../protocol/meta-key.ts';
import { revisionOf, type Revision } from '../../protocol/revision.ts';
import type { ForwardedCall } from '../upstream/forwarded-call.ts';
import type { Pool } from '../upstream/pool.ts';
import type { UpstreamEvents } from '../upstream/upstream-options.ts';

/** The form in which a server has tasks. */
export type TaskForm = Revision['tasks'];

/** The form of a server's tasks; `none` if it declares none. */
export function taskFormOf({ capabilities, revision }: Pick<Client, 'capabilities' | 'revision'>): TaskForm {
  const form = revisionOf(revision)?.tasks;
  if (form === 'core') return capabilities.tasks === undefined ? 'none' : 'core';
  return form === 'extension' && Object.hasOwn(capabilities.extensions ?? {}, tasksExtension) ? 'extension' : 'none';
}

/** Beginning of the channels on which those processes listen that hold the result of a task. */
export const heldChannels = 'parley/held/';

/** Beginning of a `requestState` that speaks of a task which the bridge waits for. */
export const waitedState = 'parley-task.';

/**
 * Tells whether a server rejected a call because the tool requires a task. It does so before anything runs: in
 * 2025-11-25 with the code of an unknown method, in the extension with that of a missing capability. (Spec 2025-11-25,
 * Tasks, Tool-Level Negotiation; ext-tasks, Capabilities.)
 *
 * @param wish The task wish of the call.
 */
export function isTaskOnly(error: unknown, client: Pick<Client, 'capabilities' | 'revision'>, wish: unknown): boolean {
  if (!(error instanceof McpError) || wish !== undefined) return false;
  const { kind, data } = error;
  const form = taskFormOf(client);
  if (form === 'core')
    return kind === 'methodNotFound' && hasServerCapability(client.capabilities, 'tasks.requests.tools.call');
  const required = isObject(data) ? data['requiredCapabilities'] : undefined;
  if (form !== 'extension' || kind !== 'missingRequiredClientCapability' || !isObject(required)) return false;
  const { extensions, ...others } = required;
  const ids = isObject(extensions) ? Object.keys(extensions) : [];
  return Object.keys(others).length === 0 && ids.length === 1 && ids[0] === tasksExtension;
}

/**
 * The refusal of a tool that requires a task, in the form of the client's revision. A client that could declare the
 * extension gets that advice. (Spec ext-tasks, Capabilities.)
 */
export function taskOnlyFor(error: unknown, call: Pick<ForwardedCall, 'facts' | 'client'>): unknown {
  const { facts } = call;
  if (facts.tasks !== 'extension' || takesTasks(call)) return error;
  if (!(error instanceof McpError) || error.kind !== 'methodNotFound') return error;
  const data = { requiredCapabilities: extensionCapability(tasksExtension) };
  return new McpError('missingRequiredClientCapability', error.message, { data, cause: error });
}

/** Tells whether a bridge keeps the tasks of a client itself: it drives them, and the server has them in the form that servers drive. */
export function keepsTasks(client: Pick<Revision, 'tasks'>, form: TaskForm): boolean {
  return client.tasks === 'core' && form === 'extension';
}

/** The form of the server that a pool reaches; `none` if it was not reached yet. */
export function taskFormBehind({ main: { latest } }: Pick<Pool, 'main'>): TaskForm {
  return latest === undefined ? 'none' : taskFormOf(latest);
}

/**
 * Removes the task wish from a server's question, unless the server knows that its client supports tasks. A wish
 * without a declaration is ignored. In a method that the protocol does not know, the field is no wish. (Spec
 * 2025-11-25, Tasks, Capability negotiation.)
 *
 * @param declared Capabilities that the server received.
 */
export function withoutWish(method: string, params: JsonObject, declared: ClientCapabilities = {}): JsonObject {
  if (params['task'] === undefined || methodOf(method) === undefined || hostsTasksOf(method, declared)) return params;
  const { task: _, ...plain } = params;
  return plain;
}

/** Tells whether a server asks its client for a task, or about one. */
export function isOfClientTask(method: string, params: JsonObject): boolean {
  const row = methodOf(method);
  return row !== undefined && (params['task'] !== undefined || row.needs?.split('.')[0] === 'tasks');
}

/** The id of the task that a message belongs to, if it names one. (Spec 2025-11-25, Tasks, Related Task Metadata.) */
export function relatedTaskOf({ _meta: meta }: JsonObject): string | undefined {
  const related = isObject(meta) ? meta[metaKey.relatedTask] : undefined;
  const taskId = isObject(related) ? related['taskId'] : undefined;
  return typeof taskId === 'string' ? taskId : undefined;
}

/** Removes that task id from params. */
export function withoutRelated(params: JsonObject): JsonObject {
  if (relatedTaskOf(params) === undefined) return params;
  const { _meta: meta, ...rest } = params;
  const { [metaKey.relatedTask]: _, ...others } = isObject(meta) ? meta : {};
  return { ...rest, _meta: others };
}

/** Sends a message with the task id that its client knows. If the client does not know the task, the id is left out. */
export function related(
  events: Pick<UpstreamEvents, 'related'>,
  params: JsonObject,
  tell: (named: JsonObject) => void,
): void {
  if (relatedTaskOf(params) === undefined) tell(params);
  else if (events.related === undefined) tell(withoutRelated(params));
  else events.related(params, tell);
}

/** Tells whether the client of a request takes tasks in place of results, whatever it asks for. */
export function takesTasks({ facts, client }: Pick<ForwardedCall, 'facts' | 'client'>): boolean {
  return facts.tasks === 'extension' && declaresExtension(facts, client.capabilities, tasksExtension);
}

/**
 * Tells whether a client's task wish is forwarded with its call. A server that did not declare tasks for calls must not
 * get one. (Spec 2025-11-25, Tasks, Capability negotiation.)
 */
export function carriesWish(
  call: Pick<ForwardedCall, 'method' | 'facts' | 'client'>,
  revision: Revision,
  { capabilities }: Pick<Client, 'capabilities'>,
): boolean {
  return (
    call.method === 'tools/call' &&
    (call.facts.tasks === 'core' || takesTasks(call)) &&
    revision.tasks === 'core' &&
    hasServerCapability(capabilities, 'tasks.requests.tools.call')
  );
}

/** Tools of a server that a bridge has run as tasks for clients of the extension. */
export type TasksAsked = 'required' | 'always';

/**
 * The params of a call with the task wish to forward. In the extension the server alone decides. For a server of
 * 2025-11-25, the bridge decides in its place. (Spec ext-tasks, Creating tasks.)
 *
 * @param support The tool's task support.
 */
export function wished(
  params: JsonObject,
  call: Pick<ForwardedCall, 'facts' | 'client'>,
  { form, support, tasks }: { readonly form: TaskForm; readonly support: unknown; readonly tasks: TasksAsked },
): JsonObject {
  if (call.facts.tasks !== 'extension' || form !== 'core') return params;
  const { task: _, ...plain } = params;
  const isTask = support === 'required' || (support === 'optional' && tasks === 'always');
  return isTask && takesTasks(call) ? { ...plain, task: {} } : plain;
}

/**
 * Tells whether a server answered a call with a task. In 2025-11-25 it may do so if a task was requested; an answer
 * with content is a result.
 *
 * @param wish The task wish of the call.
 */
export function isTask(result: JsonObject, form: TaskForm, wish: unknown): boolean {
  if (form === 'extension') return result['resultType'] === 'task';
  return form === 'core' && wish !== undefined && isObject(result['task']) && result['content'] === undefined;
}
