import { jsonText } from '../../../json/exact-number.ts';
import { parseExactJson } from '../../../json/parse-exact.ts';
import type { JsonObject } from '../../../protocol/features/common.ts';
import { canonical } from '../../../connection/digest.ts';
import type { Ran } from '../../../connection/memoized-steps.ts';
import type { Stage } from '../reports.ts';
import { invalidState, mayHaveRun, tooOld } from './refused-state.ts';
import { outcomeMs, type SingleUse } from './single-use.ts';
import type { RoundStore } from './state-store.ts';
import type { Seal } from '../../../sealing/seal.ts';

/** State that rounds carry from one request to the next, through the client. */
export interface RoundState {
  /** The number of rounds so far. */
  readonly rounds: number;
  /** The answers that were accepted, each with the digest of its question. */
  readonly answers: Readonly<Record<string, RoundAnswer>>;
  /** The questions that were asked and not yet answered, as digests by key. */
  readonly asked: Readonly<Record<string, string>>;
  /** Outcomes of the side effects that ran. */
  readonly once: Readonly<Record<string, Ran>>;
  /** Prefix of the ids of side effects; left out at the start. */
  readonly seed?: string;
  /** The log messages that earlier runs sent and this one repeats. */
  readonly logs: readonly Stage[];
  /** The highest progress that was sent. */
  readonly progress?: number;
  /** State of a handler that manages its rounds itself. */
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
  /** The largest state that travels, in characters before sealing. A larger one stays in the store. */
  readonly maxStateLength: number;
  readonly store: RoundStore;
  /**
   * True if every state is single-use, false if none is. By default a state is single-use if it holds an answer or an
   * effect.
   */
  readonly singleUse: boolean | undefined;
  /** Runs single-use rounds. */
  readonly used: SingleUse;
  /**
   * Time until which states of an earlier version of this library are accepted. They name no service. Never by default.
   */
  readonly upgradedUntil?: number;
  now(): number;
}

interface Packed {
  /** A unique name, for single-use states. */
  readonly id: string;
  readonly expires: number;
  /** Left out if the state waits in the store, under the id. */
  readonly state?: RoundState;
}

/**
 * Makes the `requestState` of a state, bound to its request and valid for a limited time.
 *
 * @param owner The owner that pays for its room in the store; see `ownerOf`.
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
  // A late delivery may still get the outcome of the one before. That needs the state.
  await store.add(id, jsonText(state), ttlMs + outcomeMs, owner);
  return seal.seal(JSON.stringify({ id, expires } satisfies Packed), boundTo);
}

/** A state that was read. */
export interface OpenedState {
  /** Its unique name. */
  readonly id: string;
  /**
   * The remaining lifetime in milliseconds. Negative if it has expired: then it starts no run, but a kept outcome is
   * returned.
   */
  readonly leftMs: number;
  readonly state: RoundState;
}

/**
 * Reads a `requestState`.
 *
 * @param earlierBound The binding with which earlier versions of this library sealed it.
 * @throws McpError invalidParams for a state that was not made here for this request and this principal, or that
 * expired so long ago that no outcome is kept.
 * (Spec 2026-07-28, MRTR, Server requirements: it is controlled by the attacker.)
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
  // Only text that this server sealed gets this far. It has the shape in which it was written.
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

/** Depth of JSON for a state. It was written here and needs no bound. */
const anyDepth = Number.POSITIVE_INFINITY;

/**
 * No state that was sealed here is longer: a character takes at most three bytes, and a byte takes four thirds of a
 * character.
 */
function longest({ maxStateLength }: RoundSettings): number {
  return 4 * maxStateLength + 1024;
}

/**
 * Binding of a state: the principal, the method, the parameters without the round parameters, and the name of the
 * service. Several services may share keys.
 */
export function bindingOf(method: string, params: JsonObject, principal: string | undefined, service?: string): string {
  const { _meta: _, inputResponses: __, requestState: ___, ...own } = params;
  const request = [principal ?? null, method, own];
  return canonical(service === undefined ? request : [...request, service]);
}
