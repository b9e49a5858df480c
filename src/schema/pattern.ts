/**
 * Patterns of schemas. Those of our own definitions run on the engine of the platform; those of a peer run here, in time
 * linear in the text, so that no pattern and no text can keep the process busy.
 */

import { SchemaError } from './document.ts';

/** Tells whether a text holds a match; `spend` is told of every step, and may throw. */
export type Matcher = (text: string, spend: (steps: number) => void) => boolean;

/** How many instructions a peer's pattern may need; counted repetitions are written out. */
const maxInstructions = 5000;

/** How long a peer's pattern may be, in characters. */
const maxLength = 4096;

/** How deep its groups may nest. */
const maxDepth = 100;

/** Makes a pattern that we trust ready. */
export function trustedPattern(source: string): Matcher {
  const pattern = compileNative(source);
  return (text) => pattern.test(text);
}

/**
 * Makes a peer's pattern ready. Lookbehind and references to groups are not supported.
 *
 * @throws SchemaError when the pattern is malformed, too large, or uses what is not supported.
 */
export function peerPattern(source: string): Matcher {
  if (source.length > maxLength) throw tooLarge(source);
  const program = compile(source, compileNative(source).flags);
  return (text, spend) => search(program, Array.from(text), 0, { spend, anchored: false });
}

function tooLarge(source: string): SchemaError {
  return new SchemaError(`pattern ${JSON.stringify(source.slice(0, 200))} is too large`);
}

function compileNative(source: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Patterns that only the older syntax allows, such as `\@`, are common; they get a second try.
    }
  }
  throw new SchemaError(`pattern ${JSON.stringify(source)} is not a regular expression`);
}

type Assertion = 'start' | 'end' | 'boundary' | 'inside';

type Instruction =
  | { readonly kind: 'character'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'either'; readonly first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'look'; readonly program: Program; readonly wanted: boolean }
  | { readonly kind: 'match' };

type Program = readonly Instruction[];

/** The pattern as a tree; the platform's engine has found it well-formed already. */
type Tree =
  | { readonly kind: 'single'; readonly instruction: Instruction }
  | { readonly kind: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly kind: 'choice'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly least: number; readonly most: number };

function compile(source: string, flags: string): Program {
  const reader: Reader = { source, flags, at: 0, depth: 0 };
  return assemble(readChoice(reader), source);
}

interface Reader {
  readonly source: string;
  readonly flags: string;
  at: number;
  /** How many groups are open. */
  depth: number;
}

function readChoice(reader: Reader): Tree {
  const parts = [readSequence(reader)];
  while (reader.source[reader.at] === '|') {
    reader.at++;
    parts.push(readSequence(reader));
  }
  return { kind: 'choice', parts };
}

function readSequence(reader: Reader): Tree {
  const parts: Tree[] = [];
  while (reader.at < reader.source.length && reader.source[reader.at] !== '|' && reader.source[reader.at] !== ')') {
    parts.push(readRepeat(reader, readAtom(reader)));
  }
  return { kind: 'sequence', parts };
}

const counted = /\{(\d+)(,(\d*))?\}/y;

function readRepeat(reader: Reader, part: Tree): Tree {
  const mark = reader.source[reader.at];
  counted.lastIndex = reader.at;
  const count = mark === '{' ? counted.exec(reader.source) : null;
  const bounds = mark === '*' ? [0, Infinity] : mark === '+' ? [1, Infinity] : mark === '?' ? [0, 1] : undefined;
  if (bounds === undefined && count === null) return part;
  reader.at += count === null ? 1 : count[0].length;
  // Whether a repetition is lazy decides what it captures, not whether there is a match.
  if (reader.source[reader.at] === '?') reader.at++;
  const least = count === null ? bounds?.[0] : Number(count[1]);
  const most =
    count === null ? bounds?.[1] : count[2] === undefined ? least : count[3] === '' ? Infinity : Number(count[3]);
  return { kind: 'repeat', part, least: least ?? 0, most: most ?? Infinity };
}

const assertions: ReadonlyMap<string, Assertion> = new Map([
  ['^', 'start'],
  ['$', 'end'],
  ['\\b', 'boundary'],
  ['\\B', 'inside'],
]);

const atom =
  /\\(?:u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[\s\S])|\[(?:[^\]\\]|\\[\s\S])*\]|[\s\S]/uy;

function readAtom(reader: Reader): Tree {
  if (reader.source[reader.at] === '(') return readGroup(reader);
  atom.lastIndex = reader.at;
  const text = atom.exec(reader.source)?.[0] ?? '';
  reader.at += text.length;
  const what = assertions.get(text);
  if (what !== undefined) return { kind: 'single', instruction: { kind: 'assert', what } };
  if (/^\\[1-9k]/.test(text)) throw unsupported(reader.source, 'a reference to a group');
  return { kind: 'single', instruction: { kind: 'character', fits: characterTest(text, reader.flags) } };
}

function readGroup(reader: Reader): Tree {
  const opening = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y;
  opening.lastIndex = reader.at;
  const text = opening.exec(reader.source)?.[0] ?? '(';
  if (text === '(?<=' || text === '(?<!') throw unsupported(reader.source, 'lookbehind');
  reader.at += text.length;
  if (++reader.depth > maxDepth) throw tooLarge(reader.source);
  const inside = readChoice(reader);
  reader.depth--;
  reader.at++;
  if (text !== '(?=' && text !== '(?!') return inside;
  return {
    kind: 'single',
    instruction: { kind: 'look', program: assemble(inside, reader.source), wanted: text === '(?=' },
  };
}

function unsupported(source: string, what: string): SchemaError {
  return new SchemaError(`pattern ${JSON.stringify(source)} has ${what}, which is not supported in a peer's schema`);
}

/** The platform decides what a single character fits; what it said of ASCII is kept. */
function characterTest(text: string, flags: string): (character: string) => boolean {
  if (!/[\\[.]/.test(text)) return (character) => character === text;
  const pattern = new RegExp(`^(?:${text})$`, flags);
  const known = new Map<string, boolean>();
  return (character) => {
    let fits = known.get(character);
    if (fits === undefined) {
      fits = pattern.test(character);
      if (known.size < 256) known.set(character, fits);
    }
    return fits;
  };
}

function assemble(tree: Tree, source: string): Program {
  const program: Instruction[] = [];
  const emit = (instruction: Instruction): void => {
    if (program.push(instruction) > maxInstructions) throw tooLarge(source);
  };
  write(tree, program, emit);
  emit({ kind: 'match' });
  return program;
}

function write(tree: Tree, program: Instruction[], emit: (instruction: Instruction) => void): void {
  if (tree.kind === 'sequence') {
    for (const part of tree.parts) write(part, program, emit);
  } else if (tree.kind === 'choice') {
    writeChoice(tree.parts, program, emit);
  } else if (tree.kind === 'repeat') {
    for (let count = 0; count < tree.least; count++) write(tree.part, program, emit);
    if (tree.most === Infinity) writeLoop(tree.part, program, emit);
    else writeOptional(tree.part, tree.most - tree.least, program, emit);
  } else {
    emit(tree.instruction);
  }
}

function writeChoice(parts: readonly Tree[], program: Instruction[], emit: (instruction: Instruction) => void): void {
  const ends: Extract<Instruction, { kind: 'jump' }>[] = [];
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      write(part, program, emit);
      break;
    }
    const either: Instruction = { kind: 'either', first: program.length + 1, second: 0 };
    emit(either);
    write(part, program, emit);
    const end: (typeof ends)[number] = { kind: 'jump', to: 0 };
    ends.push(end);
    emit(end);
    either.second = program.length;
  }
  for (const end of ends) end.to = program.length;
}

function writeLoop(part: Tree, program: Instruction[], emit: (instruction: Instruction) => void): void {
  const start = program.length;
  const either: Instruction = { kind: 'either', first: start + 1, second: 0 };
  emit(either);
  write(part, program, emit);
  emit({ kind: 'jump', to: start });
  either.second = program.length;
}

function writeOptional(
  part: Tree,
  times: number,
  program: Instruction[],
  emit: (instruction: Instruction) => void,
): void {
  const skips: Extract<Instruction, { kind: 'either' }>[] = [];
  for (let count = 0; count < times; count++) {
    const either: (typeof skips)[number] = { kind: 'either', first: program.length + 1, second: 0 };
    skips.push(either);
    emit(either);
    write(part, program, emit);
  }
  for (const skip of skips) skip.second = program.length;
}

interface SearchOptions {
  readonly spend: (steps: number) => void;
  /** Whether the match must begin at the start. */
  readonly anchored: boolean;
}

/** Follows all ways through the program at once, character by character (Thompson). */
function search(program: Program, text: readonly string[], start: number, options: SearchOptions): boolean {
  const marks = new Int32Array(program.length).fill(-1);
  let current: number[] = [];
  for (let at = start; at <= text.length; at++) {
    const pending = at === start || !options.anchored ? [...current, 0] : current;
    const waiting = settle(program, pending, { text, at, marks, options });
    if (waiting === undefined) return true;
    if (waiting.length === 0 && options.anchored) return false;
    const character = text[at];
    if (character === undefined) return false;
    current = [];
    for (const index of waiting) {
      const instruction = program[index];
      if (instruction?.kind === 'character' && instruction.fits(character)) current.push(index + 1);
    }
    options.spend(1 + waiting.length);
  }
  return false;
}

interface Place {
  readonly text: readonly string[];
  readonly at: number;
  /** The position at which each instruction was last reached. */
  readonly marks: Int32Array;
  readonly options: SearchOptions;
}

/** The instructions that wait for a character, or `undefined` when a match is complete. */
function settle(program: Program, pending: number[], place: Place): number[] | undefined {
  const { text, at, marks, options } = place;
  const waiting: number[] = [];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const instruction = program[index];
    if (instruction === undefined || marks[index] === at) continue;
    marks[index] = at;
    options.spend(1);
    if (instruction.kind === 'match') return undefined;
    if (instruction.kind === 'character') waiting.push(index);
    else if (instruction.kind === 'jump') pending.push(instruction.to);
    else if (instruction.kind === 'either') pending.push(instruction.first, instruction.second);
    else if (instruction.kind === 'assert' ? holds(instruction.what, text, at) : looks(instruction, place))
      pending.push(index + 1);
  }
  return waiting;
}

function looks({ program, wanted }: Extract<Instruction, { kind: 'look' }>, { text, at, options }: Place): boolean {
  return search(program, text, at, { ...options, anchored: true }) === wanted;
}

function holds(what: Assertion, text: readonly string[], at: number): boolean {
  if (what === 'start') return at === 0;
  if (what === 'end') return at === text.length;
  return (isWord(text[at - 1]) !== isWord(text[at])) === (what === 'boundary');
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/.test(character);
}
