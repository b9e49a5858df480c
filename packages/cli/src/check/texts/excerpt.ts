import { isResponse } from '../../../../parley/src/jsonrpc/message.ts';
import { parseJson } from '../../../../parley/src/json/parse.ts';

/**
 * Limits: characters of one excerpt, lines that are searched for the response, and characters of the messages before
 * it.
 */
const [shown, maxLines, beforeIt] = [200, 1_000, 60];

/** Text that came, in a few words; a server that says much before its response hides it in none. */
export function excerptOfText(text: string): string {
  const whole = inOneLine(text);
  if (whole.length <= shown) return whole;
  const lines = text.split('\n', maxLines);
  const at = lines.findIndex(holdsResponse);
  const before = inOneLine(lines.slice(0, Math.max(at, 0)).join(' '));
  if (before.length <= beforeIt) return whole.slice(0, shown);
  return `${before.slice(0, beforeIt)} … ${inOneLine(lines[at] ?? '').slice(0, shown)}`;
}

function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** Tells whether a line, or the data of an event, is a response. */
function holdsResponse(line: string): boolean {
  try {
    return isResponse(parseJson(line.replace(/^data: ?/, '')));
  } catch {
    return false;
  }
}
