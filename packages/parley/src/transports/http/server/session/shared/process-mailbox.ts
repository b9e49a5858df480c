import { after } from '../../../../../jsonrpc/timeout.ts';
import { insistent, type InsistentBus } from '../../../../../connection/relay/insistent.ts';
import { busOfLongTexts } from '../../../../../storage/long-texts.ts';
import { maxBusTextLength, type Bus, type Unsubscribe } from '../../../../../storage/bus.ts';
import { StoreError, type Store } from '../../../../../storage/store.ts';
import { randomText } from '../rules.ts';
import { readAnnounced, readTold, type Announced, type LineReply, type ToldProcess } from './replica-messages.ts';

/**
 * Delays for repeating a message that no process received, in milliseconds. The process may be about to subscribe
 * again.
 */
const againMs = [250, 1_000, 3_500];

/** Limit of the characters that wait to be repeated. A message beyond it is sent once. */
const maxWaiting = 16 * 1024 * 1024;

/** Beginning of the channels of processes, on each of which one alone listens. */
const toProcess = 'process ';

type ToSession = Exclude<ToldProcess, { kind: 'reply' }>;

/** The mailbox of one process. Its name is part of the ids that the process issues, so that others find it. */
export class ProcessMailbox {
  /** Random and unique. It reveals nothing about the machine. */
  readonly name: string = randomText(9);
  readonly #bus: Bus;
  /** The insistent bus, for messages whose failure means that a process is gone. */
  readonly #sure: InsistentBus;
  readonly #hear: (told: ToSession) => void;
  readonly #onGap: () => void;
  readonly #lines = new Map<string, (reply: LineReply) => void>();
  #open: Promise<Unsubscribe> | undefined;
  /** Functions that end the pauses between repetitions. */
  readonly #pauses = new Set<() => void>();
  #waiting = 0;
  #last = 0;
  #closed = false;

  /**
   * @param hear Receives messages about a session.
   * @param onGap Called when messages may have been missed.
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

  /** A number that is unique in this process. */
  next(): number {
    return ++this.#last;
  }

  /**
   * Sends a message to a process, and repeats it once if it was not received.
   *
   * @returns False if it was still not received: the process is gone.
   * @throws StoreError if the bus cannot be reached.
   */
  async tell(process: string, told: ToldProcess): Promise<boolean> {
    return await isHeard(this.#sure, process, JSON.stringify(told));
  }

  /** Sends a message to a process, and repeats it for some seconds if it was not received. It never rejects. */
  async insist(process: string, told: ToldProcess, failed: (cause: unknown) => void): Promise<void> {
    const text = JSON.stringify(told);
    // A client may cause any number of messages to processes that never existed.
    const again = this.#waiting + text.length > maxWaiting ? [] : againMs;
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

  /**
   * Answers on the reply stream of a request; false if no process receives it. It never rejects: the requestor checks
   * again after a while.
   */
  async reply(
    { process, line }: { readonly process: string; readonly line: string },
    reply: LineReply,
  ): Promise<boolean> {
    return await this.tell(process, { kind: 'reply', line, reply }).catch(() => true);
  }

  /**
   * Sends a message to every replica of a session, at once and again after these times.
   *
   * @throws StoreError if the bus could not be reached at any of them, and `too-large` for a message that would stay in
   * the store, since its readers are unknown.
   */
  async announce(channel: string, announced: Announced, again: readonly number[]): Promise<void> {
    const text = JSON.stringify(announced);
    if (text.length >= maxBusTextLength)
      throw new StoreError(
        'too-large',
        `a message to all processes of a session has up to ${maxBusTextLength} characters, not ${text.length}`,
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

  /** Receives the messages on a channel. */
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
   * Sends a process one question.
   *
   * @returns Its reply; `unheard` if it is gone, `undefined` if it does not answer in time, and `closed` if this
   * mailbox was closed meanwhile: then the outcome is unknown.
   */
  async ask(
    process: string,
    told: (line: string) => ToldProcess,
    limitMs: number,
  ): Promise<LineReply | 'unheard' | 'closed' | undefined> {
    let answer!: (reply: LineReply | 'unheard' | undefined) => void;
    const answered = new Promise<LineReply | 'unheard' | undefined>((resolve) => (answer = resolve));
    const { line, close } = this.line(answer);
    const stop = after(limitMs, () => answer(undefined));
    try {
      if (!(await this.tell(process, told(line)))) answer('unheard');
      const reply = await answered;
      // After a close, these replies prove nothing: waiting readers were dropped, and messages were not repeated.
      return this.#closed && (reply === 'replaced' || reply === 'unheard') ? 'closed' : reply;
    } finally {
      stop();
      close();
    }
  }

  /** Stops listening. Messages that wait to be repeated are sent once more at once. Waiting readers end. */
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
