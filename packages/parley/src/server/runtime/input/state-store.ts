import { monotonicNow } from '../../../jsonrpc/timeout.ts';
import { McpError } from '../../../protocol/error.ts';

/** Keeps states that are too large to travel (a handle travels instead), and the marks of used states. */
export interface RoundStore {
  /**
   * Keeps text for a time. Returns false, and changes nothing, if the handle is already in use.
   *
   * Empty text marks a state as used. A mark must be kept until its time is over, whatever comes after it. A store
   * without room for a mark rejects, and the request is then refused.
   *
   * @param owner The client that pays for its room, if known: its principal, or else its address.
   */
  add(handle: string, text: string, ttlMs: number, owner?: string): Promise<boolean>;
  /** The text, or `undefined` if it is gone. */
  get(handle: string): Promise<string | undefined>;
}

/** The bounds of a store in memory. */
export interface RoundStoreLimits {
  /** The most states; 1000. Beyond it, the owner with the most states loses its oldest. */
  readonly maxEntries?: number;
  /**
   * The most characters of all states together; 64 Mi. Beyond it, the owner with the most characters loses its oldest
   * state.
   */
  readonly maxCharacters?: number;
  /**
   * The most marks of used states; 250,000, which take about 40 MB. No mark goes before its time. When all places are
   * taken, or an owner has as many as it leaves free, unused states are refused as busy until marks expire.
   */
  readonly maxMarks?: number;
  /** The clock, in milliseconds; monotonic by default. */
  now?(): number;
}

/** Makes a store in this process, bounded. */
export function memoryRoundStore(limits: RoundStoreLimits = {}): RoundStore {
  const { maxMarks = 250_000, now = monotonicNow } = limits;
  const marks = new Marks(maxMarks);
  const texts = new Texts(limits);
  const has = (handle: string, time: number): boolean =>
    marks.has(handle, time) || texts.get(handle, time) !== undefined;
  return {
    async add(handle, text, ttlMs, owner) {
      const time = now();
      if (has(handle, time)) return false;
      if (text === '') marks.add(handle, { until: time + ttlMs, owner }, time);
      else texts.add(handle, { text, expires: time + ttlMs, owner }, time);
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
  readonly owner: string | undefined;
}

/** Texts of one owner. */
interface OwnTexts {
  /** In the order in which they came. */
  readonly handles: Set<string>;
  characters: number;
}

/** States. Losing one costs its client the conversation, and nothing more. */
class Texts {
  readonly #kept = new Map<string, Kept>();
  readonly #owned = new Map<string | undefined, OwnTexts>();
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
    const own = this.#owned.get(kept.owner) ?? { handles: new Set(), characters: 0 };
    this.#owned.set(kept.owner, own);
    own.handles.add(handle);
    this.#count(own, kept.text.length);
    for (const [oldest, { expires }] of this.#kept) {
      if (expires >= time) break;
      this.#drop(oldest);
    }
    while (this.#kept.size > this.#maxEntries) this.#dropOfLargest(({ handles }) => handles.size);
    while (this.#characters > this.#maxCharacters) this.#dropOfLargest(({ characters }) => characters);
  }

  /** Drops the oldest text of the owner with the most, so that a small owner loses nothing to a larger one. */
  #dropOfLargest(sizeOf: (own: OwnTexts) => number): void {
    let largest: OwnTexts | undefined;
    for (const own of this.#owned.values()) if (largest === undefined || sizeOf(own) > sizeOf(largest)) largest = own;
    for (const oldest of largest?.handles ?? []) return this.#drop(oldest);
  }

  #drop(handle: string): void {
    const kept = this.#kept.get(handle);
    const own = kept && this.#owned.get(kept.owner);
    if (kept === undefined || own === undefined) return;
    this.#kept.delete(handle);
    own.handles.delete(handle);
    this.#count(own, -kept.text.length);
    if (own.handles.size === 0) this.#owned.delete(kept.owner);
  }

  #count(own: OwnTexts, characters: number): void {
    own.characters += characters;
    this.#characters += characters;
  }
}

/** Marks that expire within this time of each other are dropped together. */
const slotMs = 10_000;

interface Mark {
  readonly until: number;
  readonly owner: string | undefined;
}

/** Marks of states that were used: forgetting a mark early would let it be used again. */
class Marks {
  /** By handle. */
  readonly #marks = new Map<string, Mark>();
  /** Number of marks by owner. */
  readonly #owned = new Map<string, number>();
  /** The handles by expiry time, so that finding the expired ones is cheap. */
  readonly #slots = new Map<number, string[]>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(handle: string, time: number): boolean {
    return (this.#marks.get(handle)?.until ?? Number.NEGATIVE_INFINITY) >= time;
  }

  /** @throws McpError busy if there is no room, or the owner has as many marks as it leaves free. */
  add(handle: string, mark: Mark, time: number): void {
    if (this.#isFull(mark)) this.#expire(time);
    if (this.#isFull(mark))
      throw new McpError('busy', 'too many conversations were had in a short time; try again later', {
        data: { retryAfterMs: slotMs },
      });
    const slot = Math.ceil(mark.until / slotMs);
    this.#marks.set(handle, mark);
    this.#count(mark, 1);
    const others = this.#slots.get(slot);
    if (others === undefined) this.#slots.set(slot, [handle]);
    else others.push(handle);
  }

  #expire(time: number): void {
    for (const [slot, handles] of this.#slots) {
      if ((slot - 1) * slotMs >= time) continue;
      const alive = handles.filter((handle) => this.has(handle, time) || !this.#delete(handle));
      if (alive.length === 0) this.#slots.delete(slot);
      else this.#slots.set(slot, alive);
    }
  }

  #isFull({ owner }: Mark): boolean {
    const free = this.#most - this.#marks.size;
    return free <= 0 || (owner !== undefined && (this.#owned.get(owner) ?? 0) >= free);
  }

  #delete(handle: string): boolean {
    const mark = this.#marks.get(handle);
    if (mark !== undefined) this.#count(mark, -1);
    return this.#marks.delete(handle);
  }

  #count({ owner }: Mark, change: 1 | -1): void {
    if (owner === undefined) return;
    const own = (this.#owned.get(owner) ?? 0) + change;
    if (own > 0) this.#owned.set(owner, own);
    else this.#owned.delete(owner);
  }
}
