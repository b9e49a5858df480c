import type { Message } from './message.ts';
import { ConnectionError } from './transport.ts';

/**
 * The JSON text of a message or a batch; it has no line break in it.
 *
 * @throws ConnectionError `invalid-message` for what is no JSON, such as a cycle.
 */
export function messageText(message: Message | readonly Message[]): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw new ConnectionError('invalid-message', 'the message is not JSON', { cause });
  }
}
