/** JSON as it is written: where each value begins and ends, so that one can be edited and the others keep their spelling. */

/** Kinds of values. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** A value in a text, from `start` to before `end`. */
export interface JsonNode {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
  /** Members of an object, in the order of the text; a name may be there twice, and the last one counts. */
  readonly members: readonly JsonMember[];
  /** Items of an array. */
  readonly items: readonly JsonNode[];
}

/** A member of an object; its name is written from `start` to before `nameEnd`. */
export interface JsonMember {
  readonly name: string;
  readonly start: number;
  readonly nameEnd: number;
  readonly value: JsonNode;
}

/** The first place at which a text stops to be JSON; lines and columns count from 1. */
export interface JsonFault {
  readonly at: number;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Result of parsing: a value, nothing for a blank text, or the syntax error. */
export type JsonReading =
  | { readonly root: JsonNode | undefined; readonly fault?: undefined }
  | { readonly root?: undefined; readonly fault: JsonFault };

interface Opened {
  readonly node: Writable;
  /** Name of the member whose value comes next. */
  name: { readonly name: string; readonly start: number; readonly nameEnd: number } | undefined;
}

interface Writable extends JsonNode {
  end: number;
  readonly members: JsonMember[];
  readonly items: JsonNode[];
}

interface Cursor {
  readonly text: string;
  at: number;
}

class Stop extends Error {
  override name = 'Stop';
}

const literals: Readonly<Record<string, JsonKind>> = { true: 'boolean', false: 'boolean', null: 'null' };
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[\w.+-]+/y;
const blank = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex -- JSON forbids control characters in strings.
const plain = /[^"\\\u0000-\u001f]*/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Reads a text of any depth and length; it throws nothing. */
export function readJson(text: string): JsonReading {
  const cursor: Cursor = { text, at: 0 };
  try {
    skip(cursor);
    if (cursor.at === text.length) return { root: undefined };
    const root = readValue(cursor);
    skip(cursor);
    if (cursor.at < text.length) throw new Stop('something follows the value');
    return { root };
  } catch (error) {
    return { fault: { ...placeOf(text, cursor.at), message: error instanceof Error ? error.message : String(error) } };
  }
}

/** The value that a node stands for, with numbers as JavaScript has them. */
export function valueOf(text: string, node: JsonNode): unknown {
  return JSON.parse(text.slice(node.start, node.end)) as unknown;
}

/** The number that is written in a whole text, if it is one as JSON writes it. */
export function isJsonNumber(text: string): boolean {
  number.lastIndex = 0;
  return number.exec(text)?.[0] === text && text !== '';
}

function placeOf(text: string, at: number): Pick<JsonFault, 'at' | 'line' | 'column'> {
  let line = 1;
  let begin = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) {
    line += 1;
    begin = next + 1;
  }
  return { at, line, column: at - begin + 1 };
}

/** One value, without recursion: open values are on a list. */
function readValue(cursor: Cursor): JsonNode {
  const open: Opened[] = [];
  for (;;) {
    skip(cursor);
    const node = startValue(cursor);
    place(node, open.at(-1));
    if (node.kind === 'object' || node.kind === 'array') {
      const opened: Opened = { node, name: undefined };
      open.push(opened);
      skip(cursor);
      if (cursor.text[cursor.at] !== closer(node)) {
        if (node.kind === 'object') opened.name = readName(cursor);
        continue;
      }
    }
    if (!goOn(cursor, open)) return open[0]?.node ?? node;
  }
}

/** Closes what ends here, and says whether another value is to come. */
function goOn(cursor: Cursor, open: Opened[]): boolean {
  for (;;) {
    const top = open.at(-1);
    if (top === undefined) return false;
    skip(cursor);
    const character = cursor.text[cursor.at];
    if (character === closer(top.node)) {
      cursor.at += 1;
      top.node.end = cursor.at;
      if (open.length === 1) return false;
      open.pop();
    } else if (character === ',' && (top.node.items.length > 0 || top.node.members.length > 0)) {
      cursor.at += 1;
      skip(cursor);
      if (top.node.kind === 'object') top.name = readName(cursor);
      else if (cursor.text[cursor.at] === ']') throw new Stop('a comma comes before the end of the list');
      return true;
    } else
      throw new Stop(
        character === undefined
          ? `the text ends before ${closer(top.node)}`
          : `expected a comma or ${closer(top.node)}, found ${shown(character)}`,
      );
  }
}

function closer(node: JsonNode): string {
  return node.kind === 'object' ? '}' : ']';
}

function place(node: JsonNode, parent: Opened | undefined): void {
  if (parent === undefined) return;
  if (parent.name === undefined) parent.node.items.push(node);
  else parent.node.members.push({ ...parent.name, value: node });
  parent.name = undefined;
}

function startValue(cursor: Cursor): Writable {
  const { text, at } = cursor;
  const character = text[at];
  const made = (kind: JsonKind): Writable => ({ kind, start: at, end: cursor.at, members: [], items: [] });
  if (character === '"') {
    readString(cursor);
    return made('string');
  }
  if (character === '{' || character === '[') {
    cursor.at += 1;
    return made(character === '{' ? 'object' : 'array');
  }
  const found = match(word, cursor) ?? '';
  const kind = Object.hasOwn(literals, found) ? literals[found] : isJsonNumber(found) ? 'number' : undefined;
  if (kind === undefined) {
    cursor.at = at;
    if (character === undefined) throw new Stop('the text ends before a value');
    throw new Stop(`expected a value, found ${shown(found === '' ? character : found)}`);
  }
  return made(kind);
}

function readName(cursor: Cursor): { readonly name: string; readonly start: number; readonly nameEnd: number } {
  const start = cursor.at;
  const character = cursor.text[start];
  if (character === undefined) throw new Stop('the text ends before }');
  if (character !== '"') throw new Stop(`expected a name in double quotes, found ${shown(character)}`);
  readString(cursor);
  const nameEnd = cursor.at;
  const name = JSON.parse(cursor.text.slice(start, nameEnd)) as string;
  skip(cursor);
  if (cursor.text[cursor.at] !== ':') throw new Stop('expected a colon after the name');
  cursor.at += 1;
  return { name, start, nameEnd };
}

function readString(cursor: Cursor): void {
  const start = cursor.at;
  cursor.at += 1;
  for (;;) {
    match(plain, cursor);
    const character = cursor.text[cursor.at];
    if (character === '"') break;
    if (character === undefined) {
      cursor.at = start;
      throw new Stop('this string does not end');
    }
    if (character !== '\\') throw new Stop('a line break or control character is written as it is within a string');
    if (match(escape, cursor) === undefined) throw new Stop('this is no escape that JSON knows');
  }
  cursor.at += 1;
}

function skip(cursor: Cursor): void {
  match(blank, cursor);
}

function match(pattern: RegExp, cursor: Cursor): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

function shown(text: string): string {
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}
