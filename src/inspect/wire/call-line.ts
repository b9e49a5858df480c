import { jsonIn } from '../../json/parse.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { RecordingEntry } from '../../wire/entry.ts';

/** Writes a call of a tool as a line of `parley call`; `undefined` for everything else. */
export function callLine({ from, method, text, cut }: RecordingEntry, reach: string): string | undefined {
  if (from !== 'client' || method !== 'tools/call' || text === undefined || cut !== undefined) return undefined;
  const value = jsonIn(text);
  const params = isObject(value) && isObject(value['params']) ? value['params'] : {};
  // What begins with a hyphen would be an option, such as one that sends a token.
  if (typeof params['name'] !== 'string' || params['name'].startsWith('-')) return undefined;
  const given =
    isObject(params['arguments']) && Object.keys(params['arguments']).length > 0 ? params['arguments'] : undefined;
  const json = given === undefined ? '' : ` --json ${quoted(JSON.stringify(given))}`;
  // What follows a command belongs to it: the tool stands before.
  const [url, command] = reach.startsWith('-- ') ? ['', ` ${reach}`] : [` ${reach}`, ''];
  return `parley call${url} ${quoted(params['name'])}${json}${command}`;
}

function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
