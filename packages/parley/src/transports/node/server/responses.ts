import type { ServerResponse } from 'node:http';
import { settledWithin } from '../../../jsonrpc/timeout.ts';

/** Responses that are under way; connections limit them. */
export class Responses {
  readonly #all = new Set<ServerResponse>();
  #none = (): void => {};
  #ended: Promise<boolean> | undefined;

  /**
   * Counts one, until it is sent or its connection has closed.
   *
   * @returns Stops counting it.
   */
  add(response: ServerResponse): () => void {
    const ended = (): void => {
      this.#all.delete(response);
      if (this.#all.size === 0) this.#none();
    };
    this.#all.add(response);
    response.once('close', ended);
    return ended;
  }

  /** Waits until there is none, for at most the given milliseconds. */
  async end(ms: number): Promise<void> {
    if (this.#all.size > 0) this.#ended ??= settledWithin(ms, new Promise<void>((resolve) => (this.#none = resolve)));
    await this.#ended;
  }
}
