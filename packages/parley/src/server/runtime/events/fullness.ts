import { after } from '../../../jsonrpc/timeout.ts';
import type { OnEvent } from './service-event.ts';

/** Time without a refusal after which a store counts as having room, in milliseconds. */
const quietMs = 5_000;

/** Records whether a store is full. Only writes show that. Reads work all the same. */
export class Fullness {
  readonly #tell: OnEvent;
  /** Operations that were refused because the store is full. */
  readonly #refused = new Set<string>();
  #since = 0;
  /**
   * Cancels the wait that one success began. A store may refuse some keys and accept others, for example if one node of
   * several is full.
   */
  #stopWaiting: (() => void) | undefined;

  constructor(tell: OnEvent) {
    this.#tell = tell;
  }

  /** Records a refusal for lack of room. It is reported once, until the store has room again. */
  refused(operation: string): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    const isFirst = this.#refused.size === 0;
    this.#refused.add(operation);
    if (!isFirst) return;
    this.#since = performance.now();
    this.#tell({ type: 'store-full' });
  }

  /** Records a success. The store has room if the refused operations succeed and none is refused for a while. */
  went(operation: string): void {
    if (this.#stopWaiting !== undefined || !this.#refused.has(operation)) return;
    const fullMs = performance.now() - this.#since;
    this.#stopWaiting = after(quietMs, () => {
      this.#stopWaiting = undefined;
      this.#refused.clear();
      this.#tell({ type: 'store-roomy', fullMs });
    });
  }
}
