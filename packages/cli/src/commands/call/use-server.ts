import type { ParseArgsOptionsConfig } from 'node:util';
import type { Client } from '../../../../parley/src/client/api/client.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import { UsageError, type Io } from '../io.ts';
import { parseOptions, type OptionHint, type ParsedOptions } from '../options.ts';
import { splitAtDashes } from '../target.ts';
import { configuredName } from './configured.ts';
import { clientOptions, type ClientOpening } from './open.ts';
import { openPlace, type ServerPlace } from './place.ts';
import { answersForms, questionOptions, questionsOf, type LineAnswers } from './questions.ts';
import { withinTime } from './time-limit.ts';
import {
  afterUrl,
  beforeCommand,
  mergeJson,
  takeJson,
  withinCommand,
  type Json,
  type PlacedWords,
} from './argument-words.ts';

/** The options of a command that uses one server. */
export const useOptions: ParseArgsOptionsConfig = { ...clientOptions, ...questionOptions };

/** The options of a command whose result may hold bytes. */
export const savingOptions: ParseArgsOptionsConfig = { ...useOptions, output: { type: 'string', short: 'o' } };

/** The command line of a command that uses one server. */
export interface ServerLine {
  readonly parsed: ParsedOptions;
  readonly place: ServerPlace;
  /** The words about what the server is to do. */
  readonly words: readonly string[];
  readonly json: Json;
  /** Answers of the options; `undefined` if they do not answer forms. */
  readonly given: LineAnswers | undefined;
  /** True when the words stand behind a command, of which they may be a part. */
  readonly mayBeCommand: boolean;
}

/** Use of one server. */
export interface ServerUse {
  /** Uses the open server, and gives the exit code. */
  run(client: Client): Promise<number>;
  /** Choices with which the server is opened. */
  readonly opening?: ClientOpening | undefined;
  /** Called at the end, whatever happened. */
  end?(): void;
}

/**
 * Runs a command that uses one server as a client: reads the line, opens the server, and closes it.
 *
 * @param plan Reads the words of the command, before anything is opened.
 */
export async function useServer(
  argv: readonly string[],
  { io, options, hint }: { readonly io: Io; readonly options: ParseArgsOptionsConfig; readonly hint?: OptionHint },
  plan: (line: ServerLine, io: Io) => ServerUse | Promise<ServerUse>,
): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const head = takeJson(before);
  const parsed = parseOptions(head.rest, options, hint);
  return await withinTime(parsed, io, async (timed) => {
    const line = lineOf(parsed, head.json, after);
    const questions = await questionsOf(parsed, timed);
    const use = await plan({ ...line, given: answersForms(parsed) ? questions : undefined }, timed);
    try {
      const handlers = { ...questions.handlers, ...use.opening?.handlers };
      const client = await openPlace(line.place, { parsed, opening: { ...use.opening, handlers } }, timed);
      try {
        const code = await use.run(client).catch((error: unknown) => {
          throw withAnswerHint(error);
        });
        questions.settle();
        return code;
      } finally {
        await client.close();
      }
    } finally {
      use.end?.();
      questions.end();
    }
  });
}

/** An error of a server that wanted to ask, with the options that let it. */
function withAnswerHint(error: unknown): unknown {
  if (!(error instanceof McpError) || error.kind !== 'missingRequiredClientCapability') return error;
  const { message } = error;
  if (message.includes('elicitation'))
    return new Error(`${message}; give --answer <name>=<value> or --decline, or call it at a terminal`, {
      cause: error,
    });
  return message.includes('sampling') ? new Error(`${message}; give --sample <text>`, { cause: error }) : error;
}

function lineOf(parsed: ParsedOptions, json: Json, after: readonly string[] | undefined): Omit<ServerLine, 'given'> {
  const file = parsed.text('config');
  if (file !== undefined) {
    if (after !== undefined) throw new UsageError('--config names the servers; give no command beside it');
    const { name, rest } = configuredName(parsed);
    return { parsed, place: { kind: 'configured', file, name }, words: rest, json, mayBeCommand: false };
  }
  configuredName(parsed);
  const { target, words, ...found } = placedWords(parsed.words, after);
  const mayBeCommand = target.kind === 'command' && parsed.words.length === 0;
  return { parsed, place: { kind: 'typed', target }, words, json: mergeJson(json, found.json), mayBeCommand };
}

function placedWords(words: readonly string[], after: readonly string[] | undefined): PlacedWords {
  if (after === undefined) return afterUrl(words);
  return words.length > 0 ? beforeCommand(words, after) : withinCommand(after);
}

/** Advice on an option that is an argument of a tool or of a prompt: `--a 1` is written `a=1`. */
export const argumentHint: OptionHint = (option, argv) => {
  if (!option.startsWith('--')) return '';
  const at = argv.findIndex((word) => word === option || word.startsWith(`${option}=`));
  const [, inline] = /=(.*)$/s.exec(argv[at] ?? '') ?? [];
  const next = argv[at + 1];
  const value = inline ?? (next === undefined || next.startsWith('-') ? '…' : next);
  return `; an argument of the server is written ${option.replace(/^-+/, '')}=${value}`;
};

/**
 * A name that a command needs.
 *
 * @param what Noun for the name, such as `a tool`.
 * @throws UsageError when it is missing or is a URL.
 */
export function neededName(word: string | undefined, what: string): string {
  if (word === undefined) throw new UsageError(`name ${what}: after the URL, or before the -- of a command`);
  refuseUrl(word);
  return word;
}

/** @throws UsageError for a URL in the place of a name. */
export function refuseUrl(word: string | undefined): void {
  if (word !== undefined && /^https?:\/\//.test(word))
    throw new UsageError(`${JSON.stringify(word)} stands before --; give a URL or a command, not both`);
}

/** @throws UsageError for words that a command has no use for. */
export function noMoreWords([extra]: readonly string[]): void {
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one argument too many`);
}

/** @throws UsageError for arguments as JSON, where none are taken. */
export function outputOf(json: Json): boolean {
  if (json.input !== undefined) throw new UsageError('this command takes no arguments as JSON; --json prints JSON');
  return json.output;
}
