import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { responseIn, type RawExchange } from './exchange.ts';

/** An exchange that goes on. */
export interface Going {
  /** Progress token of the sent request. */
  readonly own: unknown;
  /** True for a message, and not for a stream that was opened by GET. */
  readonly isPost: boolean;
  /** Progress tokens of concurrent requests. */
  readonly beside: Set<unknown>;
}

/** Most requests without an answer, and of questions of the server, that are remembered. */
const most = { running: 100, asked: 1_000 };

/** Things that go on in a conversation: exchanges, requests that were given up and may run, and what the server asked. */
export class GoingOn {
  readonly #running = new Set<unknown>();
  readonly #going = new Set<Going>();
  readonly #asked = new Set<unknown>();
  /** True after a request was cancelled: its later questions are ignored. */
  #isDeaf = false;

  /** Begins an exchange: those that go on learn its token, and it theirs. */
  begins(about: Readonly<Record<string, unknown>> | undefined): Going {
    const going: Going = { own: tokenOf(about), isPost: about !== undefined, beside: new Set(this.#running) };
    for (const { own, beside } of this.#going) {
      if (own !== undefined) going.beside.add(own);
      if (going.own !== undefined) beside.add(going.own);
    }
    this.#going.add(going);
    return going;
  }

  /**
   * Ends an exchange, and remembers what the server asked in it.
   *
   * @returns Ids of all that it asked; `undefined` where it may have asked more: while others go on, and after one that was given up.
   */
  ends(going: Going, { messages, status, end }: RawExchange): ReadonlySet<unknown> | undefined {
    this.#going.delete(going);
    this.#isDeaf ||= going.isPost && status === 200 && end !== 'complete' && end !== 'heard';
    for (const message of messages.flat())
      if (isObject(message) && typeof message['method'] === 'string' && 'id' in message) this.#asks(message['id']);
    return this.#isDeaf || this.#going.size > 0 || this.#asked.size >= most.asked ? undefined : this.#asked;
  }

  /** Records a request that was not answered in time, or that became a task: its messages may come later. */
  gaveUp(exchange: RawExchange, about: Readonly<Record<string, unknown>> | undefined): void {
    const token = tokenOf(about);
    if (token === undefined || about?.['id'] === undefined) return;
    const response = responseIn(exchange, about['id']);
    if (response !== undefined && !(isObject(response.result) && isObject(response.result['task']))) return;
    this.#running.add(token);
    const [oldest] = this.#running;
    if (this.#running.size > most.running) this.#running.delete(oldest);
  }

  #asks(id: unknown): void {
    if (this.#asked.size < most.asked) this.#asked.add(id);
  }
}

/** Progress token of a request; `undefined` where it has none. */
function tokenOf(about: Readonly<Record<string, unknown>> | undefined): unknown {
  const params = about?.['params'];
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta['progressToken'] : undefined;
}
