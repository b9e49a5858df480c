import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';

/** A value as a text that does not depend on the order of keys. */
export function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
