/**
 * Importance of a message for a client that reads slowly. A `report` (a log message or progress) may be dropped. An `essential` message (a response
 * or a request) must arrive. A `notification` is neither: if it is lost, the client must notice, so that the stream is cut.
 */
export type MessageWeight = 'report' | 'notification' | 'essential';

/** Tells the weight of a message by the JSON text that this server writes. Unusual text is essential. */
export function weightOf(json: string): MessageWeight {
  const [, method] = /^\{"jsonrpc":"2\.0","method":"(notifications\/[^"]*)"/.exec(json) ?? [];
  if (method === undefined) return 'essential';
  return method === 'notifications/message' || method === 'notifications/progress' ? 'report' : 'notification';
}

/** Tells whether a message may be dropped if there is no room for it. */
export function isReport(json: string): boolean {
  return weightOf(json) === 'report';
}
