import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../parley/src/protocol/meta-key.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';

type WireMessage = Readonly<Record<string, unknown>>;

/** Most requests, and heads of responses, that are remembered. */
const most = 1_000;

/** Size of a message of the client that is read, in characters. */
const largest = 262_144;

/** Context for checking a server's message: running requests, the client's capabilities, response heads. */
export class WireContext {
  readonly #requests = new Map<number, WireMessage>();
  readonly #heads = new Map<number, RecordingEntry>();
  readonly #spoken = new Set<string>();
  #capabilities: WireMessage = {};

  /** Capabilities that the client declared last. */
  get capabilities(): WireMessage {
    return this.#capabilities;
  }

  /**
   * Tells whether the server speaks a revision: it answered a request of it with a result. A server that is asked in a revision
   * which it does not know may say so in any way.
   */
  speaks(revision: string, message: WireMessage): boolean {
    if ('result' in message) this.#spoken.add(revision);
    return this.#spoken.has(revision);
  }

  /** Records an entry, before it is checked. */
  heard(entry: RecordingEntry): void {
    const { from, lane, text, exchange, http, sequence, cut } = entry;
    if (exchange !== undefined && http?.status !== undefined) remember(this.#heads, exchange, entry);
    if (from !== 'client' || lane !== 'message' || text === undefined || cut !== undefined || text.length > largest)
      return;
    const message = messageIn(text);
    if (message === undefined) return;
    const declared = declaredIn(message);
    if (declared !== undefined) this.#capabilities = declared;
    if (message['id'] === undefined || typeof message['method'] !== 'string') return;
    if (entry.pair === undefined) remember(this.#requests, sequence, message);
  }

  /** Forgets an answered request, after its answer was checked. */
  answered(entry: RecordingEntry): void {
    if (entry.from === 'server' && entry.pair !== undefined) this.#requests.delete(entry.pair);
  }

  headOf(exchange: number): RecordingEntry | undefined {
    return this.#heads.get(exchange);
  }

  /** The request of a message: the one that it answers, or in whose exchange it came, or that it names. */
  requestOf(entry: RecordingEntry, message: WireMessage): WireMessage | undefined {
    const known = this.#requests.get(entry.pair ?? entry.exchange ?? -1);
    if (known !== undefined || entry.pair !== undefined || entry.exchange !== undefined) return known;
    const { method, params } = message;
    const open = [...this.#requests.values()].toReversed();
    const token = isObject(params) ? params['progressToken'] : undefined;
    if (token !== undefined) return open.find((request) => metaOf(request)['progressToken'] === token);
    // A line does not say for which request it logs.
    if (method === 'notifications/message')
      return open.find((request) => metaOf(request)[metaKey.logLevel] !== undefined) ?? open[0];
    return undefined;
  }
}

function declaredIn(message: WireMessage): WireMessage | undefined {
  const { method, params } = message;
  const declared =
    method === 'initialize' && isObject(params) ? params['capabilities'] : metaOf(message)[metaKey.clientCapabilities];
  return isObject(declared) ? declared : undefined;
}

function metaOf({ params }: WireMessage): WireMessage {
  return isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
}

function messageIn(text: string): WireMessage | undefined {
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

function remember<Value>(map: Map<number, Value>, key: number, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
