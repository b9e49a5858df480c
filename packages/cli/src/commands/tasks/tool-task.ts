import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { ClientOpening } from '../call/open.ts';
import type { ServerPlace } from '../call/place.ts';
import type { LineAnswers } from '../call/questions.ts';
import { requestLimits } from '../call/time-limit.ts';
import { printCall, type WantedOutput } from '../call/print-call.ts';
import { UsageError, type Io } from '../io.ts';
import { milliseconds, type ParsedOptions } from '../options.ts';
import { shownJson } from '../shown.ts';
import { endsWithIt, followed, waiterAt } from './follow.ts';
import { commandAbout, endsWithCommand } from './place.ts';
import { screenFor } from './screen.ts';

/** Longest time that a task may be asked to be kept, in milliseconds. */
const maxTtlMs = 999_999_999_999_999;

/** A call of a tool as a task. */
export interface ToolTask {
  /** Choices with which its server is to be opened. */
  readonly opening: ClientOpening;
  /** Calls the tool; ends the wait for what it asks. */
  run(
    client: Client,
    argumentsOfCall: Readonly<Record<string, unknown>>,
    wanted: Pick<WantedOutput, 'output'> & { readonly place: ServerPlace },
  ): Promise<number>;
  end(): void;
}

/** Makes what calls a tool as a task, as the options of the command line say. */
export function toolTask(
  tool: string,
  {
    parsed,
    json,
    given,
  }: { readonly parsed: ParsedOptions; readonly json: boolean; readonly given: LineAnswers | undefined },
  io: Io,
): ToolTask {
  const ttl = parsed.text('ttl');
  const ttlMs = ttl === undefined ? undefined : milliseconds('--ttl', ttl, { most: maxTtlMs });
  const detach = parsed.flag('detach');
  const screen = screenFor(io, { tool, json: json || detach });
  const waiter = waiterAt(io, screen, given);
  return {
    opening: { handlers: waiter.handlers, tell: screen.tell },
    end: waiter.end,
    async run(client, argumentsOfCall, { place, output }) {
      const starting = client.startTask(tool, argumentsOfCall, {
        ...requestLimits(io),
        logLevel: 'info',
        ...(ttlMs === undefined ? {} : { ttlMs }),
        ...(detach ? {} : { onProgress: screen.progressed }),
      });
      const asked = waiter.asked.then((message) => {
        throw new Error(`the server asks before it makes a task of the call: ${message}; call the tool at a terminal`);
      });
      const task = await Promise.race([starting, asked]);
      const { reference } = task;
      if (detach && reference !== undefined) {
        if (endsWithCommand(place)) io.stderr.write(`parley: ${endsWithIt}\n`);
        io.stdout.write(`${shownJson(reference)}\n`);
        return 0;
      }
      if (detach)
        io.stderr.write(
          'parley: the server answered the call itself, so that there is no task; this is what it said\n',
        );
      const command = (verb: 'wait' | 'answer', about: NonNullable<typeof reference>): string =>
        commandAbout(verb, about, { place, parsed, io });
      const advice = { command, endsWithCommand: endsWithCommand(place) };
      const result = await followed(task, waiter, { io, advice, reports: true });
      if (result === undefined) return 1;
      return await printCall(tool, result, { json, output }, io);
    },
  };
}

/**
 * The tool that is called as a task.
 *
 * @throws UsageError for task options without a task.
 */
export function calledAsTask(parsed: ParsedOptions, tool: string | undefined): string {
  if (!parsed.flag('task')) throw new UsageError(`--${parsed.flag('detach') ? 'detach' : 'ttl'} goes with --task`);
  if (tool === undefined)
    throw new UsageError('--task calls a tool: name one after the URL, or after a second -- behind the command');
  return tool;
}
