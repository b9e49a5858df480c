/** A text with one character in its middle that is another: the last ones of base64 may stand for nothing, or be so already. */
export function tampered(text: string): string {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}
