import { EventText } from '../../jsonrpc/event-text.ts';

/**
 * Tells the messages out of the text of an event stream, as it comes.
 *
 * @returns Takes the next piece of text, wherever it was cut.
 */
export function eventText(tell: (text: string) => void): (piece: string) => void {
  const parser = new EventText({
    found: ({ event, data }) => {
      // Others, such as the one that says where messages go, are not messages, and may hold the id of the session.
      if (data !== '' && (event ?? 'message') === 'message') tell(data);
    },
  });
  return (piece) => parser.feed(piece);
}
