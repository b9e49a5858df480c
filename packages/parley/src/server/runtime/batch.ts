import { isObject, isRequestId, type Message, type RequestId, type ResponseMessage } from '../../jsonrpc/message.ts';
import { cyclicNote, toJson } from '../../jsonrpc/encode.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { ClientConnection } from './request-handler.ts';
import { mapMaybe } from '../../storage/maybe-promise.ts';

/** Limit of messages in a batch. */
export const maxBatch = 100;

/** Answer to one value of a client: a response, the responses of a batch, or nothing. */
export type BatchAnswer = ResponseMessage | readonly ResponseMessage[] | undefined;

/**
 * Hands a parsed value to a conversation, a batch element by element where the revision has batches.
 *
 * @param respond Called once with the answer, synchronously if the answer is ready. It must not throw.
 */
export function answerReceived(
  conversation: ClientConnection,
  value: unknown,
  respond: (answer: BatchAnswer) => void,
): void {
  // Like `ClientConnection.receive`, neither of the two rejects. So no error is lost here.
  void mapMaybe<BatchAnswer, void>(
    Array.isArray(value) ? answerBatch(conversation, value) : conversation.receive(value),
    respond,
  );
}

/** Tells whether a value opens a stream that stays open until one side ends it. No caller waits for its answer. */
export function opensStream(value: unknown): boolean {
  return isObject(value) && value['method'] === 'subscriptions/listen';
}

async function answerBatch(conversation: ClientConnection, batch: readonly unknown[]): Promise<BatchAnswer> {
  if (conversation.revision?.batches !== true)
    return invalidRequest(conversation, 'a message must be a JSON object, not a batch');
  if (batch.length === 0) return invalidRequest(conversation, 'a batch must not be empty');
  if (batch.length > maxBatch)
    return invalidRequest(conversation, `a batch must not have more than ${maxBatch} messages`);
  const answers = await Promise.all(
    batch.map(async (element: unknown) => refusedInBatch(element) ?? conversation.receive(element)),
  );
  const responses = answers.filter((response) => response !== undefined);
  return responses.length === 0 ? undefined : responses;
}

/** The response to a value that is not a request and whose id is not known. */
export function invalidRequest(conversation: ClientConnection, reason: string): ResponseMessage {
  return { ...conversation.unreadable(reason), error: { code: -32600, message: reason } };
}

/**
 * The text of a message. The result of a handler may not be JSON (a cycle, a bigint). A response then becomes an
 * internal error, because a request must be answered. Any other message becomes `undefined`.
 *
 * @param failed Receives the reason why a message is not JSON.
 */
export function toText(
  message: Message | readonly Message[],
  failed: (error: ConnectionError) => void = () => undefined,
): string | undefined {
  if (Array.isArray(message)) {
    const texts = message.map((element: Message) => toText(element, failed)).filter((text) => text !== undefined);
    return `[${texts.join(',')}]`;
  }
  try {
    return toJson(message);
  } catch (cause) {
    failed(new ConnectionError('invalid-message', `${whatOf(message)} is not JSON${cyclicNote(cause)}`, { cause }));
    // Not an array: the array case returned above. The compiler cannot see this for a readonly array.
    const { id } = message as { readonly id?: RequestId };
    if (id === undefined || 'method' in message) return undefined;
    return toJson({ jsonrpc: '2.0', id, error: { code: -32603, message: 'the result is not JSON' } });
  }
}

function whatOf(message: Message | readonly Message[]): string {
  return 'method' in message ? `${message.method} is dropped: it` : 'the result of a request';
}

// Spec 2025-03-26, Lifecycle: `initialize` must not be part of a batch, since the revision is not known before it.
function refusedInBatch(element: unknown): ResponseMessage | undefined {
  if (!isObject(element) || element['method'] !== 'initialize' || !isRequestId(element['id'])) return undefined;
  return {
    jsonrpc: '2.0',
    id: element['id'],
    error: { code: -32600, message: 'initialize must not be part of a batch' },
  };
}
