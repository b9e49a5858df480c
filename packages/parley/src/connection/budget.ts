/** Limits of the messages within one request before its answer. */
export interface NotificationBudget {
  /** The most messages that may come before the answer; 100,000 by default, Infinity for no limit. */
  readonly maxNotifications?: number | undefined;
  /** The most bytes of them; 64 MiB by default, Infinity for no limit. */
  readonly maxNotificationBytes?: number | undefined;
}

const most = { messages: 100_000, bytes: 64 * 1024 * 1024 };

/** Name of the limit that the messages within one request exceed, if any. */
export function overBudget(
  { maxNotifications = most.messages, maxNotificationBytes = most.bytes }: NotificationBudget,
  messages: number,
  bytes: number,
): string | undefined {
  if (messages > maxNotifications)
    return `more than ${maxNotifications} notifications came before its answer (option maxNotifications)`;
  if (bytes > maxNotificationBytes)
    return `more than ${maxNotificationBytes} bytes of notifications came before its answer (option maxNotificationBytes)`;
  return undefined;
}

/**
 * Rejects an invalid limit.
 *
 * @throws TypeError
 */
export function checkBudget({ maxNotifications, maxNotificationBytes }: NotificationBudget): void {
  for (const [name, limit] of Object.entries({ maxNotifications, maxNotificationBytes }))
    if (limit !== undefined && !(typeof limit === 'number' && limit >= 0))
      throw new TypeError(`${name} must be a number, 0 or more, or Infinity for no limit`);
}

/** Number of bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // A surrogate pair has four bytes, two for each of its halves.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
