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
 * Writes a request over HTTP as a command for a shell, with a variable in the place of each secret: `$TOKEN` is that of
 * `Authorization`, others are named after their header.
 *
 * @param entry The entry as it is shown, without secrets.
 * @returns `undefined` for what is no request over HTTP.
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

/** Name of the variable that is in the place of a secret header. */
export function variableOf(header: string): string {
  return header.toLowerCase() === 'authorization' ? 'TOKEN' : header.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** A word for the shell, with a variable in the place of what was taken out. */
function filled(text: string, variable: string): string {
  return text
    .split(dots)
    .map((part) => (part === '' ? '' : quoted(part)))
    .join(`"$${variable}"`);
}

function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
