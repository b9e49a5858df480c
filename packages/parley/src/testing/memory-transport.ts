import { linkedTransport } from '../jsonrpc/memory.ts';
import type { Message } from '../jsonrpc/message.ts';
import type { ConnectionError, Transport } from '../jsonrpc/transport.ts';
import { harmless } from '../options/harmless.ts';
import { refuseUnknown, type Names } from '../options/known-names.ts';
import { answerReceived, toText, type BatchAnswer } from '../server/runtime/batch.ts';
import { endpointOf, type AuthInfo, type Servable } from '../server/runtime/request-handler.ts';

/** Options of reaching a server of the same process. */
export interface MemoryTransportOptions {
  /** Client that connects, as an edge with authorization would have found it out. */
  readonly auth?: AuthInfo | undefined;
}

const optionNames: Names<MemoryTransportOptions> = { auth: 1 };

/** Reaches a server of the same process; every `open` begins a conversation of its own. */
export function memoryTransport(served: Servable, options: MemoryTransportOptions = {}): Transport {
  refuseUnknown('memoryTransport', options, optionNames);
  const endpoint = endpointOf(served);
  const failed = harmless((error: ConnectionError) => endpoint.listeners?.owner.onError?.(error, 'in memory'));
  return linkedTransport('memory', (link) => {
    const send = (message: Message | readonly Message[]): void => {
      if (link.copy(message)) return;
      const text = toText(message, failed);
      if (text !== undefined) link.message(text);
    };
    const sendAnswer = (response: BatchAnswer): void => {
      if (response !== undefined) send(response);
    };
    const conversation = endpoint.openConnection({
      network: 'inproc',
      lasting: true,
      auth: options.auth,
      send: (message) => send(message),
    });
    return {
      exactNumbers: endpoint.exactNumbers,
      receive: (value) => answerReceived(conversation, value, sendAnswer),
      close: () => conversation.close(),
    };
  });
}
