import { parseExactJson } from '../../json/parse-exact.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { UsageError } from '../io.ts';
import { commandTarget, urlTarget, type Target } from '../target.ts';

/** Words of a command line of `parley call`. */
export interface CallWords {
  readonly target: Target;
  /** The tool to call; without one, everything is listed. */
  readonly tool: string | undefined;
  /** `name=value` words, split. */
  readonly pairs: readonly (readonly [string, string])[];
  readonly json: Json;
  /** True when the tool was told from the command by its looks alone. */
  readonly guessed: boolean;
  /** The last word of the command, where it may be the tool instead, and the command without it. */
  readonly perhaps?: { readonly tool: string; readonly target: Target };
}

/** The options of `--json`, which may stand alone or have a value. */
export interface Json {
  /** True when JSON is printed. */
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
    else if (next !== undefined && isObjectText(next)) {
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

function isObjectText(word = ''): boolean {
  return word.trimStart().startsWith('{');
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    JSON.parse(text);
    const value = parseExactJson(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new UsageError(`the arguments of --json are not JSON: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    });
  }
  throw new UsageError('the arguments of --json must be an object');
}

const noJson: Json = { output: false, input: undefined };

/** Reads `<url> [<tool> [<name>=<value>…]]`. */
export function afterUrl([url, tool, ...pairs]: readonly string[]): CallWords {
  if (url === undefined) throw new UsageError('give the URL of a server, or -- and the command that starts one');
  return { target: urlTarget(url), tool, pairs: pairs.map(pairOf), json: noJson, guessed: false };
}

/** Reads `<tool> [<name>=<value>…] -- <command>…`. */
export function beforeCommand([tool, ...pairs]: readonly string[], command: readonly string[]): CallWords {
  if (tool?.includes('://') === true)
    throw new UsageError(`${JSON.stringify(tool)} stands before --; give a URL or a command, not both`);
  return { target: commandTarget(command), tool, pairs: pairs.map(pairOf), json: noJson, guessed: false };
}

/**
 * Reads `-- <command>… [--] [<tool> [<name>=<value>…]]`: tells the command from the tool.
 *
 * @param words What follows the first `--`.
 * @param isFile Whether a word is the path of something that exists.
 * @throws UsageError when nothing is left for the command.
 */
export function withinCommand(words: readonly string[], isFile: (word: string) => boolean): CallWords {
  const last = words.lastIndexOf('--');
  if (last >= 0) {
    const { rest, json } = takeJson(words.slice(last + 1));
    const [tool, ...pairs] = rest;
    return { target: commandTarget(words.slice(0, last)), tool, pairs: pairs.map(pairOf), json, guessed: false };
  }
  let end = words.length;
  while (end > 0 && endsInArgument(words, end)) end -= isObjectText(words[end - 1]) ? 2 : 1;
  const { rest: pairs, json } = takeJson(words.slice(end));
  const tool = words[end - 1];
  const certain = pairs.length > 0 || json.input !== undefined;
  if (!certain) {
    const whole = { target: commandTarget(words.slice(0, end)), tool: undefined, pairs: [], json, guessed: true };
    if (tool === undefined || end < 2 || !couldBeTool(tool) || isFile(tool)) return whole;
    return { ...whole, perhaps: { tool, target: commandTarget(words.slice(0, end - 1)) } };
  }
  if (end < 2) throw new UsageError('no command is left before the tool; put a second -- between command and tool');
  return { target: commandTarget(words.slice(0, end - 1)), tool, pairs: pairs.map(pairOf), json, guessed: true };
}

function endsInArgument(words: readonly string[], end: number): boolean {
  const word = words[end - 1] ?? '';
  if (isObjectText(word)) return words[end - 2] === '--json';
  return word === '--json' || word.startsWith('--json=') || /^[A-Za-z_][\w.-]*=/.test(word);
}

/** Spec 2025-11-25, Tools, Tool Names. */
function couldBeTool(word: string): boolean {
  return /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,127}$/.test(word);
}

/** Splits `name=value`. */
export function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(`${JSON.stringify(word)} is no argument; arguments are given as name=value`);
  return [word.slice(0, at), word.slice(at + 1)];
}
