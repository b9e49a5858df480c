import { EventText } from '../../../parley/src/jsonrpc/event-text.ts';
import type { EventFields } from './entry.ts';

/** Listener to all that an event stream holds. */
export interface EventStreamListener {
  /** Data of an event that is a message. */
  message(data: string, fields: EventFields): void;
  /** Other contents: an event of another type, a comment, a retry time. */
  other(data: string, fields: EventFields): void;
}

/** Takes the text of an event stream, wherever it was cut. */
export interface EventStreamText {
  feed(piece: string): void;
  /** True while an event is not over. */
  readonly within: boolean;
}

/** Limit of characters of one event. Beyond it, the stream is ignored. */
const maxData = 64 * 1024 * 1024;

/** Separates messages from other contents in the text of an event stream, as it arrives. */
export function eventStreamText(listener: EventStreamListener): EventStreamText {
  let deaf = false;
  const parser = new EventText(
    {
      found({ event, id, data, retry }) {
        if (deaf) return;
        const fields: EventFields = {
          ...(event === undefined || event === 'message' ? {} : { type: event }),
          ...(id === undefined ? {} : { id }),
          ...(retry === undefined ? {} : { retry }),
        };
        // Others, such as the one that says where messages go, are not messages, and may hold the id of the session.
        if (data !== '' && fields.type === undefined) listener.message(data, fields);
        else listener.other(data, fields);
      },
      comment: (comment) => {
        if (!deaf) listener.other('', { comment });
      },
      tooLong() {
        if (deaf) return;
        deaf = true;
        listener.other('', {
          comment: `an event is longer than ${maxData} characters; later events are not recorded`,
        });
      },
    },
    maxData,
  );
  return {
    feed(piece) {
      if (!deaf) parser.feed(piece);
    },
    get within() {
      return parser.within;
    },
  };
}
