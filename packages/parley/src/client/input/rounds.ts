import type { InputAnswers } from '../api/input-handlers.ts';
import { runOnAbort } from '../../jsonrpc/run-on-abort.ts';
import type { RequestOptions } from '../api/request-options.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { aborted } from '../../connection/pending.ts';
import type { InputMethod, RequestTypes } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { InputResponse, InputResponses } from '../../protocol/features/rounds.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { responseTo } from './answers.ts';
import { InputRequiredError, TooManyRoundsError } from '../api/errors.ts';
import { answerInput, malformation, obstacle } from './answering.ts';
import { maxAtOnce } from '../connection/open-channel.ts';
import type { Inputs } from './inputs.ts';
import { readResult } from '../api/read-result.ts';
import { retryOf, stepOf } from './step-data.ts';
import { isInputMethod, needsInput, type InputRequiredStep, type Step } from '../api/step.ts';

/** Parts that the rounds of a client are made of. */
export interface RoundsOptions {
  readonly inputs: Inputs;
  /** Limit of rounds of one request. */
  readonly maxRounds: number;
  revision(): Revision;
  /** Sends one request and returns the received result. */
  request(method: string, params: JsonObject, options: RequestOptions | undefined): Promise<JsonObject>;
}

/** Requests that may need input before they are answered. (Spec 2026-07-28, MRTR.) */
export interface InputRounds {
  /** Answers the questions of a first result, round after round, until the request is complete. */
  finish<Method extends InputMethod>(
    request: Pick<InputRequiredStep<Method>, 'method' | 'params'>,
    result: JsonObject,
    options: RequestOptions | undefined,
  ): Promise<JsonObject>;
  /** Sends the first request. */
  begin<Method extends InputMethod>(
    method: Method,
    params: RequestTypes[Method]['params'],
    options?: RequestOptions,
  ): Promise<Step<Method>>;
  /** Sends the next one. */
  resume<Method extends InputMethod>(
    step: InputRequiredStep<Method>,
    answers: InputAnswers,
    options?: RequestOptions,
  ): Promise<Step<Method>>;
}

/** Makes the rounds of a client. */
export function createRounds(parts: RoundsOptions): InputRounds {
  const { inputs, maxRounds, revision, request } = parts;
  const next = async <Method extends InputMethod>(
    { method, params }: Pick<InputRequiredStep<Method>, 'method' | 'params'>,
    sent: JsonObject,
    options: RequestOptions | undefined,
  ): Promise<Step<Method>> => {
    const result = await request(method, sent, options);
    if (needsInput(result, revision())) return stepOf(method, params, { result, revision: revision() });
    return { status: 'complete', result: readResult(revision(), method, result) };
  };
  return {
    async finish(first, result, options) {
      let step: InputRequiredStep = stepOf(first.method, first.params, { result, revision: revision() });
      for (let round = 0; round < maxRounds; round++) {
        const { method, params } = step;
        const responses = await gather(step, options, { inputs, revision: revision() });
        const next = await request(method, retryOf(step, responses), options);
        if (!needsInput(next, revision())) return next;
        step = stepOf(method, params, { result: next, revision: revision() });
      }
      throw new TooManyRoundsError(step, maxRounds);
    },
    async begin(method, params, options) {
      if (!isInputMethod(method)) throw new TypeError(`${String(method)} never needs input; use request`);
      // Interfaces of params are JSON objects.
      return await next({ method, params }, params as unknown as JsonObject, options);
    },
    async resume(step, answers, options) {
      if (step?.status !== 'input_required' || !isInputMethod(step.method))
        throw new TypeError('only a step that needs input can be resumed');
      if (!revision().resultsAsk) throw new TypeError(`a step cannot be resumed at ${revision().date}`);
      return await next(step, retryOf(step, manual(step, answers, revision())), options);
    },
  };
}

/** Runs all handlers at once, if all questions can be answered. */
async function gather(
  step: InputRequiredStep,
  options: RequestOptions | undefined,
  { inputs, revision }: { readonly inputs: Inputs; readonly revision: Revision },
): Promise<InputResponses | undefined> {
  if (step.inputRequests === undefined) return undefined;
  const requests = Object.entries(step.inputRequests);
  if (requests.length > maxAtOnce)
    throw new InputRequiredError(
      step,
      `it asks ${requests.length} things at once, and at most ${maxAtOnce} are answered`,
    );
  for (const [key, request] of requests) {
    const why = obstacle(inputs, request, options?.capabilities ?? inputs.capabilities);
    if (why !== undefined) throw new InputRequiredError(step, why);
    const problem = malformation(request);
    if (problem !== undefined) throw malformed(step, key, problem);
  }
  const failed = new AbortController();
  const given = options?.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([...given, inputs.stopped, failed.signal]);
  try {
    const answering = requests.map(async ([key, request]): Promise<[string, InputResponse]> => {
      return [key, await answerInput(inputs, request, { revision, signal })];
    });
    return Object.fromEntries(await untilAborted(Promise.all(answering), signal));
  } catch (error) {
    failed.abort(error);
    if (options?.signal?.aborted === true) throw aborted(step.method, options.signal);
    throw error;
  }
}

function malformed({ method }: InputRequiredStep, key: string, problem: string): ConnectionError {
  const at = JSON.stringify(key.slice(0, 64));
  return new ConnectionError(
    'invalid-message',
    `the result of ${method} is malformed: inputRequests ${at}: ${problem}`,
  );
}

/** Waits no longer than a signal allows, whatever is done with it. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop!: () => void;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => {
      const reason: unknown = signal.reason;
      reject(reason);
    };
  });
  const unlistened = runOnAbort(signal, stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    unlistened();
  }
}

/** Spec 2026-07-28, MRTR, Client requirements: everything that was asked for is answered before the retry. */
function manual(step: InputRequiredStep, answers: InputAnswers, revision: Revision): InputResponses | undefined {
  const requests = new Map(Object.entries(step.inputRequests ?? {}));
  for (const key of Object.keys(answers))
    if (!requests.has(key)) throw new TypeError(`nothing was asked for under the key ${JSON.stringify(key)}`);
  const responses = [...requests].map(([key, request]): [string, InputResponse] => {
    const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
    if (answer === undefined) throw new TypeError(`the answer to ${JSON.stringify(key)} is missing`);
    return [key, responseTo(request, answer, revision)];
  });
  return step.inputRequests === undefined ? undefined : Object.fromEntries(responses);
}
