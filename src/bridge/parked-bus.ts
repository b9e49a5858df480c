/** Parked calls taken up by a request that came to another process than the one that holds them. */

import { jsonText } from '../json/exact-number.ts';
import { parseExactJson } from '../jsonrpc/exact-json.ts';
import { isObject } from '../jsonrpc/message.ts';
import { after } from '../jsonrpc/timeout.ts';
import type { JsonObject } from '../protocol/common.ts';
import { McpError, type ErrorName } from '../protocol/error.ts';
import { isWanted, type LoggingLevel } from '../protocol/logging.ts';
import type { Bus, Unsubscribe } from '../store/bus.ts';
import type { ParkedCall, Standing, Taker } from './parked-call.ts';

/** How often the process that holds a call says that it still runs, and how long its silence is believed. */
const beatMs = 5_000;
const silenceMs = 15_000;

/** What a request says to the holder of a call. */
type Told =
  | {
      readonly kind: 'take';
      readonly reply: string;
      readonly round: number;
      readonly responses: JsonObject;
      readonly meta: JsonObject;
      readonly logLevel?: LoggingLevel | undefined;
    }
  | { readonly kind: 'leave'; readonly reply: string };

/** What the holder says to the request. */
type Reply =
  | { readonly kind: 'alive' }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'standing'; readonly standing: Standing }
  | {
      readonly kind: 'error';
      readonly name?: ErrorName | undefined;
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
    };

/** The calls that a process holds answer requests of others. */
export class ParkedHolder {
  readonly #bus: Bus;
  readonly #onWarning: (message: string) => void;

  constructor(bus: Bus, onWarning: (message: string) => void) {
    this.#bus = bus;
    this.#onWarning = onWarning;
  }

  /** Lets a call be taken up from anywhere, until the returned function is called. */
  async hold(id: string, parked: ParkedCall): Promise<Unsubscribe> {
    const takers = new Map<string, AbortController>();
    return await this.#bus.subscribe(channelOf(id), (text) => {
      const told = read<Told>(text);
      if (told?.kind === 'leave') takers.get(told.reply)?.abort(new DOMException('the client left', 'AbortError'));
      if (told?.kind !== 'take' || told.round !== parked.round) return;
      const left = new AbortController();
      takers.set(told.reply, left);
      void this.#serve(told, parked, left.signal).finally(() => takers.delete(told.reply));
    });
  }

  async #serve(
    { reply, responses, meta, logLevel }: Extract<Told, { kind: 'take' }>,
    parked: ParkedCall,
    signal: AbortSignal,
  ): Promise<void> {
    const say = (answer: Reply): void => void this.#say(reply, answer);
    const beat = (): void => {
      say({ kind: 'alive' });
      stop = after(beatMs, beat);
    };
    let stop = (): void => undefined;
    beat();
    const admits = (level: LoggingLevel): boolean => isWanted(level, logLevel);
    const send = (method: string, params: JsonObject): void => say({ kind: 'notification', method, params });
    try {
      parked.answer(responses);
      say({ kind: 'standing', standing: await parked.next({ meta, logLevel, signal, admits, send }) });
    } catch (error) {
      const { kind, code, message, data } =
        error instanceof McpError ? error : new McpError('internalError', 'internal error');
      say({ kind: 'error', name: kind, code, message, data });
    } finally {
      stop();
    }
  }

  async #say(channel: string, answer: Reply): Promise<void> {
    try {
      await this.#bus.publish(channel, jsonText(answer));
    } catch {
      this.#onWarning('an answer to a request in another process was not delivered');
    }
  }
}

/**
 * Takes up a call that another process holds.
 *
 * @returns Where the call stands; `undefined` when no process says that it holds it.
 * @throws McpError what the upstream answered; internalError when the process that held the call fell silent.
 */
export async function takeElsewhere(
  bus: Bus,
  { id, round }: { readonly id: string; readonly round: number },
  { responses, taker }: { readonly responses: JsonObject; readonly taker: Taker },
): Promise<Standing | undefined> {
  const reply = `${channelOf(id)}/${crypto.randomUUID()}`;
  const waiting = new Waiting(taker);
  const unsubscribe = await bus.subscribe(reply, (text) => waiting.hear(read<Reply>(text)));
  const tell = async (told: Told): Promise<void> => await bus.publish(channelOf(id), jsonText(told));
  const leave = (): void => void tell({ kind: 'leave', reply }).catch(() => undefined);
  try {
    taker.signal.addEventListener('abort', leave, { once: true });
    const { meta, logLevel } = taker;
    await tell({ kind: 'take', reply, round, responses, meta, logLevel });
    if (taker.signal.aborted) leave();
    return await waiting.standing;
  } finally {
    taker.signal.removeEventListener('abort', leave);
    waiting.end();
    await unsubscribe();
  }
}

/** Waits for the holder of a call, as long as it says that it is there. */
class Waiting {
  readonly standing: Promise<Standing | undefined>;
  readonly #taker: Taker;
  #resolve!: (standing: Standing | undefined) => void;
  #reject!: (error: McpError) => void;
  #heard = false;
  #cancel: () => void = () => undefined;

  constructor(taker: Taker) {
    this.#taker = taker;
    this.standing = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#patience(beatMs);
  }

  hear(reply: Reply | undefined): void {
    if (reply === undefined) return;
    this.#heard = true;
    this.#patience(silenceMs);
    if (reply.kind === 'notification') this.#taker.send(reply.method, reply.params);
    if (reply.kind === 'standing') this.#resolve(reply.standing);
    if (reply.kind === 'error')
      this.#reject(new McpError(reply.name ?? reply.code, reply.message, { data: reply.data }));
  }

  end(): void {
    this.#cancel();
  }

  #patience(ms: number): void {
    this.#cancel();
    this.#cancel = after(ms, () => {
      if (!this.#heard) return this.#resolve(undefined);
      this.#reject(new McpError('internalError', 'the process that held the call is gone; begin again'));
    });
  }
}

function channelOf(id: string): string {
  return `parley/parked/${id}`;
}

/** Texts on the bus are those of bridges; anything else is nobody's. */
function read<T extends Told | Reply>(text: string): T | undefined {
  try {
    const value = parseExactJson(text, Number.POSITIVE_INFINITY);
    // Only bridges publish on these channels, and what they publish has a kind.
    return isObject(value) && typeof value['kind'] === 'string' ? (value as unknown as T) : undefined;
  } catch {
    return undefined;
  }
}
