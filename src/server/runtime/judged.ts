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

/** Mark that only `judge` gives: there is no other way to make one. */
export interface ByJudge {
  readonly [byJudge]: true;
}

/** A request, with what its `_meta` says of who sends it. */
export interface JudgedRequest extends ByJudge {
  readonly kind: 'request';
  readonly message: RequestMessage;
  /** The revision that it names in its `_meta`, whatever that is; `undefined` where it names none. */
  readonly claimed: unknown;
  /**
   * Description that it gives of itself, or the error to answer where that is wrong; `undefined` for one that does not
   * claim to be stateless. One that names no revision claims nothing where a handshake has settled that.
   */
  readonly meta: RequestMeta | McpError | undefined;
}

/** A notification, with what it claims of its revision. */
export interface JudgedNotification extends ByJudge {
  readonly kind: 'notification';
  readonly message: NotificationMessage;
  /** Likewise. */
  readonly claimed: unknown;
}

/** A response to a question of the server's. */
export interface JudgedResponse extends ByJudge {
  readonly kind: 'response';
  readonly message: ResponseMessage;
}

/** A value that is no message; the id is kept where one could be read. */
export interface JudgedMalformed extends ByJudge {
  readonly kind: 'malformed';
  /** As it came. */
  readonly value: unknown;
  readonly id: RequestId | undefined;
  readonly reason: string;
}

/**
 * A value of a client, judged: what kind of message it is, and what it says of its revision and its sender. That is found
 * out once, by the edge where it must know, else by the conversation.
 */
export type Judged = JudgedRequest | JudgedNotification | JudgedResponse | JudgedMalformed;

/**
 * Judges one parsed value of a client; it never throws.
 *
 * @param spoken The revisions of the server, oldest first.
 */
export function judge(value: unknown, spoken: readonly Revision[]): Judged {
  const received = classify(value);
  switch (received.kind) {
    case 'request': {
      const { message } = received;
      const claimed = claimedVersion(message);
      return made<JudgedRequest>({
        kind: 'request',
        message,
        claimed,
        meta: readRequestMeta(spoken, message, claimed),
      });
    }
    case 'notification': {
      const { message } = received;
      return made<JudgedNotification>({ kind: 'notification', message, claimed: claimedVersion(message) });
    }
    case 'response':
      return made<JudgedResponse>(received);
    case 'malformed':
      return made<JudgedMalformed>({ ...received, value });
  }
}

/** The one place where something becomes judged; the mark exists for the compiler alone. */
function made<J extends Judged>(judged: { readonly [Key in Exclude<keyof J, keyof ByJudge>]: J[Key] }): J {
  return judged as unknown as J;
}
