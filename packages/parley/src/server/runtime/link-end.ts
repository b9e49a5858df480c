import type { Message } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';
import type { MessageOptions, ConnectionEnd } from '../../connection/connection.ts';
import type { ReplyChannel } from './request-handler.ts';

/** Limit of unanswered questions of one conversation. Each one keeps a handler waiting. */
const maxQuestions = 1000;

/** A question, as its error describes it. */
interface Question {
  readonly method: string;
  readonly options: { readonly timeoutMs?: number | undefined };
}

/**
 * The link of a conversation as the server's end of a connection. It drops messages that it cannot deliver, since their
 * reader has gone.
 */
export class LinkEnd implements ConnectionEnd {
  readonly role = 'server';
  readonly maxAsked: number = maxQuestions;
  readonly idsBegin: string | undefined;
  readonly #link: ReplyChannel;

  constructor(link: ReplyChannel) {
    this.idsBegin = link.idsBegin;
    this.#link = link;
  }

  send(message: Message, beside: MessageOptions | undefined): undefined {
    this.#link.send(message, beside?.related);
  }

  reason(error: ConnectionError, question: Question): string {
    return unanswered(error, question).message;
  }
}

/** The reason why a question has no answer, as the handler sees it. An error from the client is passed on unchanged. */
export function unanswered(error: unknown, { method, options: { timeoutMs } }: Question): McpError {
  if (error instanceof McpError) return error;
  const reason = error instanceof ConnectionError ? error.reason : 'closed';
  return new McpError('internalError', words(reason, method, timeoutMs), { cause: error });
}

function words(reason: ConnectionError['reason'], method: string, timeoutMs: number | undefined): string {
  switch (reason) {
    case 'timeout':
      return `the client did not answer ${method} within ${timeoutMs} ms`;
    case 'aborted':
      return 'the request was cancelled';
    case 'busy':
      return `more than ${maxQuestions} questions wait for the client`;
    case 'invalid-message':
      return `the client's answer to ${method} is malformed`;
    default:
      return 'the client went away before it answered';
  }
}
