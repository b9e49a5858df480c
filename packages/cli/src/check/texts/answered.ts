import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isResponse } from '../../../../parley/src/jsonrpc/message.ts';

/** Ids wherever they stand in a text: what stands deeper is no request, and makes one answer more right, not wrong. */
const ids = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/g;

/** Counts requests and their answers by their ids, and knows which answers are more than were asked for. */
export class AnsweredIds {
  readonly #left = new Map<string, number>();

  /** Hears what is sent, be it right or wrong. */
  sent(text: string | Uint8Array): void {
    const words = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    for (const [, id = ''] of words.matchAll(ids)) {
      const key = idKeyOf(jsonIn(id));
      if (key !== undefined) this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
    }
  }

  /** Finds those of some messages that answer what was answered before. */
  again(messages: readonly unknown[]): ReadonlySet<unknown> {
    return new Set(messages.flat().filter((one) => this.#isAgain(one)));
  }

  #isAgain(message: unknown): boolean {
    if (!isResponse(message)) return false;
    const key = idKeyOf(message['id']);
    const left = key === undefined ? undefined : this.#left.get(key);
    // An answer to a request that was never sent is a different fault.
    if (key === undefined || left === undefined) return false;
    this.#left.set(key, left - 1);
    return left <= 0;
  }
}

/** An id without its type, which a server may have changed. */
function idKeyOf(id: unknown): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
