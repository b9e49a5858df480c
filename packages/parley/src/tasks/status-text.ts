/** Longest status message of a task, in characters. */
export const maxWords = 1024;

/** A text, or its beginning if it is too long. No character is cut in half. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? most - 1 : most);
}
