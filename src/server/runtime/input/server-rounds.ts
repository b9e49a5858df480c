/** Rounds of a server as they are given, and the parts that packing their states takes, made when a handler first asks. */

import { monotonicNow } from '../../../jsonrpc/timeout.ts';
import type { RoundSettings } from './request-state.ts';
import { createSeal } from '../../../sealing/seal.ts';
import type { SealingKeys } from '../../../sealing/sealing-key.ts';
import { McpError } from '../../../protocol/error.ts';
import type { Records } from '../../../storage/records.ts';
import { SingleUse } from './single-use.ts';
import { OwnerRooms } from '../../../storage/memory/owner-rooms.ts';
import { StoreError } from '../../../storage/store.ts';
import { memoryRoundStore, type RoundStore } from './state-store.ts';

/** Rounds as a server sets them; what is undefined gets its default. */
export interface ServerRounds {
  /** Name of the service that the states belong to. */
  readonly service?: string | undefined;
  /** The keys of the seal, 32 bytes each; without any one is made for this process. */
  readonly keys: SealingKeys;
  /** Lifetime of a state in milliseconds; an hour by default. */
  readonly ttlMs: number | undefined;
  /** The largest state that travels, in characters; 65,536 by default. */
  readonly maxStateLength: number | undefined;
  /** A place for larger states and for the marks of used ones; without one they are in memory. */
  readonly records: Records | undefined;
  /** Choice whether each state is good for one request only, or none; by default one is that an answer or an effect came before. */
  readonly singleUse: boolean | undefined;
  /** The most rounds that one conversation may have. */
  readonly maxRounds: number;
  /** The time, in milliseconds since 1970; `Date.now` by default. */
  readonly now: (() => number) | undefined;
}

/** Characters that outcomes of rounds take in memory together. */
const outcomeCharacters = 16 * 1024 * 1024;

/** Time for which a repeated request waits for the outcome of another process, in milliseconds. */
const elsewhereMs = 30_000;

const made = new WeakMap<ServerRounds, RoundSettings>();

/** The settings of rounds with their defaults: always the same for the same rounds, since a seal and a store are among them. */
export function roundSettings(rounds: ServerRounds): RoundSettings {
  const known = made.get(rounds);
  if (known !== undefined) return known;
  const { keys, ttlMs = 3_600_000, maxStateLength = 65_536, records, singleUse, now } = rounds;
  const clock = now ?? monotonicNow;
  const shared = records && roundStoreIn(records, new OwnerRooms(clock));
  const store = shared ?? memoryRoundStore({ now: clock });
  // In memory, outcomes take no room from states.
  const outcomes = shared ?? memoryRoundStore({ now: clock, maxCharacters: outcomeCharacters });
  const settings: RoundSettings = {
    seal: createSeal(keys, { purpose: 'rounds', now }),
    ttlMs,
    maxStateLength,
    store,
    singleUse,
    used: new SingleUse(store, outcomes, shared === undefined ? 0 : elsewhereMs),
    // A state that an earlier version of this library sealed is good no longer than its lifetime.
    upgradedUntil: (now ?? Date.now)() + ttlMs,
    // Other processes read what is sealed.
    now: now ?? Date.now,
  };
  made.set(rounds, settings);
  return settings;
}

/** Room that a mark of a used state takes, in characters. */
const markLength = 256;

/** States in records of a store. One that is away has no room now, and says no more to clients. */
function roundStoreIn(records: Records, rooms: OwnerRooms): RoundStore {
  const asked = async <T>(ask: () => T | PromiseLike<T>): Promise<T> => {
    try {
      return await ask();
    } catch (cause) {
      if (!(cause instanceof StoreError) || cause.reason === 'too-large') throw cause;
      throw new McpError('busy', 'the state of the conversation cannot be kept now; try again later', { cause });
    }
  };
  return {
    add: (handle, text, ttlMs, owner) =>
      asked(() => {
        if (rooms.take(owner, text.length + markLength)) return records.add(`round ${handle}`, text, ttlMs);
        throw new McpError('busy', 'one client keeps too much of its conversations; try again in five minutes');
      }),
    get: (handle) => asked(async () => (await records.get(`round ${handle}`))?.text),
  };
}
