import { jsonIn } from '../../../parley/src/json/parse.ts';
import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import { revisionOf } from '../../../parley/src/protocol/revision.ts';
import type { RecordingEntry } from './entry.ts';
import { dots } from './secrets.ts';

/** Names of fields whose values differ each time. */
const passing: ReadonlySet<string> = new Set(['createdAt', 'lastUpdatedAt', 'lastModified']);

/** Names of fields whose values a server makes up and gets back, and of their placeholders. */
const named: ReadonlyMap<string, string> = new Map([
  ['taskId', 'task'],
  ['requestState', 'state'],
]);

/** Places that stand for values which a server made up, by the values. */
type Places = Map<string, string>;

/**
 * Writes the messages of one connection as a transcript that `parley-mcp/testing` can play. Times and ids that a server
 * makes up become `"<any>"`, or a name if the client repeats them. Incomplete and invalid messages become comments. The
 * opening is included, so a player opens nothing itself.
 *
 * @param entries Entries of one connection as they are shown, oldest first.
 */
export function toTranscript(title: string, entries: readonly RecordingEntry[]): string {
  const messages = entries.filter(({ lane }) => lane === 'message');
  // The first messages may ask for a revision that the server does not speak.
  const revision = messages.findLast((entry) => revisionOf(entry.revision ?? '') !== undefined)?.revision;
  const places: Places = new Map();
  const lines = messages.flatMap((entry) => lineOf(entry, places));
  const settings = [...(revision === undefined ? [] : [`revisions: ${revision}`]), 'opening: none'];
  return `${[`# ${title.replaceAll(/\s+/g, ' ')}`, ...settings, ...lines].join('\n')}\n`;
}

function lineOf({ from, text = '', problem, cut }: RecordingEntry, places: Places): readonly string[] {
  const value = cut === undefined && problem === undefined ? messageOf(text) : undefined;
  const side = from === 'client' ? 'C' : 'S';
  if (value === undefined) return [`// ${side}: ${oneLine(problem ?? 'a message that was cut off')}`];
  const line = `${side}: ${literal(from === 'client' ? toldAgain(value, places) : withoutPassing(value, places))}`;
  return from === 'client' && line.includes(dots)
    ? [`// ${dots} is hidden in the next line: fill it in`, line]
    : [line];
}

/** JSON in which the word that stands for a revision in a transcript is written so that it stands for itself. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('$revision', '\\u0024revision');
}

function messageOf(text: string): unknown {
  const value = jsonIn(text);
  return isObject(value) || Array.isArray(value) ? value : undefined;
}

function withoutPassing(value: unknown, places: Places): unknown {
  if (Array.isArray(value)) return value.map((part) => withoutPassing(part, places));
  if (typeof value === 'string') return isOpen(value) ? '<any>' : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (passing.has(key)) return [key, '<any>'];
      const name = named.get(key);
      return [
        key,
        name === undefined || typeof part !== 'string' ? withoutPassing(part, places) : placeOf(part, name, places),
      ];
    }),
  );
}

/** Tells whether a text of a server cannot be written as it is: something is hidden in it, or it reads like a place. */
function isOpen(text: string): boolean {
  return text.includes(dots) || /^<[a-z][A-Za-z0-9]*>$/.test(text);
}

function placeOf(value: string, name: string, places: Places): string {
  let place = places.get(value);
  if (place === undefined) places.set(value, (place = `<${name}${places.size + 1}>`));
  return place;
}

/** A message of the client with the places of what the server made up. */
function toldAgain(value: unknown, places: Places): unknown {
  // Text that looks like a placeholder, but is not one, gets one more bracket.
  if (typeof value === 'string') return value.replace(/^(?=<+[a-z][A-Za-z0-9]*>$)/, '<');
  if (Array.isArray(value)) return value.map((part) => toldAgain(part, places));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      named.has(key) && typeof part === 'string'
        ? (places.get(part) ?? toldAgain(part, places))
        : toldAgain(part, places),
    ]),
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 200);
}
