import { after } from '../../jsonrpc/timeout.ts';

const shortestMs = 1_000;
const maxMs = 30_000;
/**
 * The longest pause that a server may request, in milliseconds. Otherwise a bad value could delay a message forever.
 */
export const maxAskedMs = 60_000;
/** Time that a stream must have been open for its end not to count as one more failure in a row, in milliseconds. */
export const steadyMs = 5_000;

/**
 * Time to wait before trying again: twice as long each time, between 1 and 30 seconds, and scattered so that the
 * clients of a server that came back do not all come at once.
 *
 * @param tries How often in a row it was tried before.
 * @param random A number from 0 up to, not including, 1.
 */
export function backoffMs(tries: number, random: number): number {
  const full = Math.min(maxMs, shortestMs * 2 ** tries);
  return Math.max(shortestMs, full - (random * full) / 2);
}

/** Interruptible pauses; all can be cut short together. They keep the process alive, because work follows them. */
export class Pauses {
  readonly #waits = new Set<() => void>();

  /** Resolves after a time, or when it is woken. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        cancel();
        this.#waits.delete(over);
        resolve();
      };
      const cancel = after(ms, over, true);
      this.#waits.add(over);
    });
  }

  /** Ends every wait. */
  wake(): void {
    for (const over of this.#waits) over();
  }
}
