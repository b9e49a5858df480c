import type { RequestId } from '../../../jsonrpc/message.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { McpError } from '../../../protocol/error.ts';
import { answerType } from '../../../protocol/task-answer.ts';
import { fromWire } from '../../../protocol/compile/from-wire.ts';
import { methodOf } from '../../../protocol/catalogue.ts';
import { maySend } from '../../../protocol/method.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { toWire } from '../../../protocol/compile/to-wire.ts';
import type { Ask, ClientRequester, AskMethod, TaskQuestion } from '../../../connection/client-request.ts';
import { hasClientCapability, hostsTasksOf } from '../../../protocol/capability.ts';
import type { Call, ClientView } from '../call.ts';
import { requireCapabilities } from '../../../connection/required-capabilities.ts';
import { newSeed, MemoizedSteps, type Effect } from '../../../connection/memoized-steps.ts';
import { tooLate } from './too-late.ts';
import { question, type QuestionOrigin, type QuestionWay } from './question.ts';

/** Number of times that a question is sent before an invalid answer counts as an error. */
const attempts = 3;

/** The way to ask the client of one session, and what it supports. */
export interface SessionWay extends QuestionWay {
  readonly client: ClientView;
  /** Set if the answer should come as a task. */
  readonly task?: TaskQuestion | undefined;
}

/** Asks as the session-based revisions do: by requests to the client while the call waits. */
export class LiveRequester implements ClientRequester {
  readonly #call: Call;
  readonly #way: SessionWay;
  readonly #once: MemoizedSteps;

  constructor(call: Call, way: QuestionWay) {
    this.#call = call;
    this.#way = { ...way, client: call.client };
    this.#once = new MemoizedSteps({}, () => (call.seed ??= newSeed()));
  }

  async ask<T>({ method, params, signal, task, accept }: Ask<T>): Promise<T> {
    // The signal already reports a cancelled call.
    if (this.#call.over && !this.#call.aborted) throw tooLate(method);
    const put = questionOf(method, params, originOf(this.#call, signal), { ...this.#way, task });
    let problem = '';
    for (let attempt = 0; attempt < attempts; attempt++) {
      const accepted = await accept(await put());
      if (accepted.problem === undefined) return accepted.value;
      problem = accepted.problem;
    }
    throw new McpError('invalidParams', `the client's answer to ${method} does not fit: ${problem}`);
  }

  once<T>(key: string, run: Effect<T>): Promise<T> {
    if (this.#call.aborted) return Promise.reject(this.#call.signal.reason as Error);
    return this.#once.run(key, run);
  }
}

/** Origin of a question within a call. */
function originOf(call: Call, signal: AbortSignal | undefined): QuestionOrigin {
  if (signal === undefined) return call;
  const { facts, requestId, session } = call;
  return {
    facts,
    requestId,
    session,
    signal: AbortSignal.any([call.signal, signal]),
    get over() {
      return call.over;
    },
  };
}

/**
 * Sends one request to the client of a session, whatever the method. Protocol requests are in the canonical model,
 * others in wire form.
 *
 * @throws McpError the client's own error, a missing capability, or the reason why no answer came.
 */
export async function askOnce(
  method: string,
  params: JsonObject,
  origin: QuestionOrigin,
  way: SessionWay,
): Promise<JsonObject> {
  if (methodOf(method) === undefined)
    return await putThrough(method, params, { origin, way }, (given, onSent) =>
      question(method, given, origin, onSent === undefined ? way : { ...way, onSent }),
    );
  if (isAboutClientTask(method)) return await aboutClientTask(method, params, origin, way);
  // `questionOf` rejects a known method that is not a question.
  return await questionOf(method as AskMethod, params, origin, way)();
}

/**
 * Makes a function that sends a question to the client each time it is called. The answer is in the canonical model.
 */
function questionOf(
  method: AskMethod,
  params: JsonObject,
  origin: QuestionOrigin,
  way: SessionWay,
): () => Promise<JsonObject> {
  const { facts } = origin;
  const row = methodOf(method);
  const { result } = row ?? {};
  if (row?.params === undefined || result === undefined || !maySend('server', row, facts)) {
    throw new McpError(
      'missingRequiredClientCapability',
      `${method} does not exist in ${facts.date}, the revision in which this server was called`,
    );
  }
  requireDeclared(method, params, facts, way.client);
  const { task } = way;
  const put = async (given: JsonObject, onSent?: (id: RequestId) => void): Promise<JsonObject> => {
    // The method's own rows are the types of its parameters and result; results are JSON objects.
    const wire = toWire(facts, row.params, given as never);
    const told = onSent === undefined ? way : { ...way, onSent };
    if (task === undefined || !hostsTasks(method, origin, way)) {
      const answer = await question(method, wire, origin, told);
      // A relayed question also relays the wish for a task, and the created task.
      return fromWire(facts, answerType(result, facts, given, answer), answer) as JsonObject;
    }
    const { questionAsTask } = await import('./as-task.ts');
    const answer = await questionAsTask({ method, params: wire, task }, origin, told);
    return fromWire(facts, result, answer) as unknown as JsonObject;
  };
  return () => putThrough(method, params, { origin, way }, put);
}

/**
 * @throws McpError like `requireCapabilities`. Without a stored session it says so, since the client may well have
 * declared the capability.
 */
function requireDeclared(method: AskMethod, params: JsonObject, facts: Revision, client: ClientView): void {
  try {
    requireCapabilities(method, params, facts, client.capabilities);
  } catch (error) {
    if (!(error instanceof McpError) || client.info !== undefined) throw error;
    const why = `no sessions are stored here, so nothing is known at ${facts.date} of what the client declared`;
    throw new McpError('missingRequiredClientCapability', `${method} cannot be asked: ${why}`, { data: error.data });
  }
}

/** Sends a question through middleware, if there is any. */
async function putThrough(
  method: string,
  params: JsonObject,
  { origin, way }: { readonly origin: QuestionOrigin; readonly way: QuestionWay },
  ask: (params: JsonObject, onSent?: (id: RequestId) => void) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { passed } = way;
  if (passed === undefined) return await ask(params);
  const { facts, session, signal } = origin;
  const late = await import('../middleware/passing.ts');
  return await late.askedThrough(method, params, { ...passed, facts, session, signal, ask });
}

/** Spec 2025-11-25, Tasks, Capability Negotiation: request a task only if the client declared support. */
function hostsTasks(method: AskMethod, { facts }: QuestionOrigin, { client }: SessionWay): boolean {
  return facts.tasks === 'core' && hostsTasksOf(method, client.capabilities);
}

function isAboutClientTask(method: string): boolean {
  return methodOf(method)?.needs?.split('.')[0] === 'tasks';
}

/**
 * Sends a request about a task of the client, if the client supports tasks. A result comes when the task has ended,
 * however long that takes.
 */
async function aboutClientTask(
  method: string,
  params: JsonObject,
  origin: QuestionOrigin,
  way: SessionWay,
): Promise<JsonObject> {
  const { facts } = origin;
  const row = methodOf(method);
  const isServed = row !== undefined && maySend('server', row, facts) && facts.tasks === 'core';
  if (!isServed || !hasClientCapability(way.client.capabilities, row.needs ?? ''))
    throw new McpError('methodNotFound', `the client does not answer ${method}`);
  const timeoutMs = method === 'tasks/result' ? 0 : way.timeoutMs;
  return await putThrough(method, params, { origin, way }, async (given, onSent = way.onSent) => {
    const wire = row.params === undefined ? given : toWire(facts, row.params, given as never);
    const answer = await question(method, wire as JsonObject, origin, { ...way, timeoutMs, onSent });
    return row.result === undefined ? answer : (fromWire(facts, row.result, answer) as unknown as JsonObject);
  });
}
