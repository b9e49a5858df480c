/** What a client keeps knowing: it subscribes, looks whenever it hears of a change, and looks again until that succeeds. */

import type { Subscription, SubscriptionEvent, Topics } from '../../../packages/parley/src/client/api/subscription.ts';

/** What is watched, and how a client learns of it. */
export interface WatchingParts {
  subscribe(hear: (event: SubscriptionEvent) => void): Promise<Subscription>;
  /** Reads it as it is now. */
  read(): Promise<number>;
  /** Tells whether the server agreed to tell of it. */
  isHonored(topics: Topics): boolean;
  /** Hears why it is not watched. */
  note(words: string): void;
}

/** Something that a client watches; nothing until it begins. */
export class Watching {
  readonly #parts: WatchingParts;
  #known: Promise<number> | undefined;
  #looks = 0;
  #isOver = false;
  #isOn = false;
  #subscription: Subscription | undefined;

  constructor(parts: WatchingParts) {
    this.#parts = parts;
  }

  /** What is known of it; `undefined` where it is not watched. */
  known(): Promise<number> | undefined {
    return this.#isOn ? this.#known : undefined;
  }

  async begin(): Promise<void> {
    if (this.#isOn) return;
    try {
      this.#isOn = true;
      const subscription = await this.#parts.subscribe(() => this.#look());
      if (!this.#parts.isHonored(subscription.honored)) {
        this.#isOn = false;
        return await subscription.close();
      }
      this.#subscription = subscription;
      this.#look();
      // The client tried for long, or was refused: who wants to hear more asks anew.
      void subscription.closed.then(() => {
        if (this.#subscription !== subscription) return;
        this.#isOn = false;
        if (!this.#isOver) setTimeout(() => void this.begin(), 500);
      });
    } catch (error) {
      this.#isOn = false;
      this.#parts.note(`does not watch: ${String(error)}`);
    }
  }

  /** Ends the subscription for good. */
  async end(): Promise<void> {
    const subscription = this.#subscription;
    if (!this.#isOn || subscription === undefined) return;
    this.#subscription = undefined;
    this.#isOn = false;
    this.leaves();
    await subscription.close();
  }

  /** It is not begun again. */
  isOver(): void {
    this.#isOver = true;
  }

  /** What is still sought is not sought any more. */
  leaves(): void {
    this.#looks++;
  }

  /** Reads it until that succeeds; what is wanted anew is not sought any more. */
  #look(): void {
    const look = ++this.#looks;
    const read = async (): Promise<number> => {
      for (let tries = 0; tries < 1_000; tries++)
        try {
          return await this.#parts.read();
        } catch {
          if (look !== this.#looks) break;
          await new Promise<void>((resolve) => void setTimeout(resolve, 500));
        }
      return Number.NaN;
    };
    this.#known = read();
  }
}
