import { readFile } from 'node:fs/promises';
import type { ParseArgsOptionsConfig } from 'node:util';
import { formProblem, withDefaults } from '../../../../parley/src/client/input/elicitation-form.ts';
import type { InputHandlers } from '../../../../parley/src/client/api/input-handlers.ts';
import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import type { ElicitRequestFormParams, ElicitResult } from '../../../../parley/src/protocol/features/elicitation.ts';
import type { CreateMessageRequestParams } from '../../../../parley/src/protocol/features/sampling.ts';
import { clipped } from '../explain/text.ts';
import { UsageError, isTerminal, type Io } from '../io.ts';
import type { ParsedOptions } from '../options.ts';
import { printed } from '../shown.ts';
import { argumentsOf } from './arguments.ts';
import { pairOf } from './argument-words.ts';

/** The options that answer what a server asks. */
export const questionOptions: ParseArgsOptionsConfig = {
  answer: { type: 'string', multiple: true },
  answers: { type: 'string' },
  decline: { type: 'boolean' },
  sample: { type: 'string' },
};

/** Answers to what a server asks while a command uses it. */
export interface LineAnswers {
  readonly handlers: Pick<InputHandlers, 'onElicit' | 'onElicitUrl' | 'onSample'>;
  /** Says which answers nobody asked for. @throws UsageError for a question that the options did not answer. */
  settle(): void;
  /** Asks nothing any more. */
  end(): void;
}

/** Answers of a command line: what the options say, and otherwise what the user at the terminal types. */
export async function questionsOf(parsed: ParsedOptions, io: Io): Promise<LineAnswers> {
  const typed = await typedAnswers(parsed);
  const text = parsed.text('sample');
  const onSample =
    text === undefined ? {} : { onSample: (params: CreateMessageRequestParams) => sampled(params, text, io) };
  if (parsed.flag('decline')) {
    if (typed !== undefined) throw new UsageError('--decline gives no answers; leave it out, or --answer');
    const decline = (): 'decline' => 'decline';
    return { handlers: { onElicit: decline, onElicitUrl: decline, ...onSample }, settle: () => {}, end: () => {} };
  }
  const person = isTerminal(io) ? await atTerminal(io) : undefined;
  const given = typed === undefined ? undefined : new GivenAnswers(typed);
  return {
    handlers: {
      ...person?.handlers,
      ...(given === undefined ? {} : { onElicit: (params: ElicitRequestFormParams) => given.answer(params) }),
      ...onSample,
    },
    settle: () => given?.settle(io),
    end: () => person?.close(),
  };
}

/** This code is only needed where a person sits. */
async function atTerminal(io: Io): Promise<{ readonly handlers: LineAnswers['handlers']; close(): void }> {
  const { TerminalQuestions } = await import('../tasks/task-questions.ts');
  return new TerminalQuestions(io, () => () => undefined);
}

/** Tells whether the options answer forms. */
export function answersForms(parsed: ParsedOptions): boolean {
  return parsed.flag('decline') || parsed.text('answers') !== undefined || parsed.texts('answer').length > 0;
}

/** The answers by the names of fields: text as it was typed, or JSON of a file. */
interface Typed {
  readonly pairs: readonly (readonly [string, string])[];
  readonly input: Readonly<Record<string, unknown>>;
}

async function typedAnswers(parsed: ParsedOptions): Promise<Typed | undefined> {
  const file = parsed.text('answers');
  const pairs = parsed.texts('answer').map((word) => pairOf(word, '--answer'));
  if (file === undefined) return pairs.length === 0 ? undefined : { pairs, input: {} };
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`--answers is no file that can be read: ${file}`, { cause });
  });
  const input = parsedObject(text);
  if (input === undefined)
    throw new UsageError(`--answers must be a file with a JSON object, such as {"name":"Ada"}: ${file}`);
  return { pairs, input };
}

function parsedObject(text: string): Typed['input'] | undefined {
  try {
    JSON.parse(text);
    const value = parseExactJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Fills in each form from the same answers. */
class GivenAnswers {
  readonly #typed: Typed;
  readonly #asked = new Set<string>();
  #failure: UsageError | undefined;

  constructor(typed: Typed) {
    this.#typed = typed;
  }

  answer({ message, requestedSchema }: ElicitRequestFormParams): ElicitResult {
    const names = Object.keys(requestedSchema.properties);
    for (const name of names) this.#asked.add(name);
    const { pairs, input } = this.#typed;
    const isAsked = ([name]: readonly [string, unknown]): boolean => names.includes(name);
    try {
      const content = argumentsOf(pairs.filter(isAsked), Object.fromEntries(Object.entries(input).filter(isAsked)), {
        inputSchema: requestedSchema,
      });
      const problem = formProblem(requestedSchema, withDefaults<unknown>(requestedSchema, content));
      // As was just checked.
      if (problem === undefined) return { action: 'accept', content: content as ElicitResult['content'] & {} };
      throw new UsageError(problem);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const about = `the server asks ${JSON.stringify(clipped(message, 200))} with the fields ${names.join(', ')}`;
      this.#failure ??= new UsageError(`${about}, and the answers do not fit: ${error.message}`, { cause: error });
      return { action: 'cancel' };
    }
  }

  settle(io: Io): void {
    if (this.#failure !== undefined) throw this.#failure;
    const given = [...this.#typed.pairs.map(([name]) => name), ...Object.keys(this.#typed.input)];
    const asked = [...this.#asked];
    for (const name of given.filter((one) => !this.#asked.has(one)))
      io.stderr.write(`parley: the server did not ask for ${JSON.stringify(name)}${nearestWords(name, asked)}\n`);
  }
}

/** Answers with a fixed text, and shows what the model was to read. */
function sampled({ messages }: CreateMessageRequestParams, text: string, io: Io): string {
  const said = messages
    .flatMap(({ content }) => content)
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join(' ');
  io.stderr.write(`${printed(`the server asks a model: ${clipped(said, 1_000)}`, 'line')}\n`);
  return text;
}
