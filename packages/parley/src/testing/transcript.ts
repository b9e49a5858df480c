/**
 * Conversations written down as text, to be played against a server: what a client sends, and what must come back.
 *
 * A file holds any number of transcripts. Each begins with its title, then come settings, then lines:
 *
 *     # A notification gets no response
 *     revisions: 2024-11-05..2025-11-25
 *     C: {"jsonrpc":"2.0","method":"notifications/initialized"}
 *     C: {"jsonrpc":"2.0","id":1,"method":"ping"}
 *     S: {"jsonrpc":"2.0","id":1,"result":{}}
 *
 * `C` is what the client sends, `S` what the server sends, `H` the HTTP status of the message before it. A revision or
 * a range after the letter limits a line to it: `S 2026-07-28: …`. An indented line continues the one before it; lines
 * that begin with `//` are comments. In the JSON of `S`, `…` stands for any further fields or elements, `"<any>"`,
 * `"<string>"`, `"<number>"` and `"<object>"` for any value of the kind, and `"<name>"` for one value: what it was the
 * first time it must be from then on, and in `C` it is that value; there a text that reads like one is written with one
 * bracket more, `"<<name>"`. `$revision` is the date of the revision that plays.
 */

import { isObject } from '../jsonrpc/message.ts';
import { ordinal, revisionOf, revisions, type Revision } from '../protocol/revision.ts';

/** One line of a transcript. */
export interface TranscriptLine {
  /** Sender of the line, or `status` for an HTTP status. */
  readonly kind: 'client' | 'server' | 'status';
  /** The revisions in which the line counts. */
  readonly revisions: readonly Revision[];
  /** The text after the colon. */
  readonly text: string;
  /** Number of the line in its file, from 1. */
  readonly line: number;
}

/** A conversation, and the circumstances in which it is to be played. */
export interface Transcript {
  /** The title. */
  readonly title: string;
  /** The revisions in which it is played. */
  readonly revisions: readonly Revision[];
  /** Other settings, such as `over` or `opening`, by name; what they mean is the player's business. */
  readonly settings: ReadonlyMap<string, string>;
  /** The lines in order. */
  readonly lines: readonly TranscriptLine[];
}

/**
 * Reads the transcripts of a file.
 *
 * @throws SyntaxError when a line is none of those that a transcript has.
 */
export function parseTranscripts(text: string): readonly Transcript[] {
  return sections(text).map(parseTranscript);
}

/** Lines that a player may use of a transcript in one revision, in order. */
export function linesOf(transcript: Transcript, revision: Revision): readonly TranscriptLine[] {
  return transcript.lines.filter((line) => line.revisions.includes(revision));
}

/**
 * The value that a line of the client sends.
 *
 * @throws SyntaxError when the text is not JSON, ReferenceError when it has a placeholder with no value yet.
 */
export function valueToSend(text: string, revision: Revision, bindings: Map<string, unknown>): unknown {
  return fill(JSON.parse(text.replaceAll('$revision', revision.date)), bindings);
}

/**
 * Lists the differences between the text of a line and a value that came, as `path: what`; nothing when it matches.
 * Placeholders keep the values that they were given only when everything matches.
 */
export function differences(
  text: string,
  value: unknown,
  revision: Revision,
  bindings: Map<string, unknown>,
): readonly string[] {
  const tried = new Map(bindings);
  const pattern: unknown = JSON.parse(quoteEllipses(text.replaceAll('$revision', revision.date)));
  const found = compare(pattern, value, '', tried);
  if (found.length === 0) for (const [name, bound] of tried) bindings.set(name, bound);
  return found;
}

interface Numbered {
  readonly text: string;
  readonly line: number;
}

function sections(text: string): readonly (readonly Numbered[])[] {
  const found: Numbered[][] = [];
  for (const [at, raw] of text.split('\n').entries()) {
    const entry = { text: raw.trimEnd(), line: at + 1 };
    if (entry.text === '' || entry.text.startsWith('//')) continue;
    const section = found.at(-1);
    const last = section?.at(-1);
    if (entry.text.startsWith('# ')) found.push([entry]);
    else if (section === undefined || last === undefined) throw syntax(entry, 'a transcript begins with its title');
    else if (!/^\s/.test(entry.text)) section.push(entry);
    else section[section.length - 1] = { text: `${last.text} ${entry.text.trim()}`, line: last.line };
  }
  return found;
}

function parseTranscript(section: readonly Numbered[]): Transcript {
  const settings = new Map<string, string>();
  const lines: TranscriptLine[] = [];
  const [title, ...rest] = section;
  for (const entry of rest) {
    const [, letter, range, text] = /^([CSH])(?: (\S+))?: (.+)$/.exec(entry.text) ?? [];
    const [, name, value] = /^([a-z]+): (.+)$/.exec(entry.text) ?? [];
    if (text !== undefined) {
      lines.push({ kind: kindOf(letter), revisions: revisionsIn(range, entry), text, line: entry.line });
    } else if (name !== undefined && value !== undefined && lines.length === 0) settings.set(name, value);
    else throw syntax(entry, 'not a line of a transcript');
  }
  return {
    title: title?.text.slice(2) ?? '',
    revisions: revisionsIn(settings.get('revisions'), title),
    settings,
    lines,
  };
}

function kindOf(letter: string | undefined): TranscriptLine['kind'] {
  return letter === 'C' ? 'client' : letter === 'S' ? 'server' : 'status';
}

/** Reads `a..b`, `a..`, `..b`, or `a, b`; nothing means every revision. */
function revisionsIn(range: string | undefined, where: Numbered | undefined): readonly Revision[] {
  if (range === undefined) return revisions;
  const find = (date: string): Revision => {
    const revision = revisionOf(date.trim());
    if (revision === undefined) throw syntax(where, `unknown revision ${date}`);
    return revision;
  };
  const between = range.indexOf('..');
  if (between < 0) return range.split(',').map(find);
  const [first, last] = [range.slice(0, between), range.slice(between + 2)];
  const begin = first === '' ? 0 : ordinal(find(first));
  const end = last === '' ? revisions.length : ordinal(find(last)) + 1;
  return revisions.slice(begin, end);
}

function syntax(where: Numbered | undefined, what: string): SyntaxError {
  return new SyntaxError(`line ${where?.line ?? 0}: ${what}: ${where?.text.slice(0, 80) ?? ''}`);
}

const ellipsis = '…';

/** Makes JSON of a pattern: a bare `…` becomes an element or a field of that name. */
function quoteEllipses(text: string): string {
  const open: string[] = [];
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[^"]/g) ?? [];
  return parts
    .map((part) => {
      if (part === '{' || part === '[') open.push(part);
      else if (part === '}' || part === ']') open.pop();
      if (part !== ellipsis) return part;
      return open.at(-1) === '{' ? `"${ellipsis}":0` : `"${ellipsis}"`;
    })
    .join('');
}

function fill(value: unknown, bindings: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => fill(element, bindings));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, fill(field, bindings)]));
  const name = placeholder(value);
  if (name === undefined) return typeof value === 'string' ? value.replace(/^<(?=<+[a-z][A-Za-z0-9]*>$)/, '') : value;
  if (!bindings.has(name)) throw new ReferenceError(`<${name}> has no value yet`);
  return bindings.get(name);
}

function placeholder(value: unknown): string | undefined {
  return typeof value === 'string' ? /^<([a-z][A-Za-z0-9]*)>$/.exec(value)?.[1] : undefined;
}

const kinds: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['any', (value: unknown): boolean => value !== undefined],
  ['string', (value: unknown): boolean => typeof value === 'string'],
  ['number', (value: unknown): boolean => typeof value === 'number'],
  ['object', isObject],
]);

function compare(pattern: unknown, value: unknown, path: string, bindings: Map<string, unknown>): readonly string[] {
  const name = placeholder(pattern);
  if (name !== undefined) return comparePlaceholder(name, value, path, bindings);
  if (Array.isArray(pattern)) return compareArrays(pattern, value, path, bindings);
  if (isObject(pattern)) return compareObjects(pattern, value, path, bindings);
  return pattern === value ? [] : [`${path || '/'}: expected ${JSON.stringify(pattern)}, got ${show(value)}`];
}

function comparePlaceholder(
  name: string,
  value: unknown,
  path: string,
  bindings: Map<string, unknown>,
): readonly string[] {
  const isKind = kinds.get(name);
  if (isKind !== undefined) return isKind(value) ? [] : [`${path || '/'}: expected <${name}>, got ${show(value)}`];
  if (value === undefined) return [`${path}: expected <${name}>, got nothing`];
  if (bindings.has(name)) return compare(bindings.get(name), value, path, new Map());
  bindings.set(name, value);
  return [];
}

function compareArrays(
  pattern: readonly unknown[],
  value: unknown,
  path: string,
  bindings: Map<string, unknown>,
): readonly string[] {
  if (!Array.isArray(value)) return [`${path || '/'}: expected an array, got ${show(value)}`];
  const open = pattern.at(-1) === ellipsis;
  const wanted = open ? pattern.slice(0, -1) : pattern;
  if (open ? value.length < wanted.length : value.length !== wanted.length) {
    return [`${path || '/'}: expected ${wanted.length} elements, got ${show(value)}`];
  }
  return wanted.flatMap((element, at) => compare(element, value[at], `${path}/${at}`, bindings));
}

function compareObjects(
  pattern: Readonly<Record<string, unknown>>,
  value: unknown,
  path: string,
  bindings: Map<string, unknown>,
): readonly string[] {
  if (!isObject(value)) return [`${path || '/'}: expected an object, got ${show(value)}`];
  const wanted = Object.entries(pattern).filter(([key]) => key !== ellipsis);
  const extra = ellipsis in pattern ? [] : Object.keys(value).filter((key) => !Object.hasOwn(pattern, key));
  const found = wanted.flatMap(([key, field]) =>
    compare(field, Object.hasOwn(value, key) ? value[key] : undefined, `${path}/${key}`, bindings),
  );
  return [...found, ...extra.map((key) => `${path}/${key}: not expected, got ${show(value[key])}`)];
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
}
