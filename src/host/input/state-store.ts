import { monotonicNow } from '../../jsonrpc/timeout.ts';
import { refuseUnknown, type Names } from '../../mistakes/known-names.ts';
import { refuseNoNumber } from '../../mistakes/known-values.ts';
import { McpError } from '../../protocol/error.ts';

/** Keeps states that are too large to travel, for which a handle travels instead, and the marks of those that were used. */
export interface RoundStore {
  /**
   * Keeps text for a time; gives false, and changes nothing, when something is kept under the handle already.
   *
   * Empty text is a mark of what may be used once. A mark must be kept until its time is over, whatever comes after it:
   * a store that has no room for one rejects, and what it would have marked is refused.
   */
  add(handle: string, text: string, ttlMs: number): Promise<boolean>;
  /** Text that is kept, or `undefined` when it is gone. */
  get(handle: string): Promise<string | undefined>;
}

/** The bounds of a store in memory. */
export interface RoundStoreLimits {
  /** The most states; 1000. The oldest go first. */
  readonly maxEntries?: number;
  /** The most characters that states have together; 64 Mi. */
  readonly maxCharacters?: number;
  /**
   * The most marks of states that were used; 250,000, which take about 40 MB. None goes before its time: when all places are
   * taken, states that were not used yet are refused as busy, until marks expire.
   */
  readonly maxMarks?: number;
  /** The clock, in milliseconds; one that never jumps by default. */
  now?(): number;
}

const limitNames: Names<RoundStoreLimits> = { maxEntries: 1, maxCharacters: 1, maxMarks: 1, now: 1 };

/**
 * Makes a store in this process, bounded.
 *
 * @throws TypeError for limits that are unknown or make no sense.
 */
export function memoryRoundStore(limits: RoundStoreLimits = {}): RoundStore {
  refuseUnknown('memoryRoundStore', limits, limitNames);
  const { maxMarks = 250_000, now = monotonicNow, ...numbers } = limits;
  for (const [name, value] of Object.entries({ maxMarks, ...numbers })) refuseNoNumber(name, value);
  const marks = new Marks(maxMarks);
  const texts = new Texts(limits);
  const has = (handle: string, time: number): boolean =>
    marks.has(handle, time) || texts.get(handle, time) !== undefined;
  return {
    async add(handle, text, ttlMs) {
      const time = now();
      if (has(handle, time)) return false;
      if (text === '') marks.add(handle, time, ttlMs);
      else texts.add(handle, { text, expires: time + ttlMs }, time);
      return true;
    },
    async get(handle) {
      const time = now();
      return marks.has(handle, time) ? '' : texts.get(handle, time);
    },
  };
}

interface Kept {
  readonly text: string;
  readonly expires: number;
}

/** States: losing one costs its client the conversation, and nothing else. */
class Texts {
  readonly #kept = new Map<string, Kept>();
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #characters = 0;

  constructor({ maxEntries = 1000, maxCharacters = 64 * 1024 * 1024 }: RoundStoreLimits) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  get(handle: string, time: number): string | undefined {
    const found = this.#kept.get(handle);
    if (found === undefined || found.expires >= time) return found?.text;
    this.#drop(handle);
    return undefined;
  }

  add(handle: string, kept: Kept, time: number): void {
    this.#kept.set(handle, kept);
    this.#characters += kept.text.length;
    for (const [oldest, { expires }] of this.#kept) {
      if (this.#kept.size <= this.#maxEntries && this.#characters <= this.#maxCharacters && expires >= time) break;
      this.#drop(oldest);
    }
  }

  #drop(handle: string): void {
    this.#characters -= this.#kept.get(handle)?.text.length ?? 0;
    this.#kept.delete(handle);
  }
}

/** The marks that expire within so long of each other are dropped together. */
const slotMs = 10_000;

/** Marks of states that were used: forgetting a mark early would let it be used again. */
class Marks {
  /** Until when, by handle. */
  readonly #until = new Map<string, number>();
  /** The handles by when they expire, so that finding the expired ones costs little. */
  readonly #slots = new Map<number, string[]>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(handle: string, time: number): boolean {
    const until = this.#until.get(handle);
    return until !== undefined && until >= time;
  }

  /** @throws McpError busy when there is no room. */
  add(handle: string, time: number, ttlMs: number): void {
    if (this.#until.size >= this.#most) this.#expire(time);
    if (this.#until.size >= this.#most)
      throw new McpError('busy', 'too many conversations were had in a short time; try again later', {
        data: { retryAfterMs: slotMs },
      });
    const until = time + ttlMs;
    const slot = Math.ceil(until / slotMs);
    this.#until.set(handle, until);
    const others = this.#slots.get(slot);
    if (others === undefined) this.#slots.set(slot, [handle]);
    else others.push(handle);
  }

  #expire(time: number): void {
    for (const [slot, handles] of this.#slots) {
      if ((slot - 1) * slotMs >= time) continue;
      const alive = handles.filter((handle) => this.has(handle, time) || !this.#until.delete(handle));
      if (alive.length === 0) this.#slots.delete(slot);
      else this.#slots.set(slot, alive);
    }
  }
}
