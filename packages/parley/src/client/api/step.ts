/** The rounds of a request as plain data. */
import type { JsonObject } from '../../protocol/features/common.ts';
import { methodOf, type InputMethod, type RequestTypes } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { InputRequests } from '../../protocol/features/rounds.ts';

/** The request was answered. */
export interface CompleteStep<Method extends InputMethod = InputMethod> {
  /** The request is answered. */
  readonly status: 'complete';
  /** The result. */
  readonly result: RequestTypes[Method]['result'];
}

/**
 * The request needs input first. It is JSON that can be stored. Another process can resume it, with another client of
 * the same server.
 */
export interface InputRequiredStep<Method extends InputMethod = InputMethod> {
  /** The server needs input first. */
  readonly status: 'input_required';
  /** The method of the request. */
  readonly method: Method;
  /** The params of the first request. */
  readonly params: RequestTypes[Method]['params'];
  /** Requests of the step, by the server's keys; absent when the request can be resumed at once. */
  readonly inputRequests?: InputRequests;
  /** The server's state. It goes back unchanged. */
  readonly requestState?: string;
}

/** Standing of a request that may need input. */
export type Step<Method extends InputMethod = InputMethod> = CompleteStep<Method> | InputRequiredStep<Method>;

/** Tells whether a server may answer a method with a need of input. */
export function isInputMethod(method: unknown): method is InputMethod {
  // The compiler checks that the rows match these types.
  return typeof method === 'string' && methodOf(method)?.inputRequired === true;
}

/** Tells whether a result requests input, in revisions with result types. */
export function needsInput(result: JsonObject, revision: Revision): boolean {
  return revision.resultsAsk && result['resultType'] === 'input_required';
}
