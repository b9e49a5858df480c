import type { RecordingEntry } from './entry.ts';
import { dots } from './secrets.ts';

/** Headers that curl writes by itself. */
const own: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'accept-encoding',
]);

/**
 * Writes an HTTP request as a shell command, with a variable in place of each secret: `$TOKEN` for `Authorization`;
 * others are named after their header.
 *
 * @param entry The entry as it is shown, without secrets.
 * @returns `undefined` if it is not an HTTP request.
 */
export function toCurl({ http, text, cut }: RecordingEntry): string | undefined {
  if (http?.method === undefined || http.url === undefined || cut !== undefined) return undefined;
  const headers = Object.entries(http.headers).flatMap(([name, value]) =>
    own.has(name) ? [] : [`-H ${filled(`${name}: ${value}`, variableOf(name))}`],
  );
  return [
    `curl -sS --globoff -X ${quoted(http.method)} ${filled(http.url, 'SECRET')}`,
    ...headers,
    ...(text === undefined ? [] : [`--data-raw ${filled(text, 'SECRET')}`]),
  ].join(' \\\n  ');
}

/** Name of the variable for a secret header. */
export function variableOf(header: string): string {
  return header.toLowerCase() === 'authorization' ? 'TOKEN' : header.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** A word for the shell, with a variable in place of removed text. */
function filled(text: string, variable: string): string {
  return text
    .split(dots)
    .map((part) => (part === '' ? '' : quoted(part)))
    .join(`"$${variable}"`);
}

function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
