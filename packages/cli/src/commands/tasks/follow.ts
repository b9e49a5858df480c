import { after } from '../../../../parley/src/jsonrpc/timeout.ts';
import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import { TaskGoneError, TaskInputRequiredError } from '../../../../parley/src/client/api/task-errors.ts';
import { TaskProgress } from '../../../../parley/src/client/tasks/following/task-progress.ts';
import type { TaskHandle, TaskReference } from '../../../../parley/src/client/api/task-handle.ts';
import type { CallToolResult } from '../../../../parley/src/protocol/features/tools.ts';
import type { LineAnswers } from '../call/questions.ts';
import { AdvisedError, isTerminal, type Io } from '../io.ts';
import { reasonOf } from '../shown.ts';
import { TerminalQuestions, openQuestions } from './task-questions.ts';
import type { Screen } from './screen.ts';

/** Time after the first wish to end in which a second one cancels the task, in milliseconds. */
const insistMs = 2_000;

/** A wait for tasks at a command line: it shows their state, and answers their questions. */
export interface TaskWaiter {
  readonly screen: Screen;
  readonly handlers: LineAnswers['handlers'];
  /** Resolves with a question that cannot be answered here. */
  readonly asked: Promise<string>;
  /** Asks and shows nothing any more. */
  readonly end: () => void;
}

/** The wait of this command: options answer, or a user at a terminal is asked; otherwise questions stay open. */
export function waiterAt(io: Io, screen: Screen, given?: LineAnswers): TaskWaiter {
  if (given !== undefined)
    return { handlers: given.handlers, asked: new Promise(() => undefined), screen, end: screen.end };
  if (!isTerminal(io)) return { ...openQuestions(), screen, end: screen.end };
  const questions = new TerminalQuestions(io, screen.rest);
  const end = (): void => {
    questions.close();
    screen.end();
  };
  return { handlers: questions.handlers, asked: new Promise(() => undefined), screen, end };
}

/** Text about a task for a user who stops waiting. */
export interface Advice {
  /** Command line that does something with the task. */
  readonly command: (verb: 'wait' | 'answer', reference: TaskReference) => string;
  /** True when the server ends with this command. */
  readonly endsWithCommand: boolean;
}

/**
 * Waits for the result of a task.
 *
 * @param reports True if the screen gets progress from the call that began the task; otherwise it is read from status
 *   messages.
 * @returns The result; `undefined` if the user stopped waiting, and saw how to continue.
 * @throws The error of the task, with advice.
 */
export async function followed(
  task: TaskHandle,
  { screen, asked }: TaskWaiter,
  { io, advice, reports }: { readonly io: Io; readonly advice: Advice; readonly reports: boolean },
): Promise<CallToolResult | undefined> {
  const over = new AbortController();
  const signal = AbortSignal.any([io.signal, over.signal]);
  const insisted = new Promise<void>((resolve) => io.onInsist?.(resolve));
  const watching = watch(task, screen, { signal, reports });
  try {
    const open = asked.then((message) => Promise.reject(new OpenQuestionError(message)));
    return await Promise.race([task.result({ signal }), open]);
  } catch (error) {
    if (!io.signal.aborted || io.limit?.signal.aborted === true) throw explained(error, task.reference, advice);
  } finally {
    over.abort();
    await watching;
    screen.end();
  }
  await leave(task, insisted, { io, advice });
  return undefined;
}

/** Shows the state of the task until it has ended. The result has the reason of the end. */
async function watch(
  task: TaskHandle,
  screen: Screen,
  { signal, reports }: { readonly signal: AbortSignal; readonly reports: boolean },
): Promise<void> {
  const words = reports ? undefined : new TaskProgress(screen.progressed);
  try {
    for await (const update of task.updates({ signal })) {
      words?.say(update.statusMessage, update.status);
      screen.updated(update);
    }
  } catch {
    // Other errors are shown with the result too.
  }
}

/** Leaves a task, and says how to come back; who insists cancels it. */
async function leave(
  task: TaskHandle,
  insisted: Promise<void>,
  { io, advice }: { readonly io: Io; readonly advice: Advice },
): Promise<void> {
  const say = (line: string): void => void io.stderr.write(`parley: ${line}\n`);
  const { reference } = task;
  if (reference === undefined) return;
  if (advice.endsWithCommand) say(endsWithIt);
  say(`the task goes on; once more within ${insistMs / 1_000} s cancels it. To take it up again:`);
  io.stderr.write(`${advice.command('wait', reference)}\n`);
  let cancelTimer = (): void => undefined;
  const late = new Promise<'late'>((resolve) => (cancelTimer = after(insistMs, () => resolve('late'), true)));
  const what = await Promise.race([late, insisted]);
  cancelTimer();
  if (what === 'late') return;
  await task.cancel();
  const { status } = await task.poll();
  say(
    status === 'cancelled' ? 'the task was cancelled' : `the server was asked to cancel the task, which is ${status}`,
  );
}

/** Warning about servers that a command starts. */
export const endsWithIt =
  'the server ends with this command, and the task with it unless the server keeps its tasks elsewhere';

/** A task asks a question that cannot be answered here. */
class OpenQuestionError extends Error {}

/** An error with advice. */
export function explained(error: unknown, reference: TaskReference | undefined, { command }: Advice): unknown {
  if (reference === undefined || !(error instanceof Error)) return error;
  const asks = error instanceof OpenQuestionError || error instanceof TaskInputRequiredError;
  const said = error instanceof OpenQuestionError ? `the task asks: ${error.message}` : error.message;
  if (asks)
    return new Error(`${clippedReason(said)}; answer it with: ${command('answer', reference)}`, { cause: error });
  if (error instanceof TaskGoneError)
    return new Error(`${error.message}; some servers forget tasks with the connection that made them; start it again`, {
      cause: error,
    });
  if (error instanceof ConnectionError)
    return new AdvisedError(`${clippedReason(said)}; the task may go on: ${command('wait', reference)}`, {
      cause: error,
    });
  return error;
}

/** A server may say a lot, and what follows is to be read. */
function clippedReason(text: string): string {
  const reason = reasonOf(text);
  return reason.length > 500 ? `${reason.slice(0, 500)}…` : reason;
}
