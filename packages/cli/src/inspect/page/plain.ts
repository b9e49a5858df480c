/** Characters that hide, or turn what stands around them; a person is to see that they are there. */
const odd =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Text of a stranger with its hidden characters as marks. */
export function plain(text: string): string {
  return text.replaceAll(odd, (one) => `⟦U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`);
}

/** Text on one line, of bounded length. */
export function line(text: string, most = 200): string {
  const flat = plain(text.slice(0, most * 2))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
}

/** Received text with a length limit. It says how much is left out; the wire has all of it. */
export function shortened(text: string, most = 4_000): string {
  const more = text.length - most;
  return more <= 0 ? plain(text) : `${plain(text.slice(0, most))}… (${more.toLocaleString('en')} characters more)`;
}

/** Number of bytes, for a person. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} K` : `${(bytes / 1_000_000).toFixed(1)} M`;
}

/** Time of the day to the millisecond. */
export function clock(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** A value of JSON as a text, where it is one. */
export function textValue(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
