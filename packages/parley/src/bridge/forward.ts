import type { Client } from '../client/api/client.ts';
import type { ToleratedFaults } from '../client/api/tolerated.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { RequestOptions } from '../client/api/request-options.ts';
import { passedOn } from '../server/runtime/extension-result.ts';
import { isAskedForLists } from '../connection/gate.ts';
import { requireCapabilities } from '../connection/required-capabilities.ts';
import type { JsonObject, ProgressToken } from '../protocol/features/common.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import { declaredExtensions } from '../protocol/extension.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/compile/from-wire.ts';
import { metaKey } from '../protocol/meta.ts';
import { methodOf } from '../protocol/catalogue.ts';
import { newestRevision, revisionOf, type Revision } from '../protocol/revision.ts';
import {
  inputRequiredResultShape,
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
} from '../protocol/features/rounds.ts';
import { createTaskResultShape } from '../protocol/features/tasks.ts';
import {
  carriesWish,
  isTask,
  isTaskOnly,
  takesTasks,
  taskFormOf,
  taskOnlyFor,
  waitedState,
  type TaskForm,
} from './tasks/task-forms.ts';
import type { AskedByResults, TaskWaitParts } from './tasks/attempt.ts';
import type { ForwardedCall } from './upstream/forwarded-call.ts';
import { declaredIn } from './declared.ts';
import { failureFor, wordsOf } from './failure.ts';
import { GuardedState } from './guarded-state.ts';

const servedUndeclared: ReadonlySet<string> = new Set(['tools', 'resources', 'prompts', 'completions']);

/**
 * Tells whether a request is forwarded to a server that did not declare its feature: some serve it all the same. A log
 * level is rejected, since it is unknown whether messages will come.
 */
export function asksUndeclared(declared: ServerCapabilities, feature: string, method: string): boolean {
  return servedUndeclared.has(feature) && (methodOf(method)?.list === undefined || isAskedForLists(declared));
}

/** The `_meta` keys that concern one hop. They are set again for the next one. */
const hopKeys: ReadonlySet<string> = new Set([
  'progressToken',
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.logLevel,
]);

/** Result types that are the protocol's own. */
const protocolKinds: ReadonlySet<unknown> = new Set([undefined, 'complete', 'input_required']);

/** Limit of questions that a handshake client is asked at once for one call: each of them waits for its answer. */
const maxAtOnce = 100;

/** One request on its way up. */
export interface ForwardedRequest {
  /** In the canonical model. */
  readonly params: JsonObject;
  readonly call: ForwardedCall;
  /** Requests progress from the upstream, if the client wants it. */
  readonly progressToken: ProgressToken | undefined;
  /**
   * Receives the function that ends the progress of a call with a task wish, if progress continues after the answer.
   */
  readonly holdProgress: ((release: () => void) => void) | undefined;
  /** True if the connection belongs to the client of the request alone, and carried its description from the start. */
  readonly own: boolean;
  /** Parts that it needs where its client is asked by results. */
  readonly waiting: AskedByResults | undefined;
  /** Receives tolerated faults in results. */
  readonly tolerated: ToleratedFaults;
  /** Receives the id of the sent request. */
  onSent(id: number): void;
  /** Called when the upstream was sent a cancellation of the call. */
  onGivenUp(): void;
  /** Called if the upstream answered after the call was cancelled. */
  onLateAnswer(): void;
}

/** The revision that a client speaks. */
export function revisionFor(client: Pick<Client, 'revision'>): Revision {
  return revisionOf(client.revision) ?? newestRevision;
}

/**
 * Forwards one request to the upstream and its result back, both in the canonical model.
 *
 * @throws McpError from the upstream, or an internal error with the cause.
 */
export async function forward(client: Client, outgoing: ForwardedRequest): Promise<JsonObject> {
  const { params, call, waiting } = outgoing;
  const asks = methodOf(call.method)?.inputRequired === true && revisionFor(client).resultsAsk;
  // Only a client of the stateless version gets the server's state, and only a principal identifies the client.
  if (!asks || !call.facts.resultsAsk || waiting === undefined || call.auth === undefined)
    return await carry(client, outgoing);
  const state = new GuardedState(waiting, call, params);
  return await state.sealed(await carry(client, { ...outgoing, params: await state.opened(params) }));
}

async function carry(client: Client, outgoing: ForwardedRequest): Promise<JsonObject> {
  const { params, call } = outgoing;
  const waiting = waitingIn(outgoing);
  const { _meta: _, task: wish, ...rest } = params;
  const revision = revisionFor(client);
  // In a method that the protocol does not know, the field is no task wish.
  const isCarried = methodOf(call.method) === undefined || carriesWish(call, revision, client);
  const task = isCarried ? wish : undefined;
  const sent = { ...rest, ...(task === undefined ? {} : { task }), ...answersOf(call, revision) };
  const options = optionsFor(outgoing, revision);
  const quiet = call.method === 'tools/list' && client.supports('tools');
  const read = (result: JsonObject): JsonObject =>
    lifted(result, outgoing, { revision, form: taskFormOf(client), task, quiet });
  try {
    const { requestState } = sent as JsonObject;
    if (waiting !== undefined && typeof requestState === 'string' && requestState.startsWith(waitedState)) {
      const late = await import('./tasks/waited-extension.ts');
      const attempt = { client, revision, call, params, sent, options, waiting, read };
      return await late.goOnWaiting(attempt, requestState, (sent as JsonObject)['inputResponses']);
    }
    const waitedOut = async (by: TaskWaitParts): Promise<JsonObject> => {
      const late = await import('./tasks/waited-out.ts');
      return await late.waitedOut({ client, revision, call, params, sent, options, waiting: by, read });
    };
    // Some servers refuse a call that is no task by a result, which is an answer of the tool like any other.
    const isListed = task === undefined && taskFormOf(client) === 'core' && call.method === 'tools/call';
    if (isListed && waiting?.isTaskOnly(String(params['name'])) === true) return await waitedOut(waiting);
    try {
      return read(await client.request(call.method, sent, options));
    } catch (error) {
      if (call.method !== 'tools/call' || !isTaskOnly(error, client, task)) throw error;
      if (waiting === undefined) throw taskOnlyFor(error, call);
      return await waitedOut(waiting);
    }
  } catch (error) {
    throw failureFor(error, { call, params, revision });
  }
}

/** Code for waiting for a task; `undefined` if calls of tools that require tasks are rejected. */
function waitingIn({ waiting }: ForwardedRequest): TaskWaitParts | undefined {
  const isTaskOnly = waiting?.isTaskOnly;
  return waiting === undefined || isTaskOnly === undefined ? undefined : { ...waiting, isTaskOnly };
}

/** The options of the forwarded request. */
function optionsFor(outgoing: ForwardedRequest, revision: Revision) {
  const { params, call, progressToken, holdProgress, own, onSent, onGivenUp, onLateAnswer } = outgoing;
  return {
    // The client of the bridge sets the deadlines. If it cancels, the upstream is notified.
    timeoutMs: 0,
    signal: call.signal,
    logLevel: call.logLevel,
    progressToken,
    caller: call.auth,
    onSent,
    onGivenUp,
    onLateAnswer,
    ...(own
      ? {}
      : { clientInfo: call.client.info, capabilities: declaredIn(call.facts, revision, call.client.capabilities) }),
    // Cacheable results are cached for clients whose revision has no cache hints. Other clients cache them themselves.
    ...(call.facts.cacheHints ? {} : { cache: 'use' as const }),
    ...resultTypesFor(call),
    ...(holdProgress === undefined ? {} : { task: { holdProgress } }),
    ...forwardedMeta(params['_meta']),
  };
}

/** Kinds of results that may come beside those of every method. */
function resultTypesFor(call: ForwardedCall): Pick<RequestOptions, 'resultTypes'> {
  if (mayBeOfExtension(call)) return { resultTypes: 'any' };
  return mayBeTask(call) ? { resultTypes: ['task'] } : {};
}

/** Some servers use that result type for their answers to `tasks/get` too. (ext-tasks, in its examples of errors.) */
function mayBeTask(call: ForwardedCall): boolean {
  return (call.method === 'tools/call' || call.method === 'tasks/get') && takesTasks(call);
}

/**
 * A client that declared extensions may get an extension result in place of the result of a method. A bridge does not
 * know which extension it is.
 */
function mayBeOfExtension({ method, facts, client }: ForwardedCall): boolean {
  const row = methodOf(method);
  // Before results had a type, a protocol method could return only its own result.
  if (row !== undefined && !(facts.resultTypes && row.inputRequired === true)) return false;
  return Object.keys(declaredExtensions(facts, client.capabilities)).length > 0;
}

/** The client's `_meta` keys that are forwarded: all but those that concern one hop. */
export function forwardedMeta(meta: unknown): Pick<RequestOptions, 'meta'> {
  if (!isObject(meta)) return {};
  const entries = Object.entries(meta).filter(([key]) => !hopKeys.has(key));
  return entries.length === 0 ? {} : { meta: Object.fromEntries(entries) };
}

/**
 * Answers of a client to requests, which go up with the retry; one that is asked by results sends its answers itself.
 */
function answersOf({ facts, inputResponses, requestState }: ForwardedCall, revision: Revision): JsonObject {
  if (facts.resultsAsk || !revision.resultsAsk) return {};
  return {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** The facts about a forwarded request. */
interface Sent {
  readonly revision: Revision;
  /** The form in which the upstream has tasks. */
  readonly form: TaskForm;
  /** The task wish that was sent with it. */
  readonly task: unknown;
  /** True if the connection lists the same itself, and warns of malformed entries. */
  readonly quiet: boolean;
}

function lifted(
  result: JsonObject,
  { call, tolerated }: Pick<ForwardedRequest, 'call' | 'tolerated'>,
  { revision, form, task, quiet }: Sent,
): JsonObject {
  const { method } = call;
  const row = methodOf(method);
  const { resultType } = result;
  const isOfTask = revision.resultTypes && resultType === 'task';
  if (isOfTask && !(form === 'extension' && mayBeTask(call)))
    throw new McpError('internalError', `the upstream server answered ${method} with a task, which was not asked for`);
  // Only clients that may receive such a result get here with one. It is forwarded unchanged.
  if (revision.resultTypes && !isOfTask && !protocolKinds.has(resultType))
    return passedOn(result) as unknown as JsonObject;
  const asks = row?.inputRequired === true && revision.resultsAsk && resultType === 'input_required';
  const isCreated = method === 'tools/call' && isTask(result, form, task);
  const type = isCreated ? createTaskResultShape : asks ? inputRequiredResultShape : row?.result;
  if (type === undefined) return result;
  try {
    // Every result type is an object with string keys. A client of the same revision gets malformed parts unchanged.
    // The tables of another revision cannot convert them.
    const keeps = call.facts === revision;
    const lenience = tolerated.in(method, 'left out for clients of other versions', undefined, { keeps, quiet });
    const read = fromWire(revision, type, result, lenience) as unknown as JsonObject;
    // A result that was read as input-required has that type.
    return asks ? askable(read as unknown as InputRequiredResult, call) : read;
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    throw new McpError('internalError', `the upstream server's result of ${method} is malformed: ${error.message}`, {
      cause: error,
    });
  }
}

/** Questions of the upstream, as the client of the call can be asked them. */
function askable(result: InputRequiredResult, { method, facts, client }: ForwardedCall): JsonObject {
  const { inputRequests } = result;
  const count = Object.keys(inputRequests ?? {}).length;
  if (!facts.resultsAsk && count > maxAtOnce)
    throw new McpError('internalError', `the upstream server asks ${count} questions at once for ${method}`);
  for (const { method: asked, params = {} } of Object.values(inputRequests ?? {})) {
    try {
      // Params of questions are JSON objects. Spec 2026-07-28, MRTR: nothing is asked that the client did not declare.
      requireCapabilities(asked, params as unknown as JsonObject, facts, client.capabilities);
    } catch (error) {
      const why = wordsOf(error);
      throw new McpError('internalError', `the upstream server wants input for ${method}: ${why}`, { cause: error });
    }
  }
  if (inputRequests === undefined) return { ...result };
  return { ...result, inputRequests: withParams(inputRequests) };
}

/** Some clients read no question without params, which only one for roots may leave out. */
function withParams(inputRequests: InputRequests): InputRequests {
  const whole = Object.entries(inputRequests).map(([key, request]): [string, InputRequest] =>
    request.method === 'roots/list' && request.params === undefined
      ? [key, { ...request, params: {} }]
      : [key, request],
  );
  return Object.fromEntries(whole);
}
