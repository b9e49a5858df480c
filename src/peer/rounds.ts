import { isObject } from '../jsonrpc/message.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError } from '../protocol/error.ts';
import type { AskMethod } from './ask.ts';
import type { Call } from './call.ts';
import { demand } from './demand.ts';
import type { Handler } from './host.ts';
import { RoundAsker } from './round-asker.ts';
import {
  bindingOf,
  digestOf,
  freshState,
  packState,
  unpackState,
  type RoundSettings,
  type RoundState,
} from './round-state.ts';

/** What a handler returns that drives its rounds by hand; the state is any JSON. */
interface ByHand {
  readonly resultType: 'input_required';
  readonly inputRequests?: Readonly<Record<string, { readonly method: AskMethod; readonly params?: JsonObject }>>;
  readonly requestState?: unknown;
}

/**
 * Runs a handler for a stateless client: what it asks travels in the result, and its state in `requestState`.
 *
 * @returns The handler's result, or an `InputRequiredResult`.
 * @throws McpError invalidParams for a `requestState` that is not valid here.
 */
export async function runInRounds(
  handler: Handler,
  params: JsonObject,
  { call, settings }: { readonly call: Call; readonly settings: RoundSettings },
): Promise<unknown> {
  const boundTo = (): string => bindingOf(call.method, params, call.auth?.principal);
  const given = params['requestState'];
  const state = typeof given === 'string' ? await unpackState(given, boundTo(), settings) : freshState;
  if (state.rounds >= settings.maxRounds)
    throw new McpError('invalidRequest', `the request took more than ${settings.maxRounds} rounds`);
  const responses = isObject(params['inputResponses']) ? params['inputResponses'] : {};
  call.requestState = state.own;
  call.inputResponses = onlyAsked(responses, state);
  call.replay(state.sent);
  let end = (): void => undefined;
  let made: RoundAsker | undefined;
  const asker = (): RoundAsker => (made ??= new RoundAsker(call, { state, responses }, () => end()));
  const outcome = await new Promise<RunOutcome>((resolve, reject) => {
    end = () => resolve('asked');
    call.askBy(asker);
    // Before the end of the run an error is the handler's own; after it, only the echo of the end.
    running(handler, params, call).then((value) => resolve({ value }), reject);
  });
  if (outcome === 'asked') {
    const asks = await asker().asks();
    return inputRequired(asks.inputRequests, asks.state, { boundTo: boundTo(), settings });
  }
  if (!isByHand(outcome.value)) return outcome.value;
  const { inputRequests = {}, requestState } = outcome.value;
  for (const { method, params: asked = {} } of Object.values(inputRequests))
    demand(method, asked, call.facts, call.client.capabilities);
  const next = await asker().nextState(digestsOf(inputRequests), requestState);
  return inputRequired(inputRequests, next, { boundTo: boundTo(), settings });
}

/**
 * Runs a handler for a handshake client. One that drives its rounds by hand runs again with the answers, which the
 * client gave to requests.
 */
export async function runInSession(
  handler: Handler,
  params: JsonObject,
  { call, maxRounds }: { readonly call: Call; readonly maxRounds: number },
): Promise<unknown> {
  for (let round = 0; round < maxRounds; round++) {
    const value = await handler(params, call);
    if (!isByHand(value)) return value;
    call.inputResponses = await askAll(value.inputRequests ?? {}, call);
    call.requestState = value.requestState;
  }
  throw new McpError('invalidRequest', `the request took more than ${maxRounds} rounds`);
}

/** Asks everything at once; what still waits when a question fails is given up. */
async function askAll(inputRequests: NonNullable<ByHand['inputRequests']>, call: Call): Promise<JsonObject> {
  const failed = new AbortController();
  const { signal } = failed;
  try {
    const asking = Object.entries(inputRequests).map(async ([key, { method, params = {} }]) => {
      const answer = await call.asker.ask({ method, params, key, signal, accept: (given) => ({ value: given }) });
      return [key, answer] as const;
    });
    return Object.fromEntries(await Promise.all(asking));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

/** What one run of a handler came to. */
type RunOutcome = 'asked' | { readonly value: unknown };

async function running(handler: Handler, params: JsonObject, call: Call): Promise<unknown> {
  return await handler(params, call);
}

async function inputRequired(
  inputRequests: JsonObject,
  state: RoundState,
  { boundTo, settings }: { readonly boundTo: string; readonly settings: RoundSettings },
): Promise<JsonObject> {
  const requestState = await packState(state, boundTo, settings);
  return {
    resultType: 'input_required',
    ...(Object.keys(inputRequests).length === 0 ? {} : { inputRequests }),
    requestState,
  };
}

function isByHand(value: unknown): value is ByHand {
  return isObject(value) && value['resultType'] === 'input_required';
}

function digestsOf(inputRequests: NonNullable<ByHand['inputRequests']>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(inputRequests).map(([key, { method, params }]) => [key, digestOf([method, params ?? {}])]),
  );
}

/** Spec 2026-07-28, MRTR, Error handling: what was not asked is ignored. */
function onlyAsked(responses: JsonObject, state: RoundState): JsonObject | undefined {
  const entries = Object.entries(responses).filter(([key]) => Object.hasOwn(state.asked, key));
  return state.rounds === 0 ? undefined : Object.fromEntries(entries);
}
