import type { ParseArgsOptionsConfig } from 'node:util';
import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { TaskHandle, TaskReference } from '../../../../parley/src/client/api/task-handle.ts';
import { clientOptions } from '../call/open.ts';
import type { ServerPlace } from '../call/place.ts';
import { withinTime } from '../call/time-limit.ts';
import { printResult } from '../call/render-result.ts';
import { takeJson, type Json } from '../call/argument-words.ts';
import { UsageError, type Io } from '../io.ts';
import { parseOptions, type ParsedOptions } from '../options.ts';
import { splitAtDashes } from '../target.ts';
import { typedAnswering, type TaskAnswering } from './answer.ts';
import { explained, followed, waiterAt, type Advice } from './follow.ts';
import { listTasks } from './list.ts';
import { commandAbout, endsWithCommand, openTaskPlace, placeOf } from './place.ts';
import { readReference } from './reference.ts';
import { renderUpdate } from './render.ts';
import { screenFor } from './screen.ts';

/** Words of a command line about one task. */
interface About {
  readonly reference: TaskReference;
  readonly place: ServerPlace;
  readonly parsed: ParsedOptions;
  readonly json: Json;
}

/** Does something with a task that an earlier command began. */
type TaskVerb = (about: About, io: Io, pairs: readonly string[]) => Promise<number>;

const verbs: ReadonlyMap<string, TaskVerb> = new Map([
  ['get', get],
  ['wait', wait],
  ['answer', answer],
  ['cancel', cancel],
]);

/** The options of `parley tasks answer`. */
export const answerOptions: ParseArgsOptionsConfig = { key: { type: 'string' }, action: { type: 'string' } };

/** Takes up tasks that were begun by `parley call --task`, or lists those of a server. */
export async function tasks(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  const { before, after } = splitAtDashes(rest);
  const { parsed, json } = name === 'answer' ? answerWords(before) : plainWords(before);
  const words = { parsed, json, after };
  return await withinTime(parsed, io, (timed) => tasksAt(name, words, timed));
}

/** Words of a command about tasks. */
interface Words extends Pick<About, 'parsed' | 'json'> {
  readonly after: readonly string[] | undefined;
}

async function tasksAt(name: string | undefined, { parsed, json, after }: Words, io: Io): Promise<number> {
  if (name === 'list') {
    return await listTasks(placeOf({ parsed, words: parsed.words, after }), { parsed, json: json.output }, io);
  }
  const verb = verbs.get(name ?? '');
  if (verb === undefined)
    throw new UsageError(
      `${name === undefined ? 'say what to do with a task' : `there is no parley tasks ${JSON.stringify(name)}`}: get, wait, answer, cancel or list`,
    );
  const [word, ...others] = parsed.words;
  const reference = await readReference(word, io);
  const isPair = (other: string): boolean => name === 'answer' && /^[^=:/]+=/.test(other);
  const words = others.filter((other) => !isPair(other));
  const place = placeOf({ parsed, words, after }, reference);
  return await verb({ reference, place, parsed, json }, io, others.filter(isPair));
}

function plainWords(words: readonly string[]): Pick<About, 'parsed' | 'json'> {
  const parsed = parseOptions(words, { ...clientOptions, json: { type: 'boolean' } });
  return { parsed, json: { output: parsed.flag('json'), input: undefined } };
}

/** The values of an answer may be given as JSON. */
function answerWords(words: readonly string[]): Pick<About, 'parsed' | 'json'> {
  const { rest, json } = takeJson(words);
  return { parsed: parseOptions(rest, { ...clientOptions, ...answerOptions }), json };
}

/** Uses the task at its server, which is closed afterwards; what fails says what to do. */
async function using(
  { reference, place, parsed }: About,
  io: Io,
  {
    use,
    ...opening
  }: Pick<TaskAnswering, 'handlers' | 'tell'> & {
    readonly use: (task: TaskHandle, client: Client) => Promise<number>;
  },
): Promise<number> {
  const client = await openTaskPlace(place, { parsed, reference, opening }, io);
  try {
    return await use(await client.task(reference), client);
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message, { cause: error }) : error;
  } finally {
    await client.close();
  }
}

function adviceOf({ place, parsed }: About, io: Io): Advice {
  return {
    command: (verb, reference) => commandAbout(verb, reference, { place, parsed, io }),
    endsWithCommand: endsWithCommand(place),
  };
}

async function get(about: About, io: Io): Promise<number> {
  return await using(about, io, {
    use: async (task) => {
      await show(task, about, io);
      return 0;
    },
  });
}

/** Asks how a task stands, and prints it. */
async function show(task: TaskHandle, about: About, io: Io): Promise<string> {
  try {
    const update = await task.poll({ signal: io.signal });
    io.stdout.write(renderUpdate(update, { tool: about.reference.tool, json: about.json.output }));
    return update.status;
  } catch (error) {
    throw explained(error, about.reference, adviceOf(about, io));
  }
}

async function wait(about: About, io: Io): Promise<number> {
  const json = about.json.output;
  const waiter = waiterAt(io, screenFor(io, { tool: about.reference.tool, json }));
  const { handlers, screen } = waiter;
  try {
    return await using(about, io, {
      handlers,
      tell: screen.tell,
      use: async (task) => {
        const result = await followed(task, waiter, { io, advice: adviceOf(about, io), reports: false });
        if (result === undefined) return 1;
        printResult(result, json, io);
        return result.isError === true ? 1 : 0;
      },
    });
  } finally {
    waiter.end();
  }
}

async function answer(about: About, io: Io, pairs: readonly string[]): Promise<number> {
  const { parsed, json } = about;
  const given = typedAnswering({ parsed, pairs, input: json.input }, io);
  try {
    return await using(about, io, {
      ...given,
      use: async (task, client) => {
        await given.answer(task, client).catch((error: unknown) => {
          throw explained(error, about.reference, adviceOf(about, io));
        });
        await show(task, about, io);
        return 0;
      },
    });
  } finally {
    given.end();
  }
}

async function cancel(about: About, io: Io): Promise<number> {
  return await using(about, io, {
    use: async (task) => {
      await task.cancel({ signal: io.signal }).catch((error: unknown) => {
        throw explained(error, about.reference, adviceOf(about, io));
      });
      const status = await show(task, about, io);
      if (status === 'cancelled') return 0;
      const hasEnded = status === 'completed' || status === 'failed';
      io.stderr.write(
        hasEnded
          ? 'parley: the task had ended before\n'
          : 'parley: the server was asked to cancel the task; until it does, the task may still end in another way\n',
      );
      return hasEnded ? 1 : 0;
    },
  });
}
