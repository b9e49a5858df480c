import type { OnEvent } from './service-event.ts';

/** Knowledge of whether a store is full, which only shows where something is to be kept: what is kept can be read all the same. */
export class Fullness {
  readonly #tell: OnEvent;
  /** Operations that were refused since it is full. */
  readonly #refused = new Set<string>();
  #since = 0;

  constructor(tell: OnEvent) {
    this.#tell = tell;
  }

  /** Hears that something was refused for lack of room; told once until there is some. */
  refused(operation: string): void {
    const isFirst = this.#refused.size === 0;
    this.#refused.add(operation);
    if (!isFirst) return;
    this.#since = performance.now();
    this.#tell({ type: 'store-full' });
  }

  /** Hears that something was done: there is room, where it is what was refused. */
  went(operation: string): void {
    if (!this.#refused.has(operation)) return;
    this.#refused.clear();
    this.#tell({ type: 'store-roomy', fullMs: performance.now() - this.#since });
  }
}
