import { after } from '../../../jsonrpc/timeout.ts';
import type { OnEvent } from './service-event.ts';

/** Time for which nothing may be refused until a store counts as one with room, in milliseconds. */
const quietMs = 5_000;

/** Knowledge of whether a store is full, which only shows where something is to be kept: what is kept can be read all the same. */
export class Fullness {
  readonly #tell: OnEvent;
  /** Operations that were refused since it is full. */
  readonly #refused = new Set<string>();
  #since = 0;
  /** Gives up the wait that one success began: a store may refuse some keys and take others, as where one node of several is full. */
  #stopWaiting: (() => void) | undefined;

  constructor(tell: OnEvent) {
    this.#tell = tell;
  }

  /** Hears that something was refused for lack of room; told once until there is some. */
  refused(operation: string): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    const isFirst = this.#refused.size === 0;
    this.#refused.add(operation);
    if (!isFirst) return;
    this.#since = performance.now();
    this.#tell({ type: 'store-full' });
  }

  /** Hears that something was done: there is room, where it is what was refused and nothing is refused for a while. */
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
