import { StoreError } from '../../store.ts';
import type { StreamLog, StreamLogs, StreamTail, StreamWriter } from '../../stream-log.ts';
import type { Calls } from './calls.ts';
import { asStoreError } from './engine.ts';
import type { RedisKeys } from './keys.ts';
import { storeScripts } from './store-scripts.ts';

/** Limits of one session. */
const maxEvents = 200;
const mostBytes = 1024 * 1024;
/** Lifetime of a stream after its last write. */
const lifeMs = 5 * 60_000;
/** The longest text about a stream, in characters. */
const maxAboutLength = 65_536;
/** The most events, and characters of them, that one script is given. */
const maxAtOnce = 100;
const maxAtOnceLength = 1024 * 1024;
/** The most characters of one stream that wait for those before. */
const maxWaiting = 8 * 1024 * 1024;
/** Limits of streams, and of calls of one stream, whose outcome is unknown. */
const maxInDoubt = 1_000;
const maxOfOne = 8;

/** Streams of sessions in Redis: a hash for each session, and a list of events for each stream, which go by themselves. */
export class RedisStreams implements StreamLogs {
  readonly #calls: Calls;
  readonly #keys: RedisKeys;
  readonly #maxAboutLength: number;
  /** Names this process among those who call. */
  readonly #caller: string = crypto.randomUUID().replaceAll('-', '').slice(0, 12);
  #calling = 0;
  /** Marks of calls that failed and may be done yet, the newest first, by the keys of their streams. */
  readonly #inDoubt = new Map<string, readonly string[]>();

  /** @param room Times that a text may be longer than one of a user. */
  constructor(calls: Calls, keys: RedisKeys, room: number) {
    this.#maxAboutLength = maxAboutLength * room;
    this.#calls = calls;
    this.#keys = keys;
  }

  open(session: string): StreamLog {
    return {
      write: (stream, about, mark) => this.#write(session, { stream, about }, mark),
      read: (stream, after) => this.#read(session, stream, after),
      clear: async () => {
        await this.#calls.run(storeScripts.clear, [this.#keys.session(session)], [lifeMs]);
      },
    };
  }

  #keysOf(session: string, stream: string): readonly [string, string] {
    return [this.#keys.session(session), this.#keys.events(session, stream)];
  }

  async #write(
    session: string,
    { stream, about }: { readonly stream: string; readonly about: string },
    mark = '',
  ): Promise<StreamWriter> {
    if (about.length > this.#maxAboutLength)
      throw new StoreError('too-large', `the description of a stream has up to ${maxAboutLength} characters`);
    const keys = this.#keysOf(session, stream);
    const name = this.#keys.tag(stream);
    const begun = await this.#begun(keys, [name, about, lifeMs, maxEvents, mark]);
    if (!Array.isArray(begun)) throw fenced();
    const [epoch, last]: readonly unknown[] = begun;
    return new RedisStreamWriter(this.#calls, { keys, name, about, epoch: String(epoch), last: Number(last) });
  }

  /**
   * Makes a new writer. A writer that is not the previous one has the mark of its call. So a late duplicate of that
   * call fences no newer writer. If a call has no answer, it is repeated unchanged, with a list of other calls that may
   * be late.
   */
  async #begun(
    keys: readonly [string, string],
    values: readonly [...(string | number)[], mark: string],
  ): Promise<unknown> {
    const run = async (...calls: readonly string[]): Promise<unknown> =>
      await this.#calls.run(storeScripts.write, keys, [...values, ...calls]);
    if (values.at(-1) !== '') return await run('');
    const [, stream] = keys;
    const [before, ...late] = this.#inDoubt.get(stream) ?? [];
    // Of two that call at once one alone makes the call of before.
    this.#inDoubt.delete(stream);
    let call = before ?? this.#nextCall();
    try {
      const begun = await run(call, ...late);
      if (before === undefined || Array.isArray(begun)) return begun;
      // It was done, and another is the writer since.
      call = this.#nextCall();
      return await run(call, ...late);
    } catch (error) {
      this.#inDoubt.set(stream, [call, ...late, ...(this.#inDoubt.get(stream) ?? [])].slice(0, maxOfOne));
      const [oldest = stream] = this.#inDoubt.keys();
      if (this.#inDoubt.size > maxInDoubt) this.#inDoubt.delete(oldest);
      throw error;
    }
  }

  #nextCall(): string {
    return `${this.#caller}${(++this.#calling).toString(36)}`;
  }

  async #read(session: string, stream: string, after: number): Promise<StreamTail | undefined> {
    const values = [this.#keys.tag(stream), after, lifeMs];
    const found = await this.#calls.run(storeScripts.read, this.#keysOf(session, stream), values);
    if (!Array.isArray(found)) return undefined;
    // The script returns exactly this.
    const [complete, about, texts] = found as [number, string, string[]];
    const events = texts.map((data, at) => ({ number: after + 1 + at, data }));
    return { events, complete: complete === 1, about };
  }
}

/** Facts that a writer knows of his stream. */
interface WriterState {
  readonly keys: readonly [string, string];
  readonly name: string;
  readonly about: string;
  readonly epoch: string;
  readonly last: number;
}

interface Waiting {
  readonly number: number;
  readonly data: string;
  readonly last: boolean;
  readonly until: number;
  resolve(number: number): void;
  reject(error: StoreError): void;
}

/** Writes a stream: one script at a time, which is given all that came meanwhile. */
class RedisStreamWriter implements StreamWriter {
  readonly #calls: Calls;
  readonly #stream: WriterState;
  /** Numbers of the last event that is known to be stored, and of the last assigned one. */
  #kept: number;
  #last: number;
  #waiting: Waiting[] = [];
  #length = 0;
  #isSending = false;
  #failure: StoreError | undefined;

  constructor(calls: Calls, stream: WriterState) {
    this.#calls = calls;
    this.#stream = stream;
    this.#kept = this.#last = stream.last;
  }

  get mark(): string {
    return `${this.#stream.epoch} ${this.#kept}`;
  }

  append(data: string, last = false): Promise<number> {
    if (this.#failure === undefined && this.#length + data.length > maxWaiting && this.#waiting.length > 0)
      this.#fail(new StoreError('unavailable', 'more events of one stream wait for Redis than there is room for'));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const until = this.#calls.lastMoment();
      this.#waiting.push({ number: ++this.#last, data, last, until, resolve, reject });
      this.#length += data.length;
      if (!this.#isSending) void this.#send();
    });
  }

  /** Never rejects. */
  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const some = this.#next();
      try {
        await this.#keep(some);
        for (const { number, resolve } of some) resolve((this.#kept = number));
      } catch (error) {
        const failure = asStoreError(error);
        this.#fail(failure);
        for (const { reject } of some) reject(failure);
      }
    }
    this.#isSending = false;
  }

  /** Those that go together: the last event of a stream ends them. */
  #next(): readonly [Waiting, ...Waiting[]] {
    let length = 0;
    let count = 0;
    for (const { data, last } of this.#waiting) {
      length += data.length;
      if (count > 0 && (length > maxAtOnceLength || count >= maxAtOnce)) break;
      count++;
      if (last) break;
    }
    const some = this.#waiting.splice(0, count);
    for (const { data } of some) this.#length -= data.length;
    // There is at least one when this is called.
    return some as unknown as readonly [Waiting, ...Waiting[]];
  }

  async #keep(some: readonly [Waiting, ...Waiting[]]): Promise<void> {
    const { keys, name, about, epoch } = this.#stream;
    const [{ number, until }] = some;
    const isLast = some.at(-1)?.last === true ? 1 : 0;
    const head = [name, epoch, number, isLast, lifeMs, maxEvents, mostBytes];
    const texts = some.map(({ data }) => data);
    let kept = await this.#calls.run(storeScripts.append, keys, [...head, '', ...texts], until);
    // The stream was dropped: its writer sends its description again.
    if (kept === 'unknown')
      kept = await this.#calls.run(storeScripts.append, keys, [...head, `=${about}`, ...texts], until);
    if (kept === 'fenced') throw fenced();
    if (kept !== 'kept') throw new StoreError('unavailable', 'earlier events were not stored');
  }

  #fail(failure: StoreError): void {
    this.#failure ??= failure;
    for (const { reject } of this.#waiting) reject(failure);
    this.#waiting = [];
    this.#length = 0;
  }
}

function fenced(): StoreError {
  return new StoreError('fenced', 'the stream is complete, or another process writes it');
}
