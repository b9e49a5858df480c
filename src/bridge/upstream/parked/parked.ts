import { urlElicitations } from '../../../client/errors.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { settledWithin } from '../../../jsonrpc/timeout.ts';
import type { Call } from '../../../host/call.ts';
import type { ServiceListeners } from '../../../host/events/listeners.ts';
import { bindingOf } from '../../../host/input/request-state.ts';
import { SingleUse, type RoundRun } from '../../../host/input/single-use.ts';
import { memoryRoundStore } from '../../../host/input/state-store.ts';
import type { Seal } from '../../../seal/seal.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { McpError } from '../../../protocol/error.ts';
import type { Bus, Unsubscribe } from '../../../store/bus.ts';
import { insistent, type InsistentBus } from '../../../peer/relay/insistent.ts';
import type { Carried } from '../carried.ts';
import { wordsOf } from '../../failure.ts';
import { ParkedCall, type Standing } from './call.ts';
import { FinishedCalls } from './finished.ts';
import { ParkedHolder } from './holder.ts';
import { takeElsewhere } from './taker.ts';
import { ownerOf } from '../../../auth/owner.ts';

/** Options of calls that wait for their stateless clients. */
export interface ParkedOptions {
  readonly seal: Seal;
  /** Time that a client may take to come back with its answers, in milliseconds. */
  readonly ttlMs: number;
  /**
   * Limit of the calls of one principal, or one address, that may wait at once; of all, what waits is bounded by the
   * connections.
   */
  readonly mostOfOne: number;
  /** Reaches calls that another process holds; both must share the keys of the seal. */
  readonly bus?: Bus | undefined;
  /** Hear how many calls wait for their clients. */
  readonly listeners?: ServiceListeners | undefined;
  onWarning(message: string): void;
  now(): number;
}

/** Carries a request on a connection to itself. */
type CarryAlone = (params: JsonObject, carried: Carried, principal: string | undefined) => Promise<JsonObject>;

/** Pages that are to be visited before the call is made anew, once. */
interface Visits {
  readonly id: string;
  readonly visits: readonly string[];
}

/** Content of `requestState`: the parked call and its round, or the visits after which the call is made anew. */
type State = (Waiting | Visits) & { readonly expires: number };

/** A parked call and the round whose questions wait. */
interface Waiting {
  readonly id: string;
  readonly round: number;
}

interface Bound {
  readonly call: Call;
  readonly boundTo: string;
}

/** Time that a bus may take before a client is answered without it. */
const busPatienceMs = 5_000;

/** The calls of stateless clients to a handshake server that may ask in the middle of them. */
export class ParkedCalls {
  readonly #options: ParkedOptions;
  readonly #bus: InsistentBus | undefined;
  readonly #carryAlone: CarryAlone;
  readonly #calls = new Map<string, ParkedCall>();
  readonly #finished = new FinishedCalls();
  /** Calls that are made anew. */
  readonly #anew = new SingleUse(memoryRoundStore(), memoryRoundStore({ maxCharacters: 16 * 1024 * 1024 }), 0);
  /** Ends of the subscriptions of those that other processes may take up. */
  readonly #held = new Map<string, Unsubscribe>();

  constructor(options: ParkedOptions, carryAlone: CarryAlone) {
    this.#options = options;
    this.#bus = options.bus && insistent(options.bus);
    this.#carryAlone = carryAlone;
  }

  /**
   * Carries one request of a call: the first, or one that brings answers.
   *
   * @returns The result, or an `InputRequiredResult` with what the upstream asks for.
   * @throws McpError what the upstream answered; invalidParams for a `requestState` that is not valid here.
   */
  async carry(params: JsonObject, call: Call): Promise<JsonObject> {
    const { requestState, inputResponses, ...first } = params;
    const boundTo = bindingOf(call.method, params, call.auth?.principal);
    if (typeof requestState !== 'string') return await this.#first(first, call, boundTo);
    const state = await this.#open(requestState, boundTo);
    const responses = isObject(inputResponses) ? inputResponses : {};
    if ('visits' in state) {
      const missed = state.visits.find((key) => !isAccepted(responses[key]));
      if (missed !== undefined) throw new McpError('invalidRequest', 'the page that the server needs was not visited');
      const delivery = { id: state.id, answers: '', leftMs: state.expires - this.#options.now() + 1, call };
      const outcome = (): Promise<JsonObject> => this.#first(first, call, boundTo);
      // A result of the server is JSON.
      return (await this.#anew.outcome(delivery, () => onceRun(outcome))) as JsonObject;
    }
    return await this.#answered(state.id, this.#takeUp(state, responses, call), { call, boundTo });
  }

  /** Gives every call up. */
  close(): void {
    for (const parked of this.#calls.values()) parked.giveUp('the bridge is closed');
    this.#bus?.close();
  }

  async #first(params: JsonObject, call: Call, boundTo: string): Promise<JsonObject> {
    const { ttlMs, mostOfOne } = this.#options;
    const { principal } = call.auth ?? {};
    const owner = ownerOf(principal, call.address);
    const asleep = [...this.#calls.values()].filter((other) => other.asleep && other.owner === owner);
    if (asleep.length >= mostOfOne)
      throw new McpError('busy', `${mostOfOne} calls wait for answers already; answer some of them`);
    const id = crypto.randomUUID();
    const { listeners } = this.#options;
    const parked = new ParkedCall(call, ttlMs, {
      onAway: (isAway) => listeners?.watchers.forEach((watcher) => watcher.parked(isAway ? 1 : -1)),
      // One that was given up ends as well.
      onFinished: (finished) => void (this.#calls.has(id) && this.#finished.add(finished)),
      onGone: (gone) => this.#gone(id, gone),
    });
    this.#calls.set(id, parked);
    parked.start((carried) => this.#carryAlone(params, carried, principal));
    return await this.#answered(id, parked.next(call), { call, boundTo });
  }

  async #takeUp(state: Waiting, responses: JsonObject, call: Call): Promise<Standing> {
    const parked = this.#calls.get(state.id);
    if (parked !== undefined) {
      if (parked.round !== state.round) throw refused();
      parked.answer(responses);
      return await parked.next(call);
    }
    const bus = this.#bus;
    const standing = bus === undefined ? undefined : await takeElsewhere(bus, state, { responses, taker: call });
    if (standing === undefined) throw refused();
    return standing;
  }

  /** Answer to a request. */
  async #answered(id: string, standing: Promise<Standing>, { call, boundTo }: Bound): Promise<JsonObject> {
    try {
      const reached = await standing;
      if (reached.kind === 'complete') return reached.result;
      const { inputRequests, round } = reached;
      await this.#hold(id);
      return await this.#inputRequired(inputRequests, { id, round }, boundTo);
    } catch (error) {
      const visits = visitsOf(error, call);
      if (visits === undefined) throw error;
      return await this.#inputRequired(visits, { id: crypto.randomUUID(), visits: Object.keys(visits) }, boundTo);
    }
  }

  /**
   * From its first question on, a call may be taken up elsewhere. A bus that fails, or takes too long, keeps nobody
   * from going on here.
   */
  async #hold(id: string): Promise<void> {
    const bus = this.#bus;
    const { onWarning } = this.#options;
    const parked = this.#calls.get(id);
    if (bus === undefined || parked === undefined || this.#held.has(id)) return;
    const held = new ParkedHolder(bus, onWarning).hold(id, parked);
    this.#held.set(id, async () => await (await held)());
    const alone = (why: string): void =>
      onWarning(`a call that waits for answers can be taken up in this process alone: ${why}`);
    const outcome = held.catch((error: unknown) => {
      this.#held.delete(id);
      alone(wordsOf(error));
    });
    if (!(await settledWithin(busPatienceMs, outcome))) alone(`the bus did not answer within ${busPatienceMs} ms`);
  }

  #gone(id: string, call: ParkedCall): void {
    this.#calls.delete(id);
    this.#finished.delete(call);
    const release = this.#held.get(id);
    this.#held.delete(id);
    // A subscription that cannot be ended hears of a call that is gone, and answers nothing.
    void Promise.resolve(release?.()).catch(() => undefined);
  }

  async #inputRequired(inputRequests: JsonObject, state: Waiting | Visits, boundTo: string): Promise<JsonObject> {
    const { seal, ttlMs, now } = this.#options;
    const sealed: State = { ...state, expires: now() + ttlMs };
    const requestState = await seal.seal(JSON.stringify(sealed), boundTo);
    return { resultType: 'input_required', inputRequests, requestState };
  }

  /** (Spec 2026-07-28, MRTR, Server requirements: `requestState` is controlled by the attacker.) */
  async #open(requestState: string, boundTo: string): Promise<State> {
    const text = requestState.length > longestState ? undefined : await this.#options.seal.open(requestState, boundTo);
    // Only text that was sealed here gets this far: it has the shape that it was written with.
    const state = text === undefined ? undefined : (JSON.parse(text) as State);
    if (state === undefined || state.expires < this.#options.now()) throw refused();
    return state;
  }
}

function onceRun(outcome: () => Promise<JsonObject>): RoundRun {
  return { outcome, hasFailed: () => false, effects: async () => ({}) };
}

/** The names of some visits, sealed. */
const longestState = 64 * 1024;

function refused(): McpError {
  return new McpError('invalidParams', 'requestState is not valid for this request; begin again without it');
}

function isAccepted(response: unknown): boolean {
  return isObject(response) && response['action'] === 'accept';
}

/** The pages that an older server wants visited before it is asked again, as questions of the newest revision. */
function visitsOf(error: unknown, { client }: Call): JsonObject | undefined {
  if (!(error instanceof McpError) || error.kind !== 'urlElicitationRequired') return undefined;
  const visits = urlElicitations(error);
  if (visits.length === 0 || !client.supports('elicitation.url')) return undefined;
  return Object.fromEntries(
    visits.map(({ elicitationId: _, ...params }, at) => [`visit-${at + 1}`, { method: 'elicitation/create', params }]),
  );
}
