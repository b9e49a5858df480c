import { isObject } from '../../../jsonrpc/message.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { McpError } from '../../../protocol/error.ts';
import { isManual, quiet, type ClientRequester, type ManualInput } from '../../../connection/client-request.ts';
import { ownerOf } from '../../../auth/common/owner.ts';
import type { Call } from '../call.ts';
import { requireCapabilities } from '../../../connection/required-capabilities.ts';
import { digestOf } from '../../../connection/digest.ts';
import type { Handler } from '../server-core.ts';
import { isLater, type MaybePromise } from '../../../storage/maybe-promise.ts';
import { Reports } from '../reports.ts';
import { MrtrRequester } from './mrtr-requester.ts';
import { tooOld } from './refused-state.ts';
import { bindingOf, freshState, packState, unpackState, type RoundState } from './request-state.ts';
import type { ServerRounds } from '../server-core.ts';
import { roundSettings } from './server-rounds.ts';

/** One request of a stateless client, whose handler runs. */
export interface RoundsRunning {
  readonly handler: Handler;
  readonly params: JsonObject;
  readonly call: Call;
  readonly rounds: ServerRounds;
}

/**
 * Runs a handler for a stateless client: its questions travel in the result, and its state in `requestState`.
 *
 * @returns The handler's result, or an `InputRequiredResult`.
 * @throws McpError invalidParams for a `requestState` that is not valid here.
 */
export function runRounds(running: RoundsRunning): MaybePromise<unknown> {
  const given = running.params['requestState'];
  if (typeof given !== 'string') return runFrom(freshState, running);
  return continued(given, running);
}

/** A first run that turned out to ask, or to manage its rounds itself. */
export interface FirstRun {
  readonly requester: ClientRequester;
  /** Concludes the run: makes its outcome from the handler's return value. */
  conclude(this: void, returned: MaybePromise<unknown>): MaybePromise<unknown>;
}

/** Continues a first run. Its handler may have returned already. */
export function firstRun(running: RoundsRunning): FirstRun {
  const run = new Run(freshState, {}, running);
  return { requester: run.requester, conclude: (returned) => run.conclude(returned) };
}

/** Continues from a state. If the state is single-use, a repeated delivery gets the outcome of the first delivery. */
async function continued(given: string, running: RoundsRunning): Promise<unknown> {
  const { params, call, rounds } = running;
  const settings = roundSettings(rounds);
  const earlier = bindingOf(call.method, params, call.auth?.principal);
  const { id, leftMs, state } = await unpackState(given, boundTo(running), settings, earlier);
  refuseMany(state, rounds);
  call.continues = id;
  const answers = onlyAsked(responsesOf(params), state);
  if (!(settings.singleUse ?? isPast(state, answers))) {
    if (leftMs < 0) throw tooOld();
    return await runFrom(state, running);
  }
  return await settings.used.outcome(
    { id, answers: digestOf(answers), leftMs, owner: ownerOfCall(call), call },
    (known) => {
      const run = runOf({ ...state, once: { ...state.once, ...known } }, running);
      return {
        outcome: async () => await run.conclude(running.handler(params, call)),
        // A caller that lacked a scope retries with it. The failure of a cancelled handler is no outcome.
        hasFailed: (value) =>
          call.lackedScopes !== undefined || (call.aborted && isObject(value) && value['isError'] === true),
        effects: () => run.effects(),
      };
    },
  );
}

/** Tells whether the state already holds an effect or an answer. */
function isPast({ once, answers }: RoundState, given: JsonObject): boolean {
  return [once, answers, given].some((values) => Object.keys(values).length > 0);
}

function runFrom(state: RoundState, running: RoundsRunning): MaybePromise<unknown> {
  refuseMany(state, running.rounds);
  return runOf(state, running).conclude(running.handler(running.params, running.call));
}

function refuseMany(state: RoundState, { maxRounds }: ServerRounds): void {
  if (state.rounds >= maxRounds) throw new McpError('invalidRequest', `the request took more than ${maxRounds} rounds`);
}

/** Makes a run that continues from a state. The call asks through it. */
function runOf(state: RoundState, running: RoundsRunning): Run {
  const { params, call } = running;
  const responses = responsesOf(params);
  call.requestState = state.own;
  call.seed = state.seed;
  call.inputResponses = state.rounds === 0 ? undefined : onlyAsked(responses, state);
  const run = new Run(state, responses, running);
  call.askBy(() => run.requester);
  return run;
}

function responsesOf({ inputResponses }: JsonObject): JsonObject {
  return isObject(inputResponses) ? inputResponses : {};
}

/** One run of a handler, starting from a state. */
class Run {
  readonly #running: RoundsRunning;
  readonly #state: RoundState;
  readonly #makeRequester: () => MrtrRequester;
  #requester: MrtrRequester | undefined;
  #outcome: Promise<unknown> | undefined;
  #end: () => void = () => undefined;

  constructor(state: RoundState, responses: JsonObject, running: RoundsRunning) {
    this.#running = running;
    this.#state = state;
    const reports = running.call.remember((said) => new Reports(state.logs, said), state.progress);
    this.#makeRequester = () => new MrtrRequester(running.call, { state, responses, reports }, () => this.#end());
  }

  get requester(): MrtrRequester {
    return (this.#requester ??= this.#makeRequester());
  }

  /** Outcomes of the effects that ran, including those that are still running. */
  async effects(): Promise<RoundState['once']> {
    return (await this.#requester?.effects()) ?? this.#state.once;
  }

  /** Concludes the run, always with the same outcome. */
  conclude(returned: MaybePromise<unknown>): MaybePromise<unknown> {
    // A first run may have failed before its first question. The code that ran it has seen that error already.
    return isLater(returned) ? (this.#outcome ??= quiet(this.#ended(returned))) : this.#next(returned);
  }

  async #ended(returned: PromiseLike<unknown>): Promise<unknown> {
    const value = await new Promise<unknown>((resolve, reject) => {
      this.#end = () => resolve(asked);
      // Before the end of the run, an error comes from the handler. After it, the error only repeats the end.
      returned.then(resolve, reject);
    });
    return value === asked ? nextRound(this.requester, this.#running) : this.#next(value);
  }

  #next(value: unknown): MaybePromise<unknown> {
    return isManual(value) ? nextManual(value, this.requester, this.#running) : value;
  }
}

/** Stands for the return value of a handler that was ended because its questions go to the client. */
const asked = Symbol('asked');

async function nextRound(requester: MrtrRequester, running: RoundsRunning): Promise<JsonObject> {
  const { inputRequests, state } = await requester.asks();
  return inputRequired(inputRequests, state, running);
}

async function nextManual(wish: ManualInput, requester: MrtrRequester, running: RoundsRunning): Promise<JsonObject> {
  const { requestState } = wish;
  const { call } = running;
  // Some clients cannot read a question without params. Only `roots/list` may omit them.
  const inputRequests = mapped(wish.inputRequests, ({ method, params = {} }) => ({ method, params }));
  for (const { method, params } of Object.values(inputRequests))
    requireCapabilities(method, params, call.facts, call.client.capabilities);
  return inputRequired(inputRequests, await requester.stateByHand(digestsOf(inputRequests), requestState), running);
}

/**
 * Runs a handler that manages its rounds again, if its client answers while the handler waits: in a session, or in a
 * task.
 *
 * @param wish The handler's return value.
 * @param again Runs it once more.
 */
export async function continueManual(
  wish: ManualInput,
  { call, again, maxRounds }: { readonly call: AnsweredCall; again(): unknown; readonly maxRounds: number },
): Promise<unknown> {
  let value: unknown = wish;
  for (let round = 1; isManual(value); round++) {
    if (round >= maxRounds) throw new McpError('invalidRequest', `the request took more than ${maxRounds} rounds`);
    call.inputResponses = await askAll(value.inputRequests ?? {}, call.requester);
    call.requestState = value.requestState;
    value = await again();
  }
  return value;
}

type AnsweredCall = Pick<Call, 'requester' | 'inputResponses' | 'requestState'>;

/** Sends all questions at once. If one fails, the others are cancelled. */
async function askAll(
  inputRequests: NonNullable<ManualInput['inputRequests']>,
  requester: ClientRequester,
): Promise<JsonObject> {
  const failed = new AbortController();
  const { signal } = failed;
  try {
    const asking = Object.entries(mapped(inputRequests, withId)).map(async ([key, { method, params }]) => {
      const answer = await requester.ask({ method, params, key, signal, accept: (given) => ({ value: given }) });
      return [key, answer] as const;
    });
    return Object.fromEntries(await Promise.all(asking));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

async function inputRequired(
  inputRequests: JsonObject,
  state: RoundState,
  running: RoundsRunning,
): Promise<JsonObject> {
  const requestState = await packState(
    state,
    boundTo(running),
    roundSettings(running.rounds),
    ownerOfCall(running.call),
  );
  return {
    resultType: 'input_required',
    ...(Object.keys(inputRequests).length === 0 ? {} : { inputRequests }),
    requestState,
  };
}

function ownerOfCall({ auth, address }: Call): string | undefined {
  return ownerOf(auth?.principal, address);
}

/** The request that the state is bound to. */
function boundTo({ call, params, rounds }: RoundsRunning): string {
  return bindingOf(call.method, params, call.auth?.principal, rounds.service);
}

function digestsOf(inputRequests: NonNullable<ManualInput['inputRequests']>): Readonly<Record<string, string>> {
  return mapped(inputRequests, ({ method, params }) => digestOf([method, params]));
}

type Question = NonNullable<ManualInput['inputRequests']>[string];

/** Spec 2025-11-25, Elicitation, URL mode: every elicitation has an id. A missing id is added here. */
function withId({ method, params = {} }: Question): Required<Question> {
  const isNameless =
    method === 'elicitation/create' && params['mode'] === 'url' && params['elicitationId'] === undefined;
  return { method, params: isNameless ? { ...params, elicitationId: crypto.randomUUID() } : params };
}

function mapped<T>(
  requests: ManualInput['inputRequests'],
  change: (request: Question) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(requests ?? {}).map(([key, request]) => [key, change(request)]));
}

/** Spec 2026-07-28, MRTR, Error handling: ignore answers to questions that were not asked. */
function onlyAsked(responses: JsonObject, state: RoundState): JsonObject {
  return Object.fromEntries(Object.entries(responses).filter(([key]) => Object.hasOwn(state.asked, key)));
}
