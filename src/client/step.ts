/** The rounds of a request as plain data. */
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { JsonObject } from '../peer/waiting.ts';
import { methodOf } from '../protocol/method.ts';
import type { RequestTypes } from '../protocol/methods.ts';
import type { Revision } from '../protocol/revision.ts';
import type { InputRequests, InputResponses } from '../protocol/rounds.ts';
import { liftAs } from './lift.ts';

/** The methods whose servers may ask for input before they answer. */
export type InputMethod = 'tools/call' | 'prompts/get' | 'resources/read';

/** The request was answered. */
export interface CompleteStep<Method extends InputMethod = InputMethod> {
  readonly status: 'complete';
  readonly result: RequestTypes[Method]['result'];
}

/**
 * The request needs input first. It is JSON that can be stored: another process can resume it, with another client of
 * the same server.
 */
export interface InputRequiredStep<Method extends InputMethod = InputMethod> {
  readonly status: 'input_required';
  readonly method: Method;
  /** Those of the first request. */
  readonly params: RequestTypes[Method]['params'];
  /** What is asked for, by the server's keys; absent when the request can be resumed at once. */
  readonly inputRequests?: InputRequests;
  /** The server's own; it goes back as it came. */
  readonly requestState?: string;
}

/** Where a request that may need input stands. */
export type Step<Method extends InputMethod = InputMethod> = CompleteStep<Method> | InputRequiredStep<Method>;

/** Whether a server may answer a method with a need of input. */
export function isInputMethod(method: unknown): method is InputMethod {
  // The rows that say so are those of the three.
  return typeof method === 'string' && methodOf(method)?.inputRequired === true;
}

/** Whether a result says that input is needed; only stateless ones can. */
export function needsInput(result: JsonObject, revision: Revision): boolean {
  return revision.era === 'stateless' && result['resultType'] === 'input_required';
}

/**
 * Reads a result that needs input.
 *
 * @throws ConnectionError `invalid-message` when it is malformed or gives nothing to go on with.
 *   (Spec 2026-07-28, MRTR, Server requirements: at least one of the two fields.)
 */
export function stepOf<Method extends InputMethod>(
  method: Method,
  params: RequestTypes[Method]['params'],
  { result, revision }: { readonly result: JsonObject; readonly revision: Revision },
): InputRequiredStep<Method> {
  const { inputRequests, requestState } = liftAs(revision, 'InputRequiredResult', { method, result });
  if (inputRequests === undefined && requestState === undefined)
    throw new ConnectionError('invalid-message', `the result of ${method} needs input but asks for none`);
  return {
    status: 'input_required',
    method,
    params: plain(params),
    ...(inputRequests && { inputRequests }),
    // An empty state is one too. (Spec 2026-07-28, MRTR, Client requirements.)
    ...(requestState !== undefined && { requestState }),
  };
}

/** The params of the retry: the first ones, with the answers and the state that were asked for, and nothing else. */
export function retryOf(step: InputRequiredStep, inputResponses: InputResponses | undefined): JsonObject {
  const { requestState } = step;
  return {
    ...plain(step.params),
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** The params without what belongs to one round. */
function plain<Params extends object>(params: Params): Params {
  const { inputResponses: _responses, requestState: _state, ...rest } = params as Params & Record<string, unknown>;
  // Both are optional in the params of every method that has rounds.
  return rest as unknown as Params;
}
