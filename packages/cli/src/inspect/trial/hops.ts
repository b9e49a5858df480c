import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject, type RequestId } from '../../../../parley/src/jsonrpc/message.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import type { Side } from '../../../../parley/src/protocol/method.ts';
import type { Recorder } from '../../recorder/entry.ts';
import { tapLines } from '../../recorder/tap-lines.ts';

/** The two hops of a conversation through a bridge: from the client to it, and from it to the server. */
export type Hop = 'client' | 'server';

/** A message that crossed a hop. */
export interface HopMessage {
  readonly hop: Hop;
  readonly from: Side;
  /** Its text, as it crossed. */
  readonly text: string;
  /** Method of a request or notification, and of the request that an answer belongs to. */
  readonly method: string;
  readonly kind: 'request' | 'notice' | 'result' | 'error' | 'round';
}

/** Text that crossed a hop: a message, or several. */
export interface NotedText {
  readonly from: Side;
  readonly text: string;
  /** Number of the connection that it crossed, by which equal ids are told apart. */
  readonly connection?: number;
}

/** Most messages of one conversation that are heard, and characters of one of them. */
const most = { messages: 400, characters: 262_144 };

/** Hears both hops of one conversation, in the order in which messages crossed. */
export class Hops {
  readonly messages: HopMessage[] = [];
  /** Messages that were not kept. */
  left = 0;
  /** Methods of the requests of a hop that wait for their answers. */
  readonly #asked = new Map<string, string>();
  readonly #waiting = new Set<(message: HopMessage) => void>();
  #connections = 0;

  /** The same transport, heard. */
  hear(hop: Hop, transport: Transport): Transport {
    const recorder: Recorder = {
      connect: () => ++this.#connections,
      note: ({ from, lane, text, connection = 0 }) => {
        if (lane === 'message' && text !== undefined) this.note(hop, { from, text, connection });
        return 0;
      },
      grow: () => {},
      end: () => {},
    };
    return tapLines(recorder).listen(transport);
  }

  /** Takes what crossed a hop, where no transport carries it. */
  note(hop: Hop, { from, text, connection = 0 }: NotedText): void {
    if (this.messages.length >= most.messages || text.length > most.characters) {
      this.left += 1;
      return;
    }
    for (const message of [jsonIn(text)].flat()) {
      if (!isObject(message)) continue;
      const heard = this.#read(message, `${hop} ${connection}`, from);
      const own = JSON.stringify(message);
      if (heard === undefined) continue;
      const crossed = { hop, from, text: own, ...heard };
      this.messages.push(crossed);
      for (const tell of this.#waiting) tell(crossed);
    }
  }

  /** Resolves when such a message has crossed; never where none does. */
  heard(is: (message: HopMessage) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const tell = (message: HopMessage): void => {
        if (!is(message)) return;
        this.#waiting.delete(tell);
        resolve();
      };
      this.#waiting.add(tell);
      this.messages.forEach(tell);
    });
  }

  #read(
    message: Readonly<Record<string, unknown>>,
    where: string,
    from: Side,
  ): Pick<HopMessage, 'method' | 'kind'> | undefined {
    const { id, method, result } = message;
    if (typeof method === 'string') {
      if (id === undefined) return { method, kind: 'notice' };
      this.#asked.set(keyOf(where, from, id as RequestId), method);
      return { method, kind: 'request' };
    }
    const key = keyOf(where, from === 'client' ? 'server' : 'client', id as RequestId);
    const asked = this.#asked.get(key);
    if (asked === undefined) return undefined;
    this.#asked.delete(key);
    if (!('result' in message)) return { method: asked, kind: 'error' };
    const isRound = isObject(result) && result['resultType'] === 'input_required';
    return { method: asked, kind: isRound ? 'round' : 'result' };
  }
}

function keyOf(where: string, from: Side, id: RequestId): string {
  return `${where} ${from} ${JSON.stringify(id)}`;
}
