import { after } from '../../../../../jsonrpc/timeout.ts';
import { insistent, type InsistentBus } from '../../../../../connection/relay/insistent.ts';
import { busOfLongTexts } from '../../../../../storage/long-texts.ts';
import { longestBusText, type Bus, type Unsubscribe } from '../../../../../storage/bus.ts';
import { StoreError, type Store } from '../../../../../storage/store.ts';
import { randomText } from '../rules.ts';
import { readAnnounced, readTold, type Announced, type LineReply, type ToldProcess } from './words.ts';

/** Times at which something that nobody heard is said again, in milliseconds; the process may be about to hear again. */
const againMs = [250, 1_000, 3_500];

/** The most characters of what waits to be said again; more is said once. */
const mostWaiting = 16 * 1024 * 1024;

/** Beginning of the channels of processes, on each of which one alone listens. */
const toProcess = 'process ';

type ToSession = Exclude<ToldProcess, { kind: 'reply' }>;

/** Way of one process to hear what others tell it alone. Its name stands in the ids that it gives out, by which others find it. */
export class Inbox {
  /** Random: nobody has it twice, and it says nothing of the machine. */
  readonly name: string = randomText(9);
  readonly #bus: Bus;
  /** The same, for what says of a process that nobody hears there. */
  readonly #sure: InsistentBus;
  readonly #hear: (told: ToSession) => void;
  readonly #onGap: () => void;
  readonly #lines = new Map<string, (reply: LineReply) => void>();
  #open: Promise<Unsubscribe> | undefined;
  /** Ends of pauses between what is told again and again. */
  readonly #pauses = new Set<() => void>();
  #waiting = 0;
  #last = 0;
  #closed = false;

  /**
   * @param hear Hears what is said of a session.
   * @param onGap Hears that something may have been missed.
   */
  constructor(store: Store, hear: (told: ToSession) => void, onGap: () => void) {
    this.#bus = busOfLongTexts(store, (channel) => channel.startsWith(toProcess));
    this.#sure = insistent(this.#bus);
    this.#hear = hear;
    this.#onGap = onGap;
  }

  /**
   * Listens, from when it resolves; asking again is fine.
   *
   * @throws StoreError when the bus cannot be reached; the next one tries again.
   */
  async open(): Promise<void> {
    try {
      await (this.#open ??= this.#listen());
    } catch (error) {
      this.#open = undefined;
      throw error;
    }
  }

  /** A number that nobody has twice in this process. */
  next(): number {
    return ++this.#last;
  }

  /**
   * Tells a process something, once more after a moment where nobody hears it.
   *
   * @returns False when nobody does then either: the process is gone.
   * @throws StoreError when the bus cannot be reached.
   */
  async tell(process: string, told: ToldProcess): Promise<boolean> {
    return await isHeard(this.#sure, process, JSON.stringify(told));
  }

  /** Tells a process something, again for some seconds where nobody hears it. It never rejects. */
  async insist(process: string, told: ToldProcess, failed: (cause: unknown) => void): Promise<void> {
    const text = JSON.stringify(told);
    // A client may say as much as it likes to processes that never were.
    const again = this.#waiting + text.length > mostWaiting ? [] : againMs;
    this.#waiting += text.length;
    for (const ms of [...again, undefined]) {
      try {
        if ((await isHeard(this.#bus, process, text)) || this.#closed) break;
      } catch (cause) {
        if (ms === undefined) failed(cause);
      }
      if (ms !== undefined) await this.#pause(ms);
    }
    this.#waiting -= text.length;
  }

  /** Answers on the line that somebody named; false when nobody is there. It never rejects: what waits for an answer looks itself after a while. */
  async reply(
    { process, line }: { readonly process: string; readonly line: string },
    reply: LineReply,
  ): Promise<boolean> {
    return await this.tell(process, { kind: 'reply', line, reply }).catch(() => true);
  }

  /**
   * Tells every copy of a session, at once and again after these times.
   *
   * @throws StoreError when the bus could not be reached at any of them, and `too-large` for what would lie in the store for a while, since nobody knows who has not read it yet.
   */
  async announce(channel: string, announced: Announced, again: readonly number[]): Promise<void> {
    const text = JSON.stringify(announced);
    if (text.length >= longestBusText)
      throw new StoreError(
        'too-large',
        `what all processes of a session hear has up to ${longestBusText} characters, not ${text.length}`,
      );
    const causes: unknown[] = [];
    let tries = 0;
    for (const ms of [undefined, ...again]) {
      if (ms !== undefined) await this.#pause(ms);
      if (ms !== undefined && this.#closed) break;
      tries++;
      await Promise.resolve(this.#bus.publish(channel, text)).catch((cause: unknown) => void causes.push(cause));
    }
    if (causes.length === tries) throw causes[0] as Error;
  }

  /** Hears what is announced on a channel. */
  async hear(channel: string, hear: (announced: Announced) => void, onGap: () => void): Promise<Unsubscribe> {
    const take = (text: string): void => {
      const announced = readAnnounced(text);
      if (announced !== undefined) hear(announced);
    };
    return await this.#bus.subscribe(channel, take, onGap);
  }

  /** Opens a line for replies; gives its name, and what closes it. */
  line(hear: (reply: LineReply) => void): { readonly line: string; close(): void } {
    const line = randomText(9);
    this.#lines.set(line, hear);
    return { line, close: () => void this.#lines.delete(line) };
  }

  /**
   * Asks a process one thing.
   *
   * @returns Its reply; `unheard` when it is gone, `undefined` when it is silent for too long, and `closed` when this inbox was closed meanwhile: nobody knows of it then.
   */
  async ask(
    process: string,
    told: (line: string) => ToldProcess,
    patienceMs: number,
  ): Promise<LineReply | 'unheard' | 'closed' | undefined> {
    let answer!: (reply: LineReply | 'unheard' | undefined) => void;
    const answered = new Promise<LineReply | 'unheard' | undefined>((resolve) => (answer = resolve));
    const { line, close } = this.line(answer);
    const stop = after(patienceMs, () => answer(undefined));
    try {
      if (!(await this.tell(process, told(line)))) answer('unheard');
      const reply = await answered;
      // Neither is its word then: what waited was given up, and what nobody heard was not said again after a moment.
      return this.#closed && (reply === 'replaced' || reply === 'unheard') ? 'closed' : reply;
    } finally {
      stop();
      close();
    }
  }

  /** Listens no more. What waits to be told again is told once more at once; what waits for a reply is over. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const end of this.#pauses) end();
    this.#sure.close();
    for (const hear of this.#lines.values()) hear('replaced');
    const end = await this.#open?.catch(() => undefined);
    await end?.();
  }

  async #listen(): Promise<Unsubscribe> {
    return await this.#bus.subscribe(channelOf(this.name), (text) => this.#take(readTold(text)), this.#onGap);
  }

  /** Waits; no longer than until it is closed. */
  #pause(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const over = (): void => {
        cancel();
        this.#pauses.delete(over);
        resolve();
      };
      const cancel = after(ms, over);
      this.#pauses.add(over);
    });
  }

  #take(told: ToldProcess | undefined): void {
    if (told?.kind === 'reply') this.#lines.get(told.line)?.(told.reply);
    else if (told !== undefined) this.#hear(told);
  }
}

async function isHeard(bus: Bus, process: string, text: string): Promise<boolean> {
  return (await bus.publish(channelOf(process), text)) !== 0;
}

function channelOf(process: string): string {
  return toProcess + process;
}
