import { linkedTransport } from '../jsonrpc/memory.ts';
import type { Message } from '../jsonrpc/message.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { answer, toText } from './answer.ts';
import type { AuthInfo, Served } from './endpoint.ts';

export interface MemoryTransportOptions {
  /** Who the client is, as an edge with authorization would have found out. */
  readonly auth?: AuthInfo | undefined;
}

/** Reaches a server of the same process; every `open` begins a conversation of its own. */
export function memoryTransport(served: Served, options: MemoryTransportOptions = {}): Transport {
  return linkedTransport('memory', (link) => {
    const send = (message: Message | readonly Message[]): void => {
      const text = toText(message);
      if (text !== undefined) link.message(text);
    };
    const conversation = served.endpoint.converse({
      kind: 'memory',
      lasting: true,
      auth: options.auth,
      send: (message) => send(message),
    });
    return {
      exactNumbers: served.endpoint.exactNumbers,
      receive(value: unknown): void {
        const sendAnswer = async (): Promise<void> => {
          const response = await answer(conversation, value);
          if (response !== undefined) send(response);
        };
        // Neither `answer` nor `send` fails, so nothing can be lost here.
        void sendAnswer();
      },
      close: () => conversation.close(),
    };
  });
}
