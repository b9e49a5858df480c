import { jsonIn } from '../json/parse.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { RecordingEntry } from './entry.ts';

/** Names of fields whose values differ each time. */
const passing: ReadonlySet<string> = new Set(['createdAt', 'lastUpdatedAt', 'lastModified', 'taskId', 'requestState']);

/**
 * Writes what one connection carried as a transcript that `parley-mcp/testing` plays. Times and ids that a server makes up
 * stand there as `"<any>"`; messages that were cut off or are none are comments.
 *
 * @param entries Entries of one connection as they are shown, oldest first.
 */
export function toTranscript(title: string, entries: readonly RecordingEntry[]): string {
  const messages = entries.filter(({ lane }) => lane === 'message');
  const revision = messages.find((entry) => entry.revision !== undefined && isDate(entry.revision))?.revision;
  const lines = messages.flatMap(lineOf);
  const settings = revision === undefined ? [] : [`revisions: ${revision}`];
  return `${[`# ${title.replaceAll(/\s+/g, ' ')}`, ...settings, ...lines].join('\n')}\n`;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

function lineOf({ from, text = '', problem, cut }: RecordingEntry): readonly string[] {
  const value = cut === undefined && problem === undefined ? messageOf(text) : undefined;
  const side = from === 'client' ? 'C' : 'S';
  if (value === undefined) return [`// ${side}: ${oneLine(problem ?? 'a message that was cut off')}`];
  return [`${side}: ${JSON.stringify(from === 'client' ? value : withoutPassing(value))}`];
}

function messageOf(text: string): unknown {
  const value = jsonIn(text);
  return isObject(value) || Array.isArray(value) ? value : undefined;
}

function withoutPassing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassing);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, passing.has(key) ? '<any>' : withoutPassing(part)]),
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 200);
}
