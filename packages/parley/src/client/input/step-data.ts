/** Makes steps of results, and the next request of a step. */

import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { InputMethod, RequestTypes } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import { inputRequiredResultShape, type InputResponses } from '../../protocol/features/rounds.ts';
import { readResultAs } from '../api/read-result.ts';
import type { InputRequiredStep } from '../api/step.ts';

/**
 * Reads a result that needs input.
 *
 * @throws ConnectionError `invalid-message` if it is malformed or has neither questions nor state.
 * (Spec 2026-07-28, MRTR, Server requirements: at least one of the two fields.)
 */
export function stepOf<Method extends InputMethod>(
  method: Method,
  params: RequestTypes[Method]['params'],
  { result, revision }: { readonly result: JsonObject; readonly revision: Revision },
): InputRequiredStep<Method> {
  const { inputRequests, requestState } = readResultAs(revision, inputRequiredResultShape, { method, result });
  if (inputRequests === undefined && requestState === undefined)
    throw new ConnectionError('invalid-message', `the result of ${method} needs input but has no question`);
  return {
    status: 'input_required',
    method,
    params: plain(params),
    ...(inputRequests && { inputRequests }),
    // An empty state counts as a state. (Spec 2026-07-28, MRTR, Client requirements.)
    ...(requestState !== undefined && { requestState }),
  };
}

/** The params of the retry: the original ones, with the requested answers and the state, and nothing more. */
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
