import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { UsageError } from '../io.ts';
import { commandTarget, typedTarget, type ServerTarget } from '../target.ts';

/** Words of a command line that names one server. */
export interface PlacedWords {
  readonly target: ServerTarget;
  /** The words about what the server is to do, such as a tool and its arguments. */
  readonly words: readonly string[];
  readonly json: Json;
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

/** Merges the JSON options from before and after `--`. */
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
    throw new UsageError(`the arguments are not JSON: ${cause instanceof Error ? cause.message : ''}`, {
      cause,
    });
  }
  throw new UsageError(`the arguments of --json must be an object, such as '{"name":"value"}'`);
}

const noJson: Json = { output: false, input: undefined };

/** Reads `<url> [<word>…]`, or a file in place of the URL. */
export function afterUrl([url, ...words]: readonly string[]): PlacedWords {
  if (url === undefined) throw new UsageError('give the URL of a server, or -- and the command that starts one');
  const later = words.find((word) => /^https?:\/\//.test(word));
  if (later !== undefined && /^[\w-]+$/.test(url))
    throw new UsageError(`the server comes first: write ${JSON.stringify(later)} before ${JSON.stringify(url)}`);
  return { target: typedTarget(url), words, json: noJson };
}

/** Reads `<word>… -- <command>…`. */
export function beforeCommand(words: readonly string[], command: readonly string[]): PlacedWords {
  return { target: commandTarget(command), words, json: noJson };
}

/**
 * Reads `-- <command>… [-- [<word>…]]`. Every word is part of the command, but for what follows a further `--`; the last
 * one counts, since a command may hold some of its own.
 *
 * @param words The words after the first `--`.
 * @throws UsageError when no command is there, or when the words after the last `--` begin with an option.
 */
export function withinCommand(words: readonly string[]): PlacedWords {
  const last = words.lastIndexOf('--');
  if (last < 0) return { target: commandTarget(words), words: [], json: noJson };
  const { rest, json } = takeJson(words.slice(last + 1));
  const [first] = rest;
  if (first?.startsWith('-') === true)
    throw new UsageError(
      `${JSON.stringify(first)} after the last -- does not belong to parley; if it belongs to the command, end the line with one more --`,
    );
  return { target: commandTarget(words.slice(0, last)), words: rest, json };
}

/** The tool at the end of a command, before arguments of a call: a second `--` may be missing before it. */
export function toolAtEnd(args: readonly string[], isTool: (name: string) => boolean): string | undefined {
  let at = args.length - 1;
  while (at > 0 && isArgument(args, at)) at--;
  const word = args[at];
  return word !== undefined && isTool(word) ? word : undefined;
}

function isArgument(words: readonly string[], at: number): boolean {
  const word = words[at] ?? '';
  if (isObjectText(word)) return words[at - 1] === '--json';
  return word === '--json' || word.startsWith('--json=') || /^[A-Za-z_][\w.-]*=/.test(word);
}

/**
 * Splits `name=value`.
 *
 * @param of Option whose value it is; without it, an argument.
 * @throws UsageError for another word, which says how it is written.
 */
export function pairOf(word: string, of?: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at >= 1 && !word.startsWith('--')) return [word.slice(0, at), word.slice(at + 1)];
  if (of !== undefined) throw new UsageError(`${of} takes name=value, not ${JSON.stringify(word)}`);
  const [, name, value = '…'] = /^--([\w.-]+)(?:=(.*))?$/s.exec(word) ?? [];
  const [, before, behind] = /^([\w.-]+):(.+)$/s.exec(word) ?? [];
  const form =
    name !== undefined
      ? `an argument is written ${name}=${value}`
      : before !== undefined
        ? `an argument is written ${before}=${behind}`
        : 'arguments are given as name=value, without spaces';
  throw new UsageError(`${JSON.stringify(word)} is no argument; ${form}`);
}

/**
 * Reads the arguments behind the name of a tool or of a prompt: `name=value` words, and JSON objects.
 *
 * @param json Arguments that options gave.
 * @throws UsageError for another word, which says how it is written.
 */
export function argumentWords(
  words: readonly string[],
  json: Json['input'],
): { readonly pairs: readonly (readonly [string, string])[]; readonly input: Json['input'] } {
  const objects = words.filter(isObjectText);
  return {
    pairs: words.filter((word) => !isObjectText(word)).map((word) => pairOf(word)),
    input: objects.length === 0 ? json : Object.assign({}, json, ...objects.map(objectOf)),
  };
}
