import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { InputAnswer } from '../../../../parley/src/client/api/input-handlers.ts';
import { formProblem, withDefaults } from '../../../../parley/src/client/input/elicitation-form.ts';
import type { TaskHandle } from '../../../../parley/src/client/api/task-handle.ts';
import type { ElicitRequestParams, ElicitResult } from '../../../../parley/src/protocol/features/elicitation.ts';
import type { InputRequest } from '../../../../parley/src/protocol/features/rounds.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';
import { argumentsOf } from '../call/arguments.ts';
import type { ClientOpening } from '../call/open.ts';
import { pairOf } from '../call/argument-words.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import { UsageError, isTerminal, type Io } from '../io.ts';
import { oneOption, type ParsedOptions } from '../options.ts';
import { TerminalQuestions, openQuestions, type Answerers } from './task-questions.ts';
import { questionWords } from './render.ts';

/** Words of an answer, as they were typed. */
export interface TypedAnswer {
  readonly parsed: ParsedOptions;
  /** `name=value` words. */
  readonly pairs: readonly string[];
  /** All at once. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
}

/** A way to answer what a task asks. */
export interface TaskAnswering extends Pick<ClientOpening, 'handlers' | 'tell'> {
  /** Answers one question, and resolves when the server has the answer. */
  answer(task: TaskHandle, client: Client): Promise<void>;
  end(): void;
}

/** Answers a task's question with the options of the command line, or with the input of the user at the terminal. */
export function typedAnswering(typed: TypedAnswer, io: Io): TaskAnswering {
  const pairs = typed.pairs.map((word) => pairOf(word));
  const action = oneOption(typed.parsed, 'action', ['accept', 'decline', 'cancel']);
  const isTyped = pairs.length > 0 || typed.input !== undefined || action !== undefined;
  if (action !== undefined && action !== 'accept' && (pairs.length > 0 || typed.input !== undefined))
    throw new UsageError(`--action ${action} gives no values`);
  const questions = isTerminal(io) && !isTyped ? new TerminalQuestions(io, () => () => undefined) : undefined;
  const reply = async (params: ElicitRequestParams): Promise<ElicitResult> => {
    if (questions === undefined) return filledIn(params, { pairs, input: typed.input, action: action ?? 'accept' });
    return await questions.ask(params, io.signal);
  };
  const key = typed.parsed.text('key');
  const requests = openRequests(reply);
  return {
    handlers: requests.handlers,
    end: () => questions?.close(),
    async answer(task, client) {
      const isCore = revisionOf(client.revision)?.tasks === 'core';
      if (!isCore) return await answerKey(task, { key, reply, signal: io.signal });
      if (key !== undefined)
        throw new UsageError(`--key is for questions that have one: those of ${client.revision} have none`);
      await requests.answered(task, io.signal);
    },
  };
}

/** Answers one of the inputs that a task waits for. (Spec ext-tasks, Providing input.) */
async function answerKey(
  task: TaskHandle,
  {
    key,
    reply,
    signal,
  }: {
    readonly key: string | undefined;
    readonly reply: (params: ElicitRequestParams) => Promise<ElicitResult>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { status, inputRequests = {} } = await task.poll({ signal });
  const chosen = chosenRequest(Object.entries(inputRequests), key, status);
  const [name, request] = chosen;
  if (request.method !== 'elicitation/create')
    throw new Error(`the task asks ${request.method}, which no command line answers`);
  const answer: InputAnswer = await reply(request.params);
  await task.answer({ [name]: answer }, { signal });
}

function chosenRequest(
  open: readonly (readonly [string, InputRequest])[],
  key: string | undefined,
  status: string,
): readonly [string, InputRequest] {
  const [first] = open;
  if (first === undefined) throw new Error(`the task waits for no answer: it is ${status}`);
  const found = open.find(([name]) => name === key);
  if (key === undefined && open.length === 1) return first;
  if (found !== undefined) return found;
  const names = open.map(([name, request]) => `${JSON.stringify(name)}, ${questionWords(request)}`).join('; ');
  throw new UsageError(
    key === undefined
      ? `the task waits for ${open.length} answers, so say with --key which one you give: ${names}`
      : `the task does not wait for an answer to ${JSON.stringify(key)}, but to: ${names}`,
  );
}

/** Questions that come as requests, of which the first is answered and the others are left open. */
function openRequests(reply: (params: ElicitRequestParams) => Promise<ElicitResult>): {
  readonly handlers: Answerers;
  answered(task: TaskHandle, signal: AbortSignal): Promise<void>;
} {
  const left = openQuestions();
  let isAsked = false;
  let isAnswered = false;
  let fail = (_: unknown): void => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);
  const take = async (params: ElicitRequestParams): Promise<ElicitResult> => {
    if (isAsked) return await left.leave(params);
    isAsked = true;
    try {
      const answer = await reply(params);
      isAnswered = true;
      return answer;
    } catch (error) {
      fail(error);
      // The question stays open for the next try.
      return await new Promise<never>(() => undefined);
    }
  };
  return {
    handlers: { onElicit: take, onElicitUrl: take },
    async answered(task, signal) {
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const watching = (async () => {
        for await (const { status } of task.updates({ signal: either })) {
          if (isAnswered && status !== 'input_required') return;
          if (!isAsked && status !== 'input_required') throw new Error(`the task waits for no answer: it is ${status}`);
        }
      })();
      try {
        await Promise.race([watching, failed, left.asked]);
      } finally {
        over.abort();
        await watching.catch(() => undefined);
      }
    },
  };
}

/** The content that was typed, in the types that the form wants. */
function filledIn(
  params: ElicitRequestParams,
  {
    pairs,
    input,
    action,
  }: {
    readonly pairs: readonly (readonly [string, string])[];
    readonly input: Readonly<Record<string, unknown>> | undefined;
    readonly action: ElicitResult['action'];
  },
): ElicitResult {
  if (action !== 'accept') return { action };
  if (params.mode === 'url') {
    if (pairs.length > 0 || input !== undefined)
      throw new UsageError(
        `the task asks you to visit a page, which has no values: ${params.url}; --action accept says that you did`,
      );
    return { action };
  }
  const { requestedSchema } = params;
  const names = Object.keys(requestedSchema.properties);
  const content = argumentsOf(pairs, input, { inputSchema: requestedSchema });
  const unknown = Object.keys(content).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `the task asks for no ${JSON.stringify(unknown)}, but for ${names.join(', ')}${nearestWords(unknown, names)}`,
    );
  const problem = formProblem(requestedSchema, withDefaults<unknown>(requestedSchema, content));
  if (problem !== undefined)
    throw new UsageError(`${problem}; the task asks: ${questionWords({ method: 'elicitation/create', params })}`);
  // As was just checked.
  return { action, content: content as ElicitResult['content'] & {} };
}
