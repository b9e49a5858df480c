import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { isExtensionResult } from '../runtime/extension-result.ts';
import type { InputRequests } from '../../protocol/features/rounds.ts';

/**
 * The return value of a handler that asks its client in manual mode. The handler runs again with the answers and its
 * stored state.
 */
export interface InputRequired {
  /** Marks a result that needs input. */
  readonly resultType: 'input_required';
  /** The requests to answer, by key. */
  readonly inputRequests?: InputRequests;
  /** Any JSON. It is sealed before it travels, and comes back as `ctx.requestState`. */
  readonly requestState?: unknown;
}

/** The questions of `inputRequired`, and the state that is kept until the answers come. */
export interface InputRequiredOptions {
  /** The questions, by keys of the handler's own choice; `ctx.inputResponses` holds the answers by the same keys. */
  readonly requests?: InputRequests;
  /** Any JSON. */
  readonly state?: unknown;
}

const optionNames: Names<InputRequiredOptions> = { requests: 1, state: 1 };

/**
 * Asks the client by hand instead of with `ctx.elicit` and its kin: return it from a tool, a prompt or a read of a
 * resource. It works for clients of every revision.
 *
 * @throws TypeError for options that are unknown.
 *
 * @example
 * if (ctx.inputResponses === undefined) {
 *   return inputRequired({ requests: { roots: { method: 'roots/list' } }, state: { step: 1 } });
 * }
 */
export function inputRequired(options: InputRequiredOptions): InputRequired {
  refuseUnknown('inputRequired', options ?? null, optionNames);
  const { requests, state } = options;
  return {
    resultType: 'input_required',
    ...(requests === undefined ? {} : { inputRequests: requests }),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

/**
 * Tells whether a handler returned something other than the result of its method: a request for input, which goes to
 * the rounds, or an extension result.
 */
export function isOtherResult(value: unknown): boolean {
  return (isObject(value) && value['resultType'] === 'input_required') || isExtensionResult(value);
}
