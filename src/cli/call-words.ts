import { isObject } from '../jsonrpc/message.ts';
import { UsageError } from './io.ts';
import { commandTarget, splitAtDashes, urlTarget, type Target } from './target.ts';

/** What a command line of `parley call` asks for. */
export interface Wanted {
  readonly target: Target;
  /** The tool to call; without one, everything is listed. */
  readonly tool: string | undefined;
  /** `name=value` words, split. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Whether the tool was told from the command by its looks alone. */
  readonly guessed: boolean;
}

/** The options of `--json`, which may stand alone or have a value. */
export interface Json {
  /** Whether JSON is printed. */
  readonly output: boolean;
  /** Arguments given as JSON. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
}

/** Takes `--json`, `--json {…}` and `--json={…}` out of words; what remains keeps its order. */
export function takeJson(words: readonly string[]): { readonly rest: readonly string[]; readonly json: Json } {
  const rest: string[] = [];
  let output = false;
  let input: Json['input'];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const next = words[at + 1];
    if (word.startsWith('--json=')) input = { ...input, ...objectOf(word.slice('--json='.length)) };
    else if (word !== '--json') rest.push(word);
    else if (isObjectText(next)) {
      input = { ...input, ...objectOf(next) };
      at++;
    } else output = true;
  }
  return { rest, json: { output, input } };
}

/** Puts together what was said before and after `--`. */
export function mergeJson(one: Json, other: Json): Json {
  const input = one.input === undefined && other.input === undefined ? undefined : { ...one.input, ...other.input };
  return { output: one.output || other.output, input };
}

function isObjectText(word: string | undefined): word is string {
  return word?.trimStart().startsWith('{') === true;
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new UsageError(`the arguments of --json are not JSON: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
  throw new UsageError('the arguments of --json must be an object');
}

/** What follows the first `--` of `parley call`: a command, and perhaps a tool, its arguments and `--json`. */
export interface Tail {
  readonly command: readonly string[];
  readonly tool: string | undefined;
  readonly pairs: readonly string[];
  readonly json: Json;
  readonly guessed: boolean;
}

const none: Json = { output: false, input: undefined };

/**
 * Tells the command from the tool in the words after `--`.
 *
 * @param isFile Whether a word is the path of something that exists.
 * @throws UsageError when nothing is left for the command.
 */
export function splitTail(words: readonly string[], isFile: (word: string) => boolean): Tail {
  const last = words.lastIndexOf('--');
  if (last >= 0) {
    const { rest, json } = takeJson(words.slice(last + 1));
    const [tool, ...pairs] = rest;
    return { command: words.slice(0, last), tool, pairs, json, guessed: false };
  }
  let end = words.length;
  while (end > 0 && endsInArgument(words, end)) end -= isObjectText(words[end - 1]) ? 2 : 1;
  const { rest: pairs, json } = takeJson(words.slice(end));
  const tool = words[end - 1];
  const certain = pairs.length > 0 || json.input !== undefined;
  if (!certain && !(tool !== undefined && end > 1 && couldBeTool(tool) && !isFile(tool))) {
    return { command: words.slice(0, end), tool: undefined, pairs: [], json, guessed: false };
  }
  if (end < 2) throw new UsageError('no command is left before the tool; put a second -- between command and tool');
  return { command: words.slice(0, end - 1), tool, pairs, json, guessed: true };
}

function endsInArgument(words: readonly string[], end: number): boolean {
  const word = words[end - 1] ?? '';
  return isPair(word) || word === '--json' || word.startsWith('--json=') || (isObjectText(word) && words[end - 2] === '--json');
}

function isPair(word: string): boolean {
  return /^[A-Za-z_][\w.-]*=/.test(word);
}

/** Spec 2025-11-25, Tools, Tool Names. */
function couldBeTool(word: string): boolean {
  return /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,127}$/.test(word);
}

/**
 * Reads which server and which tool are meant.
 *
 * @param words The words before `--` that are no options.
 * @param tail What follows `--`; `undefined` when there is none.
 * @throws UsageError when it cannot be told.
 */
export function wanted(words: readonly string[], tail: Tail | undefined, after: readonly string[] | undefined): Wanted {
  if (tail === undefined) {
    const [url, tool, ...pairs] = words;
    if (url === undefined) throw new UsageError('give the URL of a server, or -- and the command that starts one');
    return { target: urlTarget(url), tool, pairs: pairs.map(pairOf), guessed: false };
  }
  const [tool, ...pairs] = words;
  if (tool === undefined) return { target: commandTarget(tail.command), tool: tail.tool, pairs: tail.pairs.map(pairOf), guessed: tail.guessed };
  if (/^https?:/.test(tool)) throw new UsageError(`${JSON.stringify(tool)} stands before --; give a URL or a command, not both`);
  return { target: commandTarget(after ?? []), tool, pairs: pairs.map(pairOf), guessed: false };
}

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(`${JSON.stringify(word)} is no argument; arguments are given as name=value`);
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Everything about `--` and `--json` at once: the words for `parseArgs`, and what was told apart. */
export interface Sorted {
  readonly before: readonly string[];
  readonly after: readonly string[] | undefined;
  /** What follows `--`, split; only right when no tool stands before it. */
  readonly tail: () => Tail | undefined;
  readonly json: Json;
}

/** Sorts the words of `parley call`. */
export function sortWords(argv: readonly string[], isFile: (word: string) => boolean): Sorted {
  const { before, after } = splitAtDashes(argv);
  const { rest, json } = takeJson(before);
  return { before: rest, after, json, tail: () => (after === undefined ? undefined : splitTail(after, isFile)) };
}

export { none as noJson };
