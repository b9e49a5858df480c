import { jsonCopy } from '../json/copy.ts';
import type { Message } from './message.ts';
import { messageText, parseMessage } from './encode.ts';
import { microtask } from './timeout.ts';
import { ConnectionError, type Channel, type Receiver, type Transport } from './transport.ts';

/** Limit of messages that may wait in one direction. */
const maxWaiting = 10_000;

/** The far end of a conversation in memory. */
export interface MemoryPeer {
  /** True when numbers shall keep their spelling for it. */
  readonly exactNumbers?: boolean | undefined;
  /** Takes one message. Must not throw. */
  receive(value: unknown): void;
  /** The near end closed. */
  close(): void;
}

/** The way back from the far end. */
export interface MemoryLink {
  /** Delivers the JSON text of one message; gives whether that was still possible. */
  message(text: string): boolean;
  /** Delivers a copy of one message; gives whether the copy is what its JSON text would say, so that no text is needed. */
  copy(message: Message | readonly Message[]): boolean;
  /** Ends the conversation from the far end. */
  closed(reason: string): void;
}

/**
 * A transport within one process. Every message arrives as its JSON text would, so that neither end sees an object of
 * the other, and is delivered later, in order.
 *
 * @param connect Makes the far end of one conversation.
 */
export function linkedTransport(description: string, connect: (link: MemoryLink) => MemoryPeer): Transport {
  return {
    description,
    network: 'inproc',
    open: async (receiver) => openLinked(receiver, connect),
  };
}

function openLinked(receiver: Receiver, connect: (link: MemoryLink) => MemoryPeer): Channel {
  let open = true;
  const toNear = queue((value) => {
    if (open) receiver.message(value);
  });
  const peer = connect({
    message: (text) => open && toNear(parsed(text, receiver)),
    copy(message) {
      const copied = jsonCopy(message);
      if (copied !== undefined && open) toNear(copied.copy);
      return copied !== undefined;
    },
    closed(reason) {
      if (!open) return;
      open = false;
      receiver.closed(new ConnectionError('closed', reason));
    },
  });
  const toFar = queue((value) => {
    if (open) peer.receive(value);
  });
  return {
    async send(message: Message | readonly Message[]): Promise<void> {
      if (!open) throw new ConnectionError('closed', 'the conversation is closed');
      const copied = jsonCopy(message);
      if (!toFar(copied === undefined ? parsed(messageText(message), peer) : copied.copy))
        throw new ConnectionError('too-large', `more than ${maxWaiting} messages are waiting`);
    },
    async close(): Promise<void> {
      if (!open) return;
      open = false;
      peer.close();
    },
  };
}

/** Parses text that was written here and needs no bounds. */
function parsed(text: string, { exactNumbers }: Pick<MemoryPeer, 'exactNumbers'>): unknown {
  return parseMessage(text, { exactNumbers, depth: Number.POSITIVE_INFINITY });
}

/** Delivers values later, in order; gives `false` when too many are waiting. */
function queue(deliver: (value: unknown) => void): (value: unknown) => boolean {
  let waiting = 0;
  return (value) => {
    if (waiting >= maxWaiting) return false;
    waiting++;
    microtask(() => {
      waiting--;
      deliver(value);
    });
    return true;
  };
}
