import type { Inbox } from './inbox.ts';
import type { Announced } from './words.ts';

/** Times at which the end of a session is told that could not be told, in milliseconds: there is nobody who would tell it later. */
const endAgainMs = [1_000, 4_000];

/** The other copies of a session. What they could not be told of its state they are told later: the newest of each kind says all. */
export class Copies {
  readonly #inbox: Inbox;
  readonly #channel: string;
  readonly #failed: (cause: unknown) => void;
  readonly #untold = new Map<Announced['kind'], Announced>();

  /** @param failed Hears why they could not be told, once for what is told again. */
  constructor(inbox: Inbox, channel: string, failed: (cause: unknown) => void) {
    this.#inbox = inbox;
    this.#channel = channel;
    this.#failed = failed;
  }

  /** Tells all of them, at once and again after these times, in milliseconds; gives false where that failed. It never rejects. */
  async tell(announced: Announced, again: readonly number[] = []): Promise<boolean> {
    const { kind } = announced;
    const isState = kind === 'changed' || kind === 'claimed';
    // What is told now says more.
    const isKnown = this.#untold.delete(kind);
    try {
      await this.#inbox.announce(this.#channel, announced, again);
      return true;
    } catch (cause) {
      if (!isKnown) this.#failed(cause);
      if (isState && !this.#untold.has(kind)) this.#untold.set(kind, announced);
      if (kind === 'ended' && again.length === 0) void this.tell(announced, endAgainMs);
      return false;
    }
  }

  /** Tells them what they could not be told; gives false where that failed again. */
  async tellAgain(): Promise<boolean> {
    for (const announced of this.#untold.values()) if (!(await this.tell(announced))) return false;
    return true;
  }
}
