import { jsonText } from '../../../../json/exact-number.ts';
import type { AuthInfo } from '../../../../host/endpoint.ts';
import { withLargeIds } from '../../../../json/large-id.ts';
import { isObject } from '../../../../jsonrpc/message.ts';
import { StoreError, type Store } from '../../../../store/store.ts';
import { Inbox } from './inbox.ts';

/** Time that the process with the stream has to say that it took a message, in milliseconds. */
const patienceMs = 5_000;

/** Taker of the JSON text that came to another process for a stream that is open here; false when there is no such stream of that principal. */
export type TakePosted = (id: string, text: string, auth: AuthInfo | undefined) => boolean;

/** Way of what is POSTed for a stream of HTTP+SSE to the process that has it: the id names that. */
export class PairRelay {
  readonly #inbox: Inbox;

  constructor(store: Store, take: TakePosted) {
    this.#inbox = new Inbox(
      store,
      (told) => {
        if (told.kind !== 'post') return;
        const isTaken = take(told.session, told.text, authOf(told.auth));
        void this.#inbox.reply(told, isTaken ? 'taken' : 'not-here');
      },
      // A message that was missed has no answer, and its sender hears that.
      () => undefined,
    );
  }

  /**
   * Listens for what comes to others.
   *
   * @throws StoreError when that cannot be.
   */
  async open(): Promise<void> {
    await this.#inbox.open();
  }

  /** An id for a stream that is opened here. */
  nameOf(id: string): string {
    return `${id}-${this.#inbox.name}`;
  }

  /** The process that has a stream, by its id; `undefined` for this one, and for an id that is none. */
  elsewhere(id: string): string | undefined {
    const [, process] = /^[0-9a-f]{48}-([0-9a-f]{18})$/.exec(id) ?? [];
    return process === this.#inbox.name ? undefined : process;
  }

  /**
   * Hands a message on.
   *
   * @returns `nobody` when nobody has the stream, or it is somebody else's; `silent` when its process does not say so, and may have taken it; so does `closing`, where this one comes to its end.
   * @throws StoreError when nobody was told.
   */
  async pass(
    process: string,
    session: string,
    { value, auth }: { readonly value: unknown; readonly auth: unknown },
  ): Promise<'taken' | 'nobody' | 'silent' | 'closing'> {
    await this.#inbox.open();
    const { name } = this.#inbox;
    const text = withLargeIds(jsonText(value));
    const reply = await this.#inbox
      .ask(process, (line) => ({ kind: 'post', session, process: name, line, text, auth }), patienceMs)
      .catch((cause: unknown) => {
        // It may have been told, and its reply went to nobody.
        if (cause instanceof StoreError && cause.reason === 'unavailable') return undefined;
        throw cause;
      });
    if (reply === undefined) return 'silent';
    if (reply === 'closed') return 'closing';
    return reply === 'taken' ? 'taken' : 'nobody';
  }

  async close(): Promise<void> {
    await this.#inbox.close();
  }
}

function authOf(value: unknown): AuthInfo | undefined {
  // Another process of the same service established it, and the type is that of what it sent.
  return isObject(value) && typeof value['principal'] === 'string' ? (value as unknown as AuthInfo) : undefined;
}
