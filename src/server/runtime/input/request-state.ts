import { jsonText } from '../../../json/exact-number.ts';
import { parseExactJson } from '../../../json/parse-exact.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { canonical } from '../../../connection/digest.ts';
import type { Ran } from '../../../connection/once.ts';
import type { Stage } from './reports.ts';
import { invalidState, mayHaveRun, tooOld } from './refused-state.ts';
import { outcomeMs, type SingleUse } from './single-use.ts';
import type { RoundStore } from './state-store.ts';
import type { Seal } from '../../../sealing/seal.ts';

/** State that a conversation of rounds carries from one request to the next, through the client. */
export interface RoundState {
  /** Number of rounds that there were. */
  readonly rounds: number;
  /** The answers that were accepted, each with the digest of its question. */
  readonly answers: Readonly<Record<string, RoundAnswer>>;
  /** The questions that were asked and not yet answered, by key, as digests. */
  readonly asked: Readonly<Record<string, string>>;
  /** Outcomes of the side effects that ran. */
  readonly once: Readonly<Record<string, Ran>>;
  /** Beginning of the ids of side effects; left out at the start. */
  readonly seed?: string;
  /** The log messages that earlier runs sent and this one says again. */
  readonly logs: readonly Stage[];
  /** The highest progress that was sent. */
  readonly progress?: number;
  /** State that a handler keeps that drives the rounds by hand. */
  readonly own?: unknown;
}

/** An accepted answer. */
export interface RoundAnswer {
  readonly digest: string;
  readonly answer: JsonObject;
}

/** The state at the start of a conversation. */
export const freshState: RoundState = { rounds: 0, answers: {}, asked: {}, once: {}, logs: [] };

/** Options of rounds. */
export interface RoundSettings {
  readonly seal: Seal;
  /** Time that a client may take for one round, in milliseconds. */
  readonly ttlMs: number;
  /** The largest state that travels, in characters before sealing; a larger one stays in the store. */
  readonly maxStateLength: number;
  readonly store: RoundStore;
  /** True if every state is good for one request only, false if none is; by default one is that an answer or an effect came before. */
  readonly singleUse: boolean | undefined;
  /** Runs rounds that may run once. */
  readonly used: SingleUse;
  /** Time until which states of an earlier version of this library may come: they name no service. None by default. */
  readonly upgradedUntil?: number;
  now(): number;
}

interface Packed {
  /** Names this state among all, for those that may be used once. */
  readonly id: string;
  readonly expires: number;
  /** Left out when it waits in the store, under the id. */
  readonly state?: RoundState;
}

/**
 * Makes the `requestState` of a state, bound to the request that it belongs to and good for a while.
 *
 * @param owner Owner that it counts for where it waits in the store; see `ownerOf`.
 */
export async function packState(
  state: RoundState,
  boundTo: string,
  settings: RoundSettings,
  owner?: string,
): Promise<string> {
  const { seal, ttlMs, store, maxStateLength } = settings;
  const id = crypto.randomUUID();
  const expires = settings.now() + ttlMs;
  const text = jsonText({ id, expires, state } satisfies Packed);
  if (text.length <= maxStateLength) return seal.seal(text, boundTo);
  // A delivery that comes too late may still get the outcome of the one before, for which the state is read.
  await store.add(id, jsonText(state), ttlMs + outcomeMs, owner);
  return seal.seal(JSON.stringify({ id, expires } satisfies Packed), boundTo);
}

/** A state that was read back. */
export interface OpenedState {
  /** Name that it has among all. */
  readonly id: string;
  /** Time for which it is still good, in milliseconds. Negative if it has expired: it runs nothing then, and gets an outcome that is kept. */
  readonly leftMs: number;
  readonly state: RoundState;
}

/**
 * Reads a `requestState` back.
 *
 * @param earlierBound Binding by which earlier versions of this library sealed it.
 * @throws McpError invalidParams for whatever was not made here for this request and this principal, or expired so long ago that no outcome is kept.
 *   (Spec 2026-07-28, MRTR, Server requirements: it is controlled by the attacker.)
 */
export async function unpackState(
  requestState: string,
  boundTo: string,
  settings: RoundSettings,
  earlierBound?: string,
): Promise<OpenedState> {
  if (requestState.length > longest(settings)) throw invalidState();
  const isEarly = earlierBound !== undefined && settings.now() < (settings.upgradedUntil ?? 0);
  const text =
    (await settings.seal.open(requestState, boundTo)) ??
    (isEarly ? await settings.seal.open(requestState, earlierBound) : undefined);
  // Only text that was sealed here gets this far: it has the shape that it was written with.
  const packed = text === undefined ? undefined : (parseExactJson(text, anyDepth) as Packed);
  if (packed === undefined) throw invalidState();
  const { id } = packed;
  const leftMs = packed.expires - settings.now();
  if (leftMs < -outcomeMs) throw tooOld();
  if (packed.state !== undefined) return { id, leftMs, state: packed.state };
  const kept = await settings.store.get(id);
  if (kept === undefined) throw mayHaveRun('its state is no longer kept');
  return { id, leftMs, state: parseExactJson(kept, anyDepth) as RoundState };
}

/** Depth of JSON for a state, which was written here and needs no bound. */
const anyDepth = Number.POSITIVE_INFINITY;

/** No state that was sealed here is longer: a character takes three bytes at most, a byte four thirds of a character. */
function longest({ maxStateLength }: RoundSettings): number {
  return 4 * maxStateLength + 1024;
}

/**
 * Binding of a state: the principal, the method, the parameters without those of the rounds themselves, and the name of the service. Several services
 * may share keys.
 */
export function bindingOf(method: string, params: JsonObject, principal: string | undefined, service?: string): string {
  const { _meta: _, inputResponses: __, requestState: ___, ...own } = params;
  const request = [principal ?? null, method, own];
  return canonical(service === undefined ? request : [...request, service]);
}
