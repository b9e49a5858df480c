import type { ParseArgsOptionsConfig } from 'node:util';
import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { Tool } from '../../../../parley/src/protocol/features/tools.ts';
import { argumentsOf, checkArguments } from './arguments.ts';
import { argumentWords, toolAtEnd, type Json } from './argument-words.ts';
import { isColoured } from '../colour.ts';
import { UsageError, type Io } from '../io.ts';
import type { ParsedOptions } from '../options.ts';
import type { ServerPlace } from './place.ts';
import type { LineAnswers } from './questions.ts';
import { requestLimits } from './time-limit.ts';
import { listedBefore, unknownName } from './unknown-name.ts';
import { argumentHint, refuseUrl, savingOptions, useServer } from './use-server.ts';
import { fetchCatalogue } from './catalogue.ts';
import { renderCatalogue } from './render-catalogue.ts';
import { printCall } from './print-call.ts';
import type { ServerTarget } from '../target.ts';
import type { ToolTask } from '../tasks/tool-task.ts';
import { printed, shownJson } from '../shown.ts';

/** The options of the command. */
export const callOptions: ParseArgsOptionsConfig = {
  ...savingOptions,
  task: { type: 'boolean' },
  detach: { type: 'boolean' },
  ttl: { type: 'string' },
};

/** Lists what a server offers, or calls one of its tools. */
export async function call(argv: readonly string[], io: Io): Promise<number> {
  return await useServer(argv, { io, options: callOptions, hint: argumentHint }, async (line, timed) => {
    const { parsed, place } = line;
    const [tool, ...words] = line.words;
    refuseUrl(tool);
    if (tool === undefined && line.json.input !== undefined)
      throw new UsageError('there are arguments, but no tool to give them to');
    const { pairs, input } = argumentWords(words, line.json.input);
    const json = { output: line.json.output, input };
    const task = await taskOf(tool, { parsed, json: json.output, given: line.given }, timed);
    const output = parsed.text('output');
    if (tool === undefined && output !== undefined)
      throw new UsageError('--output saves a result; name a tool to call');
    const wanted: Use = { pairs, json, output, mayBeCommand: line.mayBeCommand, task, place };
    return {
      opening: task?.opening,
      run: (client) => (tool === undefined ? list(client, wanted, timed) : callTool(client, tool, wanted, timed)),
      end: () => task?.end(),
    };
  });
}

/** The task that a call is to become, if the options want one. */
async function taskOf(
  tool: string | undefined,
  asked: { readonly parsed: ParsedOptions; readonly json: boolean; readonly given: LineAnswers | undefined },
  io: Io,
): Promise<ToolTask | undefined> {
  const { parsed } = asked;
  if (!parsed.flag('task') && !parsed.flag('detach') && parsed.text('ttl') === undefined) return undefined;
  const { calledAsTask, toolTask } = await import('../tasks/tool-task.ts');
  return toolTask(calledAsTask(parsed, tool), asked, io);
}

/** Use of a server. */
interface Use {
  readonly pairs: readonly (readonly [string, string])[];
  readonly json: Json;
  /** File or folder for images, audio and bytes. */
  readonly output: string | undefined;
  /** True when the tool stands behind a command, of which it may be a word. */
  readonly mayBeCommand: boolean;
  /** Call as a task, where that is wanted. */
  readonly task: ToolTask | undefined;
  readonly place: ServerPlace;
}

async function list(client: Client, { json, place }: Use, io: Io): Promise<number> {
  const catalogue = await fetchCatalogue(client, requestLimits(io));
  io.stdout.write(
    json.output
      ? `${shownJson(catalogue, 2)}\n`
      : renderCatalogue(catalogue, client.description, isColoured(io.stdout, io.env)),
  );
  if (place.kind === 'typed' && place.target.kind === 'command') hintAtCall(place.target, catalogue.tools, io);
  return 0;
}

/** A person who forgot the second `--` gave the tool to the command. */
function hintAtCall(
  { args }: Extract<ServerTarget, { kind: 'command' }>,
  tools: readonly Pick<Tool, 'name'>[],
  io: Io,
): void {
  const word = toolAtEnd(args, (name) => tools.some((tool) => tool.name === name));
  if (word === undefined) return;
  io.stderr.write(`parley: the command was given ${JSON.stringify(word)}; put -- before it to call that tool\n`);
}

async function callTool(client: Client, name: string, wanted: Use, io: Io): Promise<number> {
  const { pairs, json, output, mayBeCommand, task, place } = wanted;
  const tools = await listedBefore('tool', client.listTools(requestLimits(io)), io);
  const tool = tools?.find((one) => one.name === name);
  // A server that declares no tools lists none here, and may have some all the same.
  if (tool === undefined && tools !== undefined && client.supports('tools'))
    throw new Error(unknownName('tool', name, { known: tools, mayBeCommand }));
  const given = argumentsOf(pairs, json.input, tool);
  const about = tool === undefined ? undefined : checkArguments(tool, given);
  if (about !== undefined) io.stderr.write(`parley: ${printed(about, 'line')}; it is sent all the same\n`);
  if (task !== undefined) return await task.run(client, given, { place, output });
  const result = await client.callTool(name, given, {
    ...requestLimits(io),
    logLevel: 'info',
    onProgress: ({ progress, total, message }) => {
      io.stderr.write(
        `${printed(`progress ${progress}${total === undefined ? '' : `/${total}`} ${message ?? ''}`, 'line')}\n`,
      );
    },
  });
  return await printCall(name, result, { json: json.output, output }, io);
}
