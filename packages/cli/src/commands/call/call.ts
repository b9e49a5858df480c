import type { ParseArgsOptionsConfig } from 'node:util';
import type { Client } from '../../../../parley/src/client/client.ts';
import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import type { Tool } from '../../../../parley/src/protocol/features/tools.ts';
import { argumentsOf } from './arguments.ts';
import { configuredTarget } from './configured.ts';
import {
  afterUrl,
  beforeCommand,
  mergeJson,
  pairOf,
  takeJson,
  toolAtEnd,
  withinCommand,
  type CallWords,
  type Json,
} from './words.ts';
import { clipped } from '../explain/text.ts';
import { UsageError, type Io } from '../io.ts';
import { parseOptions, type Parsed } from '../options.ts';
import { clientOptions, openTarget, openWay } from './open.ts';
import { requestLimits, withinTime } from './time-limit.ts';
import { fetchCatalogue } from './catalogue.ts';
import { renderCatalogue } from './render-catalogue.ts';
import { printResult } from './render-result.ts';
import { splitAtDashes, type Target } from '../target.ts';
import type { TaskPlace } from '../tasks/place.ts';
import type { ToolTask } from '../tasks/tool-task.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import { printed, reasonOf, shownJson } from '../shown.ts';

/** The options of the command. */
export const callOptions: ParseArgsOptionsConfig = {
  ...clientOptions,
  task: { type: 'boolean' },
  detach: { type: 'boolean' },
  ttl: { type: 'string' },
};

/** Lists what a server offers, or calls one of its tools. */
export async function call(argv: readonly string[], io: Io): Promise<number> {
  const { before, after } = splitAtDashes(argv);
  const head = takeJson(before);
  const parsed = parseOptions(head.rest, callOptions);
  return await withinTime(parsed, io, (timed) => callAt({ head, parsed, after }, timed));
}

/** Words of a call: those before the command, and the command. */
interface Words {
  readonly head: ReturnType<typeof takeJson>;
  readonly parsed: Parsed;
  readonly after: readonly string[] | undefined;
}

async function callAt({ head, parsed, after }: Words, io: Io): Promise<number> {
  const file = parsed.text('config');
  if (file !== undefined)
    return await callConfigured(file, { parsed, json: head.json, isAlone: after === undefined }, io);
  const { target, tool, pairs, ...wanted } = wantedIn(parsed.words, after);
  const json = mergeJson(head.json, wanted.json);
  requireTool(tool, json);
  // A tool that stands behind the command may have been meant for a word of it.
  const mayBeWord = target.kind === 'command' && parsed.words.length === 0;
  return await withTask(tool, { parsed, json: json.output }, io, async (task) => {
    const client = await openTarget(target, parsed, io, task?.opening);
    return await use(client, tool, { pairs, json, mayBeWord, task, place: { kind: 'typed', target } }, io);
  });
}

/** Does something that may be about a task, and shows nothing of it any more afterwards. */
async function withTask(
  tool: string | undefined,
  asked: { readonly parsed: Parsed; readonly json: boolean },
  io: Io,
  work: (task: ToolTask | undefined) => Promise<number>,
): Promise<number> {
  const { parsed } = asked;
  if (!parsed.flag('task') && !parsed.flag('detach') && parsed.text('ttl') === undefined) return await work(undefined);
  const { calledAsTask, toolTask } = await import('../tasks/tool-task.ts');
  const task = toolTask(calledAsTask(parsed, tool), asked, io);
  try {
    return await work(task);
  } finally {
    task.end();
  }
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
  return await withTask(tool, { parsed, json: json.output }, io, async (task) => {
    const { way, revisions, timeoutMs } = await configuredTarget(file, name, parsed, io);
    const client = await openWay(way, parsed, io, { ...task?.opening, known: revisions, timeoutMs });
    return await use(client, tool, { ...wanted, task, place: { kind: 'configured', file, name } }, io);
  });
}

function requireTool(tool: string | undefined, json: Json): void {
  if (tool === undefined && json.input !== undefined)
    throw new UsageError('there are arguments, but no tool to give them to');
}

/** Use of a server, which is closed afterwards. */
interface Use extends Pick<CallWords, 'pairs' | 'json'> {
  /** True when the tool stands behind a command, of which it may be a word. */
  readonly mayBeWord: boolean;
  /** Call as a task, where that is wanted. */
  readonly task: ToolTask | undefined;
  readonly place: TaskPlace;
}

async function use(client: Client, tool: string | undefined, wanted: Use, io: Io): Promise<number> {
  try {
    return tool === undefined ? await list(client, wanted, io) : await callTool(client, tool, wanted, io);
  } finally {
    await client.close();
  }
}

function wantedIn(words: readonly string[], after: readonly string[] | undefined): CallWords {
  if (after === undefined) return afterUrl(words);
  return words.length > 0 ? beforeCommand(words, after) : withinCommand(after);
}

async function list(client: Client, { json, place }: Use, io: Io): Promise<number> {
  const catalogue = await fetchCatalogue(client, requestLimits(io));
  io.stdout.write(json.output ? `${shownJson(catalogue, 2)}\n` : renderCatalogue(catalogue, client.description));
  if (place.kind === 'typed' && place.target.kind === 'command') hintAtCall(place.target, catalogue.tools, io);
  return 0;
}

/** A person who forgot the second `--` gave the tool to the command. */
function hintAtCall(
  { args }: Extract<Target, { kind: 'command' }>,
  tools: readonly Pick<Tool, 'name'>[],
  io: Io,
): void {
  const word = toolAtEnd(args, (name) => tools.some((tool) => tool.name === name));
  if (word === undefined) return;
  io.stderr.write(`parley: the command was given ${JSON.stringify(word)}; put -- before it to call that tool\n`);
}

async function callTool(client: Client, name: string, wanted: Use, io: Io): Promise<number> {
  const { pairs, json, mayBeWord, task, place } = wanted;
  const tools = await toolsOf(client, io);
  const tool = tools?.find((one) => one.name === name);
  // A server that declares no tools lists none here, and may have some all the same.
  if (tool === undefined && tools !== undefined && client.supports('tools'))
    throw new Error(unknownTool(name, tools, mayBeWord));
  const given = argumentsOf(pairs, json.input, tool);
  if (task !== undefined) return await task.run(client, given, place);
  const result = await client.callTool(name, given, {
    ...requestLimits(io),
    logLevel: 'info',
    onProgress: ({ progress, total, message }) => {
      io.stderr.write(
        `${printed(`progress ${progress}${total === undefined ? '' : `/${total}`} ${message ?? ''}`, 'line')}\n`,
      );
    },
  });
  printResult(result, json.output, io);
  return result.isError === true ? 1 : 0;
}

/** The tools of a server; `undefined` if it does not list them, for which it may still have some. */
async function toolsOf(client: Client, io: Io): Promise<readonly Tool[] | undefined> {
  try {
    return await client.listTools(requestLimits(io));
  } catch (error) {
    const isUnreadable = error instanceof ConnectionError && ['invalid-message', 'too-large'].includes(error.reason);
    if (!(error instanceof McpError) && !isUnreadable) throw error;
    io.stderr.write(`parley: the tools cannot be listed (${reasonOf(error)}); the tool is called all the same\n`);
    return undefined;
  }
}

function unknownTool(name: string, tools: readonly Tool[], mayBeWord: boolean): string {
  const known =
    tools.length === 0
      ? 'it has none'
      : `it has ${tools
          .slice(0, 20)
          .map((tool) => clipped(tool.name, 100))
          .join(', ')}${tools.length > 20 ? ', …' : ''}`;
  const hint = mayBeWord ? `; if ${JSON.stringify(name)} belongs to the command, end the line with one more --` : '';
  return `the server has no tool ${JSON.stringify(name)}: ${known}${nearestWords(
    name,
    tools.map((tool) => tool.name),
  )}${hint}`;
}
