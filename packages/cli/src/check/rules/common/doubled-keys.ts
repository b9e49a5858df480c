/** One object or array that the scan is in: the key at which it stands, and the keys that it had; `undefined` for an array. */
interface Level {
  readonly at: string | undefined;
  readonly keys: Set<string> | undefined;
  /** The key whose value comes. */
  key: string | undefined;
}

/** Brackets and separators of JSON. Other tokens except texts do not matter for keys. */
const marks = new Set('{}[],');

/** Texts, brackets and separators of JSON, in their order; a text that does not end in its line is none. */
function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (marks.has(char)) yield char;
    if (char !== '"') continue;
    let end = at + 1;
    while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
    if (text[end] === '"') yield text.slice(at, end + 1);
    at = end;
  }
}

/**
 * Finds a repeated key in an object of JSON, which is lost when it is parsed.
 *
 * @param text Any text with JSON in it, such as lines, or a stream of events.
 * @param at Key of the object.
 */
export function doubledKey(text: string, at: string): string | undefined {
  if (!text.includes(`"${at}"`)) return undefined;
  const levels: Level[] = [];
  for (const part of partsOf(text)) {
    const level = levels.at(-1);
    if (part === '{' || part === '[')
      levels.push({ at: level?.key, keys: part === '{' ? new Set() : undefined, key: undefined });
    else if (part === '}' || part === ']') levels.pop();
    else if (part === ',' && level !== undefined) level.key = undefined;
    else if (part.startsWith('"') && level?.keys !== undefined && level.key === undefined) {
      const key = textOf(part);
      if (level.at === at && level.keys.has(key)) return key;
      level.keys.add(key);
      level.key = key;
    }
  }
  return undefined;
}

function textOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
