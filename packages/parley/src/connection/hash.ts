/** A short hash of a text. It tells texts apart, and protects nothing. */
export function hashOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  return `${text.length.toString(36)}.${(high >>> 0).toString(36)}.${(low >>> 0).toString(36)}`;
}
