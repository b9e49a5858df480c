import { urlElicitations } from '../../../client/api/errors.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { settledWithin } from '../../../jsonrpc/timeout.ts';
import type { Call } from '../../../server/runtime/call.ts';
import type { ServiceListeners } from '../../../server/runtime/events/listeners.ts';
import { invalidState, mayHaveRun, tooOld } from '../../../server/runtime/input/refused-state.ts';
import { bindingOf } from '../../../server/runtime/input/request-state.ts';
import { outcomeMs } from '../../../server/runtime/input/single-use.ts';
import { memoryRoundStore } from '../../../server/runtime/input/state-store.ts';
import { digestOf } from '../../../connection/digest.ts';
import type { Seal } from '../../../sealing/seal.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { McpError } from '../../../protocol/error.ts';
import type { Bus, Unsubscribe } from '../../../storage/bus.ts';
import { insistent, type InsistentBus } from '../../../connection/relay/insistent.ts';
import type { ForwardedCall } from '../forwarded-call.ts';
import { unansweredBefore, wordsOf } from '../../failure.ts';
import { SuspendedCall, type SuspendedState, type CallResumer } from './suspended-call.ts';
import { Deliveries } from './deliveries.ts';
import { FinishedCalls } from './finished.ts';
import { SuspendedCallOwner } from './call-owner.ts';
import { takeElsewhere } from './call-resumer.ts';
import { ownerOf } from '../../../auth/common/owner.ts';

/** Options of calls that wait for their stateless clients. */
export interface SuspendedCallsOptions {
  readonly seal: Seal;
  /** Time that a client may take to come back with its answers, in milliseconds. */
  readonly ttlMs: number;
  /** Limit of waiting calls of one principal, or one address. The number of all is bounded by the connections. */
  readonly maxOfOne: number;
  /** Reaches calls that another process holds; both must share the keys of the seal. */
  readonly bus?: Bus | undefined;
  /** Receive the number of waiting calls. */
  readonly listeners?: ServiceListeners | undefined;
  onWarning(message: string): void;
  now(): number;
}

/** Carries a request on a connection to itself. */
type CarryAlone = (params: JsonObject, forwarded: ForwardedCall, principal: string | undefined) => Promise<JsonObject>;

/** Pages that must be visited before the call is sent again, once. */
interface Visits {
  readonly id: string;
  readonly visits: readonly string[];
}

/** Content of `requestState`: the suspended call and its round, or the visits after which the call is sent again. */
type State = (Waiting | Visits) & { readonly expires: number };

/** A suspended call and the round whose questions are open. */
interface Waiting {
  readonly id: string;
  readonly round: number;
  /** True if its time is over: the call does not go on, and only an outcome that is stored is given. */
  readonly isOld?: boolean;
}

type Complete = Extract<SuspendedState, { readonly kind: 'complete' }>;

/** Subscription of a call on the bus, and the number of its rounds with a known outcome. */
interface Held {
  readonly end: Unsubscribe;
  rounds: number;
}

interface Bound {
  readonly call: Call;
  readonly boundTo: string;
}

/** Time that a bus may take before a client is answered without it. */
const busPatienceMs = 5_000;

/** The calls of stateless clients to a handshake server that may ask in the middle of them. */
export class SuspendedCalls {
  readonly #options: SuspendedCallsOptions;
  readonly #bus: InsistentBus | undefined;
  readonly #carryAlone: CarryAlone;
  readonly #calls = new Map<string, SuspendedCall>();
  readonly #finished = new FinishedCalls();
  readonly #deliveries = new Deliveries();
  /** Marks of the visits after which a call was sent again. */
  readonly #visited = memoryRoundStore();
  /** Calls that other processes may take up, also to get a stored outcome. */
  readonly #held = new Map<string, Held>();

  constructor(options: SuspendedCallsOptions, carryAlone: CarryAlone) {
    this.#options = options;
    this.#bus = options.bus && insistent(options.bus);
    this.#carryAlone = carryAlone;
  }

  /**
   * Forwards one request of a call: the first, or one with answers.
   *
   * @returns The result, or an `InputRequiredResult` with the upstream's questions.
   * @throws McpError from the upstream; invalidParams for a `requestState` that is not valid here.
   */
  async carry(params: JsonObject, call: Call): Promise<JsonObject> {
    const { requestState, inputResponses, ...first } = params;
    const boundTo = bindingOf(call.method, params, call.auth?.principal);
    if (typeof requestState !== 'string') return await this.#first(first, { call, boundTo });
    const state = await this.#open(requestState, boundTo);
    const responses = isObject(inputResponses) ? inputResponses : {};
    if ('visits' in state) {
      const missed = state.visits.find((key) => !isAccepted(responses[key]));
      if (missed !== undefined) throw new McpError('invalidRequest', 'the page that the server needs was not visited');
      const standing = await this.#anew(state, first, { call, boundTo });
      return (standing as Complete).result;
    }
    const waiting = { ...state, isOld: state.expires < this.#options.now() };
    return await this.#answered(waiting, this.#takeUp(waiting, responses, call), { call, boundTo });
  }

  /** Gives every call up. */
  close(): void {
    for (const suspended of this.#calls.values()) suspended.giveUp('the bridge is closed');
    this.#deliveries.close();
    this.#bus?.close();
  }

  /** Sends a call again after its visits, once. Its answer is the outcome of that round. */
  async #anew(state: Visits & { readonly expires: number }, params: JsonObject, bound: Bound): Promise<SuspendedState> {
    const { call } = bound;
    const { id, expires } = state;
    const onDropped = (): void => undefined;
    const delivery = { answers: '', resumer: call, owner: ownerOf(call.auth?.principal, call.address), onDropped };
    const known = this.#deliveries.again(id, delivery);
    if (known !== undefined) return await known;
    const leftMs = expires - this.#options.now();
    if (leftMs < 0) throw tooOld();
    return await this.#deliveries.first(id, delivery, async (resumers) => {
      if (!(await this.#visited.add(id, '', leftMs + outcomeMs, delivery.owner))) throw mayHaveRun(notKnown);
      return { kind: 'complete', result: await this.#first(params, bound, resumers) };
    });
  }

  async #first(params: JsonObject, { call, boundTo }: Bound, resumer: CallResumer = call): Promise<JsonObject> {
    const { ttlMs, maxOfOne } = this.#options;
    const { principal } = call.auth ?? {};
    const owner = ownerOf(principal, call.address);
    const asleep = [...this.#calls.values()].filter((other) => other.asleep && other.owner === owner);
    if (asleep.length >= maxOfOne)
      throw unansweredBefore(`${maxOfOne} calls wait for answers already; answer some of them`);
    const id = crypto.randomUUID();
    const { listeners } = this.#options;
    const suspended = new SuspendedCall(call, ttlMs, {
      onAway: (isAway) => listeners?.watchers.forEach((watcher) => watcher.parked(isAway ? 1 : -1)),
      // A cancelled call ends as well.
      onFinished: (finished) => void (this.#calls.has(id) && this.#finished.add(finished)),
      onGone: (gone) => this.#gone(id, gone),
    });
    this.#calls.set(id, suspended);
    suspended.start((forwarded) => this.#carryAlone(params, forwarded, principal));
    return await this.#answered({ id, round: 0 }, suspended.next(resumer), { call, boundTo });
  }

  /**
   * Continues a call, for a delivery here or in another process.
   *
   * @throws McpError invalidParams for other answers than those of an earlier delivery.
   */
  #takeUpHere(
    { id, round, isOld }: Waiting,
    responses: JsonObject,
    resumer: CallResumer,
  ): Promise<SuspendedState> | undefined {
    const suspended = this.#calls.get(id);
    const name = `${id} ${round}`;
    const delivery = { answers: digestOf(responses), resumer };
    const known = this.#deliveries.again(name, delivery);
    if (known !== undefined || isOld === true || suspended?.round !== round) return known;
    const held = this.#held.get(id);
    if (held !== undefined) held.rounds++;
    const onDropped = (): void => {
      if (held !== undefined) held.rounds--;
      this.#release(id);
    };
    return this.#deliveries.first(name, { ...delivery, owner: suspended.owner, onDropped }, async (resumers) => {
      suspended.answer(responses);
      return await suspended.next(resumers);
    });
  }

  async #takeUp(state: Waiting, responses: JsonObject, call: Call): Promise<SuspendedState> {
    const here = this.#takeUpHere(state, responses, call);
    if (here !== undefined) return await here;
    const bus = this.#calls.has(state.id) ? undefined : this.#bus;
    const standing = bus && (await takeElsewhere(bus, state, { responses, resumer: call }));
    if (standing === undefined) throw state.isOld === true ? tooOld() : mayHaveRun(notKnown);
    return standing;
  }

  /** Answer to a request. */
  async #answered(
    { id, round: last }: Waiting,
    standing: Promise<SuspendedState>,
    { call, boundTo }: Bound,
  ): Promise<JsonObject> {
    try {
      const reached = await standing;
      if (reached.kind === 'complete') return reached.result;
      const { inputRequests, round } = reached;
      await this.#hold(id);
      return await this.#inputRequired(inputRequests, { id, round }, boundTo);
    } catch (error) {
      const visits = visitsOf(error, call);
      if (visits === undefined) throw error;
      // Every delivery of the round names the same visits, so that the call is sent again only once.
      return await this.#inputRequired(visits, { id: `visits ${id} ${last}`, visits: Object.keys(visits) }, boundTo);
    }
  }

  /**
   * From its first question on, other processes may resume a call. A bus that fails or is slow does not stop this
   * process.
   */
  async #hold(id: string): Promise<void> {
    const bus = this.#bus;
    const { onWarning } = this.#options;
    const suspended = this.#calls.get(id);
    if (bus === undefined || suspended === undefined || this.#held.has(id)) return;
    const takeUp = (round: number, responses: JsonObject, resumer: CallResumer): Promise<SuspendedState> | undefined =>
      this.#takeUpHere({ id, round }, responses, resumer);
    const held = new SuspendedCallOwner(bus, onWarning).hold(id, takeUp);
    this.#held.set(id, { end: async () => await (await held)(), rounds: 0 });
    const alone = (why: string): void =>
      onWarning(`a call that waits for answers can be taken up in this process alone: ${why}`);
    const outcome = held.catch((error: unknown) => {
      this.#held.delete(id);
      alone(wordsOf(error));
    });
    if (!(await settledWithin(busPatienceMs, outcome))) alone(`the bus did not answer within ${busPatienceMs} ms`);
  }

  #gone(id: string, call: SuspendedCall): void {
    this.#calls.delete(id);
    this.#finished.delete(call);
    this.#release(id);
  }

  /** Ends the subscription of a call that is gone and whose outcomes are dropped. */
  #release(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined || held.rounds > 0 || this.#calls.has(id)) return;
    this.#held.delete(id);
    // If unsubscribing fails, messages for the ended call are ignored.
    void Promise.resolve(held.end()).catch(() => undefined);
  }

  async #inputRequired(inputRequests: JsonObject, state: Waiting | Visits, boundTo: string): Promise<JsonObject> {
    const { seal, ttlMs, now } = this.#options;
    const sealed: State = { ...state, expires: now() + ttlMs };
    const requestState = await seal.seal(JSON.stringify(sealed), boundTo);
    return { resultType: 'input_required', inputRequests, requestState };
  }

  /** (Spec 2026-07-28, MRTR, Server requirements: `requestState` is controlled by the attacker.) */
  async #open(requestState: string, boundTo: string): Promise<State> {
    const text =
      requestState.length > maxStateLength ? undefined : await this.#options.seal.open(requestState, boundTo);
    // Only text that was sealed here gets this far: it has the shape that it was written with.
    const state = text === undefined ? undefined : (JSON.parse(text) as State);
    if (state === undefined) throw invalidState();
    return state;
  }
}

const notKnown = 'it is over, or its process has ended, and its outcome is not known here';

/** The names of some visits, sealed. */
const maxStateLength = 64 * 1024;

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
