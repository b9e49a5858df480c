import { after, settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import { ReplyCollector, Unasked, type RawExchange, type ExchangeLimits } from './exchange.ts';
import type { RawHttp, RawStream } from './http.ts';
import type { RawLines } from './lines.ts';
import { isMessageText } from './manner.ts';

/** Event of a stream as it came. */
export interface PairEvent {
  readonly type: string;
  readonly data: string;
  /** True where it came before the one that names the endpoint. */
  readonly isEarly: boolean;
}

/** A server that speaks HTTP+SSE: it says everything on one stream, and hears what is posted to the endpoint that it names there. */
export interface RawPair extends RawLines {
  /** The GET, and the response with which the stream begins. */
  readonly opening: RawExchange;
  /** Events before the one that names the endpoint, and those that are no messages. */
  readonly odd: readonly PairEvent[];
  /** Text of the event that names the endpoint; `undefined` where none came. */
  readonly named: string | undefined;
  /** Path and query of the endpoint; `undefined` where none was named, or one of another origin. */
  readonly endpoint: string | undefined;
  /** Posts a text, and gives the response to the POST alone. */
  post(
    text: string | Uint8Array,
    patience: ExchangeLimits,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RawExchange>;
}

/** Limits of odd events that are kept, and of the data of each, in characters. */
const [oddKept, oddData] = [100, 10_000];
const jsonType = { 'content-type': 'application/json' };

/** Opens the stream, and waits for its first event. It does not reject. */
export async function rawPair(http: RawHttp, waitTimeoutMs: number): Promise<RawPair> {
  const pair = new Pair(http);
  await pair.open(waitTimeoutMs);
  return pair;
}

class Pair implements RawPair {
  readonly #unasked = new Unasked();
  readonly odd: PairEvent[] = [];
  readonly exited: Promise<void>;
  ended: string | undefined;
  named: string | undefined;
  endpoint: string | undefined;
  readonly #http: RawHttp;
  #stream: RawStream | undefined;
  #hears: ((data: string) => void) | undefined;
  #gone: (() => void) | undefined;
  #leave: () => void = () => undefined;
  #first: () => void = () => undefined;

  constructor(http: RawHttp) {
    this.#http = http;
    this.exited = new Promise((resolve) => (this.#leave = resolve));
  }

  get unasked(): readonly string[] {
    return this.#unasked.pieces;
  }

  get opening(): RawExchange {
    if (this.#stream === undefined) throw new Error('the stream was not opened');
    return this.#stream.exchange;
  }

  async open(waitTimeoutMs: number): Promise<void> {
    const first = new Promise<void>((resolve) => (this.#first = resolve));
    this.#stream = await this.#http.listen(
      { headers: { accept: 'text/event-stream' }, waitTimeoutMs },
      { event: (type, data) => this.#came(type, data), over: () => this.#over('the stream ended') },
    );
    if (!this.#stream.isOpen) this.#over('there is no stream');
    else await settledWithin(waitTimeoutMs, first);
  }

  async send(text: string | Uint8Array, patience: ExchangeLimits): Promise<RawExchange> {
    const coming = new ReplyCollector();
    let posted: RawExchange | undefined;
    const end = await new Promise<RawExchange['end']>((resolve) => {
      if (this.ended !== undefined) return resolve('gone');
      const over = (how: RawExchange['end']): void => {
        cancel();
        this.#hears = this.#gone = undefined;
        resolve(how);
      };
      const cancel = after(patience.waitTimeoutMs, () => over('silent'), true);
      this.#gone = () => over('gone');
      this.#hears = (data) => {
        coming.piece(data);
        if (!coming.keep(`${data}\n`)) over('limit');
        else if (patience.until?.(coming.messages) === true) over('heard');
      };
      void this.post(text, patience).then((answer) => {
        posted = answer;
        // A rejected request has no answer on the stream.
        if (answer.status === undefined || answer.status >= 400) over('complete');
      });
    });
    const { messages, malformed } = coming;
    const sent = `POST ${withoutQuery(this.endpoint ?? '')}\n\n${shortened(text)}`;
    const refusal = posted?.status !== undefined && posted.status >= 400 ? posted : undefined;
    const head = { sent, status: refusal?.status, headers: refusal?.headers ?? {} };
    const reason = this.ended === undefined ? {} : { reason: this.ended };
    return { ...head, text: coming.text || (refusal?.text ?? ''), messages, malformed, end, ...reason };
  }

  async post(
    text: string | Uint8Array,
    { waitTimeoutMs }: ExchangeLimits,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawExchange> {
    const path = this.endpoint ?? '/';
    const answer = await this.#http.send({
      method: 'POST',
      path,
      headers: { ...jsonType, ...headers },
      body: text,
      waitTimeoutMs,
    });
    // The query is the key to the session.
    return { ...answer, sent: answer.sent.replace(path, withoutQuery(path)) };
  }

  write(text: string): void {
    void this.post(text, { waitTimeoutMs: 5_000 });
  }

  endInput(): void {
    this.#stream?.close();
  }

  async close(): Promise<void> {
    this.endInput();
    await settledWithin(200, this.exited);
  }

  #came(type: string, data: string): void {
    if (type === 'endpoint' && this.named === undefined) {
      this.named = data;
      const { url } = this.#http;
      const place = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
      if (place?.origin === url.origin) this.endpoint = `${place.pathname}${place.search}`;
      return this.#first();
    }
    const isOdd = type !== 'message' || this.named === undefined;
    if (isOdd && this.odd.length < oddKept)
      this.odd.push({ type: type.slice(0, 100), data: data.slice(0, oddData), isEarly: this.named === undefined });
    // Events of other types may hold anything, such as a sign of life. A message among them is read all the same.
    if (isOdd && !isMessageText(data)) return;
    if (this.#hears !== undefined) this.#hears(data);
    else this.#unasked.add(data);
  }

  #over(how: string): void {
    this.ended ??= how;
    this.#gone?.();
    this.#first();
    this.#leave();
  }
}

function withoutQuery(path: string): string {
  const [before = ''] = path.split('?');
  return before === path ? path : `${before}?…`;
}

function shortened(text: string | Uint8Array): string {
  const words = typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
  return words.length > 2_000 ? `${words.slice(0, 2_000)}… (${words.length} characters)` : words;
}
