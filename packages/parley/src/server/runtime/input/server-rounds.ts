/** The round settings of a server, and the code that packs their states. It is created when a handler first asks. */

import type { ServerRounds } from '../server-core.ts';
import { monotonicNow } from '../../../jsonrpc/timeout.ts';
import type { RoundSettings } from './request-state.ts';
import { createSeal } from '../../../sealing/seal.ts';
import { McpError } from '../../../protocol/error.ts';
import type { Records } from '../../../storage/records.ts';
import { SingleUse } from './single-use.ts';
import { OwnerRooms, windowMs } from '../../../storage/memory/owner-rooms.ts';
import { StoreError } from '../../../storage/store.ts';
import { memoryRoundStore, type RoundStore } from './state-store.ts';

/** Limit of characters for the outcomes of rounds in memory. */
const outcomeCharacters = 16 * 1024 * 1024;

/** Time for which a repeated request waits for the outcome at another process, in milliseconds. */
const elsewhereMs = 30_000;

const made = new WeakMap<ServerRounds, RoundSettings>();

/**
 * The settings of rounds with their defaults. Always the same object for the same rounds, since it holds a seal and a
 * store.
 */
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
    // A state that an earlier version of this library sealed is valid no longer than its lifetime.
    upgradedUntil: (now ?? Date.now)() + ttlMs,
    // Other processes read the sealed states, so this uses wall-clock time.
    now: now ?? Date.now,
  };
  made.set(rounds, settings);
  return settings;
}

/** Room for a mark of a used state, in characters. */
const markLength = 256;

/** States in the records of a store. If the store is down, clients learn only that there is no room now. */
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
        throw new McpError('busy', 'one client keeps too much of its conversations; try again in five minutes', {
          data: { retryAfterMs: windowMs },
        });
      }),
    get: (handle) => asked(async () => (await records.get(`round ${handle}`))?.text),
  };
}
