import {
  classify,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../../jsonrpc/message.ts';
import type { McpError } from '../../protocol/error.ts';
import type { Revision } from '../../protocol/revision.ts';
import { claimedVersion, readRequestMeta, type RequestMeta } from './request-meta.ts';

declare const byJudge: unique symbol;

/** Mark that only `parsedMessageOf` sets. There is no other way to make a judged value. */
export interface ByJudge {
  readonly [byJudge]: true;
}

/** A request, with the sender that its `_meta` describes. */
export interface ParsedRequest extends ByJudge {
  readonly kind: 'request';
  readonly message: RequestMessage;
  /** The revision in its `_meta`, of any type; `undefined` if it names none. */
  readonly claimed: unknown;
  /**
   * The client's description in `_meta`, or the error to answer if it is wrong; `undefined` if the request does not
   * claim to be stateless. In a session, a request without a revision does not claim it.
   */
  readonly meta: RequestMeta | McpError | undefined;
}

/** A notification, with the revision that it claims. */
export interface ParsedNotification extends ByJudge {
  readonly kind: 'notification';
  readonly message: NotificationMessage;
  /** The revision in its `_meta`, of any type. */
  readonly claimed: unknown;
}

/** A response to a request of the server. */
export interface ParsedResponse extends ByJudge {
  readonly kind: 'response';
  readonly message: ResponseMessage;
}

/** A value that is not a message. It keeps the id if one could be read. */
export interface MalformedMessage extends ByJudge {
  readonly kind: 'malformed';
  /** The received value. */
  readonly value: unknown;
  readonly id: RequestId | undefined;
  readonly reason: string;
}

/**
 * A parsed value from a client: the kind of message, its revision and its sender. It is parsed once, by the edge if the
 * edge needs it, or by the conversation.
 */
export type ParsedMessage = ParsedRequest | ParsedNotification | ParsedResponse | MalformedMessage;

/**
 * Classifies one parsed value from a client. It never throws.
 *
 * @param spoken The revisions of the server, oldest first.
 */
export function parsedMessageOf(value: unknown, spoken: readonly Revision[]): ParsedMessage {
  const received = classify(value);
  switch (received.kind) {
    case 'request': {
      const { message } = received;
      const claimed = claimedVersion(message);
      return made<ParsedRequest>({
        kind: 'request',
        message,
        claimed,
        meta: readRequestMeta(spoken, message, claimed),
      });
    }
    case 'notification': {
      const { message } = received;
      return made<ParsedNotification>({ kind: 'notification', message, claimed: claimedVersion(message) });
    }
    case 'response':
      return made<ParsedResponse>(received);
    case 'malformed':
      return made<MalformedMessage>({ ...received, value });
  }
}

/** The only place that makes a judged value. The mark exists only for the compiler. */
function made<J extends ParsedMessage>(judged: { readonly [Key in Exclude<keyof J, keyof ByJudge>]: J[Key] }): J {
  return judged as unknown as J;
}
