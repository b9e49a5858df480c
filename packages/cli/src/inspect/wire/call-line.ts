import { jsonText } from '../../../../parley/src/json/exact-number.ts';
import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { programWords } from '../../recorder/program-words.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';

/** Writes a tool call as a line of `parley call`, with its original numbers; `undefined` for other messages. */
export function callLine({ from, method, text, cut }: RecordingEntry, reach: string): string | undefined {
  if (from !== 'client' || method !== 'tools/call' || text === undefined || cut !== undefined) return undefined;
  const value = jsonIn(text) === undefined ? undefined : parseExactJson(text);
  const params = isObject(value) && isObject(value['params']) ? value['params'] : {};
  return typeof params['name'] === 'string' ? lineOfCall(params['name'], params['arguments'], reach) : undefined;
}

/** Writes a call that is wished as such a line; `undefined` where its name would be an option. */
export function lineOfCall(name: string, args: unknown, reach: string): string | undefined {
  // What begins with a hyphen would be an option, such as one that sends a token.
  if (name.startsWith('-')) return undefined;
  const json = isObject(args) && Object.keys(args).length > 0 ? ` --json ${quoted(jsonText(args))}` : '';
  // What follows a command belongs to it: the tool stands before.
  const at = ` ${reach}`.indexOf(' -- ');
  const [url, command] = at < 0 ? [` ${reach}`, ''] : [` ${reach}`.slice(0, at), ` ${reach}`.slice(at)];
  return `${programWords().join(' ')} call${url} ${quoted(name)}${json}${command}`;
}

function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
