import { existsSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Client } from '../../client/client.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import type { LoggingMessageNotificationParams } from '../../protocol/features/logging.ts';
import type { CallToolResult, Tool } from '../../protocol/features/tools.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import { argumentsOf } from './arguments.ts';
import { configuredTarget } from './configured.ts';
import {
  afterUrl,
  beforeCommand,
  mergeJson,
  pairOf,
  takeJson,
  withinCommand,
  type CallWords,
  type Json,
} from './words.ts';
import { clipped } from '../explain/text.ts';
import { UsageError, isTerminal, type Io } from '../io.ts';
import { authOf } from '../login/auth-of.ts';
import { authOptions } from '../login/sign-in-options.ts';
import { parseOptions, revisionDates, wholeNumber, type Parsed } from '../options.ts';
import { connect } from '../../client.ts';
import { fetchCatalogue, renderCatalogue } from './render-catalogue.ts';
import { renderResult } from './render-result.ts';
import { splitAtDashes, targetOptions, transportOf, type Target } from '../target.ts';
import { nearestWords } from '../../mistakes/nearest.ts';
import { withoutSent } from '../sent-secrets.ts';
import { printed, reasonOf, shownJson } from '../shown.ts';
import { version } from '../version.ts';

const options: ParseArgsOptionsConfig = {
  ...targetOptions,
  ...authOptions,
  config: { type: 'string' },
  revision: { type: 'string', multiple: true },
  timeout: { type: 'string' },
};

/** Lists what a server offers, or calls one of its tools. */
export async function call(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const head = takeJson(before);
  const parsed = parseOptions(head.rest, options);
  const file = parsed.text('config');
  if (file !== undefined)
    return await callConfigured(file, { parsed, json: head.json, isAlone: after === undefined }, io);
  const wanted = wantedIn(parsed.words, after);
  const json = mergeJson(head.json, wanted.json);
  requireTool(wanted.tool, json);
  const { client, tool } = await reach(wanted, parsed, io);
  const mayBeWord = wanted.guessed && wanted.target.kind === 'command';
  return await use(client, tool, { pairs: wanted.pairs, json, mayBeWord }, io);
}

/** The same at a server of a file. */
async function callConfigured(
  file: string,
  { parsed, json, isAlone }: { readonly parsed: Parsed; readonly json: Json; readonly isAlone: boolean },
  io: Io,
): Promise<number> {
  if (!isAlone) throw new UsageError('--config names the servers; give no command beside it');
  const [name, tool, ...pairs] = parsed.words;
  const wanted = { tool, pairs: pairs.map(pairOf), json, mayBeWord: false };
  requireTool(tool, json);
  const { way, revisions } = await configuredTarget(file, name, parsed, io);
  return await use(await openWay(way, parsed, io, revisions), tool, wanted, io);
}

function requireTool(tool: string | undefined, json: Json): void {
  if (tool === undefined && json.input !== undefined)
    throw new UsageError('there are arguments, but no tool to give them to');
}

/** Use of a server, which is closed afterwards. */
interface Use extends Pick<CallWords, 'pairs' | 'json'> {
  /** True when what was taken for the tool may be a word of the command. */
  readonly mayBeWord: boolean;
}

async function use(client: Client, tool: string | undefined, wanted: Use, io: Io): Promise<number> {
  try {
    return tool === undefined ? await list(client, wanted.json.output, io) : await callTool(client, tool, wanted, io);
  } finally {
    await client.close();
  }
}

function wantedIn(words: readonly string[], after: readonly string[] | undefined): CallWords {
  if (after === undefined) return afterUrl(words);
  return words.length > 0 ? beforeCommand(words, after) : withinCommand(after, existsSync);
}

/**
 * Opens the server. Where the last word may be a tool or belong to the command, the server itself tells: it is the
 * tool when the whole command starts a server that has it, or starts none.
 */
async function reach(
  wanted: CallWords,
  parsed: Parsed,
  io: Io,
): Promise<{ readonly client: Client; readonly tool: string | undefined }> {
  const { perhaps } = wanted;
  if (perhaps === undefined) return { client: await open(wanted.target, parsed, io), tool: wanted.tool };
  let client: Client;
  try {
    client = await open(wanted.target, parsed, io);
  } catch (error) {
    if (io.signal.aborted) throw error;
    return { client: await open(perhaps.target, parsed, io), tool: perhaps.tool };
  }
  const tools = await client.listTools({ signal: io.signal });
  return { client, tool: tools.some(({ name }) => name === perhaps.tool) ? perhaps.tool : undefined };
}

async function open(target: Target, parsed: Parsed, io: Io): Promise<Client> {
  const { auth } = await authOf(target, parsed, { io, asks: isTerminal(io) });
  return await openWay(transportOf(target, parsed, io, auth === undefined ? {} : { auth }), parsed, io);
}

/** @param known The revisions that the server is spoken to in, where nobody typed some. */
function openWay(way: Transport, parsed: Parsed, io: Io, known?: readonly RevisionDate[]): Promise<Client> {
  const revisions = revisionDates(parsed.texts('revision')) ?? known;
  const timeout = parsed.text('timeout');
  const timeoutMs = timeout === undefined ? undefined : wholeNumber('--timeout', timeout, [1, 2 ** 31 - 1]);
  return connect(way, {
    info: { name: 'parley-call', version },
    signal: io.signal,
    ...(revisions === undefined ? {} : { revisions }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    onLog: (message) => void io.stderr.write(logLine(message)),
    onWarning: warnings(io),
  });
}

const mostWarnings = 3;

/** A server that prints what is no message may print a lot of it. */
function warnings(io: Io): (message: string) => void {
  let count = 0;
  return (message) => {
    count++;
    if (count <= mostWarnings) io.stderr.write(`parley: ${reasonOf(message)}\n`);
    if (count === mostWarnings) io.stderr.write('parley: further warnings are left out\n');
  };
}

function logLine({ level, logger, data }: LoggingMessageNotificationParams): string {
  const words = typeof data === 'string' ? data : JSON.stringify(data);
  const head = printed(`[${level}]${logger === undefined ? '' : ` ${logger}:`}`, 'line');
  // What goes on below is told apart from what begins.
  return `${head} ${printed(words, 'lines').replaceAll('\n', '\n  ')}\n`;
}

async function list(client: Client, json: boolean, io: Io): Promise<number> {
  const catalogue = await fetchCatalogue(client, io.signal);
  io.stdout.write(json ? `${shownJson(catalogue, 2)}\n` : renderCatalogue(catalogue, client.description));
  return 0;
}

async function callTool(client: Client, name: string, { pairs, json, mayBeWord }: Use, io: Io): Promise<number> {
  const tools = await client.listTools({ signal: io.signal });
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(unknownTool(name, tools, mayBeWord));
  const result = await client.callTool(name, argumentsOf(pairs, json.input, tool), {
    signal: io.signal,
    logLevel: 'info',
    onProgress: ({ progress, total, message }) => {
      io.stderr.write(
        `${printed(`progress ${progress}${total === undefined ? '' : `/${total}`} ${message ?? ''}`, 'line')}\n`,
      );
    },
  });
  show(result, json.output, io);
  return result.isError === true ? 1 : 0;
}

function show(result: CallToolResult, json: boolean, io: Io): void {
  const isError = result.isError === true;
  const text = json ? `${shownJson(result, 2)}\n` : renderResult(result);
  // A result is what was asked for, and is shown as it is; an error may repeat what was sent.
  (isError && !json ? io.stderr : io.stdout).write(isError ? withoutSent(text) : text);
}

function unknownTool(name: string, tools: readonly Tool[], guessed: boolean): string {
  const known =
    tools.length === 0
      ? 'it has none'
      : `it has ${tools
          .slice(0, 20)
          .map((tool) => clipped(tool.name, 100))
          .join(', ')}${tools.length > 20 ? ', …' : ''}`;
  const hint = guessed ? `; if ${JSON.stringify(name)} belongs to the command, put -- after it` : '';
  return `the server has no tool ${JSON.stringify(name)}: ${known}${nearestWords(
    name,
    tools.map((tool) => tool.name),
  )}${hint}`;
}
