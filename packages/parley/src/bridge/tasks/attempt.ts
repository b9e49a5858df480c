/** A call that becomes a task of which its client does not know, and what waiting for it takes in either form. */

import type { Client } from '../../client/api/client.ts';
import type { RequestOptions } from '../../client/api/request-options.ts';
import { plainNumber } from '../../json/exact-number.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { PollInterval } from '../../connection/poll-interval.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { ForwardedCall } from '../upstream/forwarded-call.ts';
import { hasReported, rises } from '../upstream/progress.ts';
import type { StateSeal } from '../guarded-state.ts';
import { Outage } from './extension/outage.ts';

/** Code for requests whose clients are asked through results. */
export interface AskedByResults extends StateSeal {
  /** Time that a client may take to come back to a task that is waited for, in milliseconds. */
  readonly ttlMs: number;
  now(): number;
  /** Tells whether the server's list requires a task for a tool; left out if calls of such tools are rejected. */
  readonly isTaskOnly?: ((tool: string) => boolean) | undefined;
}

/** Parts that waiting for tasks needs. */
export interface TaskWaitParts extends AskedByResults {
  /** Tells whether the server's list requires a task for a tool. */
  isTaskOnly(tool: string): boolean;
}

/** A call that a server takes as a task alone. */
export interface TaskOnlyCall {
  readonly client: Client;
  /** Revision that the server speaks. */
  readonly revision: Revision;
  readonly call: ForwardedCall;
  /** The params of the client. */
  readonly params: JsonObject;
  /** The params as they were sent. */
  readonly sent: JsonObject;
  /** The options with which they were sent. */
  readonly options: RequestOptions;
  readonly waiting: TaskWaitParts;
  /**
   * Reads a result of the call: a complete one or a request for input.
   *
   * @throws McpError for a malformed result, or a question that the client did not declare support for.
   */
  read(result: JsonObject): JsonObject;
}

/** Time that telling a server of a cancel may take, in milliseconds. */
const cancelMs = 10_000;

/**
 * Time for which a server may be down before a call that waits for its task fails, in milliseconds. Its client receives
 * nothing meanwhile.
 */
const awayMs = 60_000;

/** Interval at which it is asked again, in milliseconds, before that grows. */
const againMs = 250;

/** Options of requests about the task of a call. */
export function aboutOptions({ options }: TaskOnlyCall): RequestOptions {
  const { signal, clientInfo, capabilities, caller } = options;
  return { signal, clientInfo, capabilities, caller, timeoutMs: 0 };
}

/**
 * Waits for a task. The task is cancelled at once if its client aborts the call, or if waiting is impossible, since no
 * other client knows of it.
 *
 * @param work Waits for it, and reports that it has ended.
 */
export async function unlessGivenUp<T>(
  { client, call: { signal } }: TaskOnlyCall,
  { taskId, options }: { readonly taskId: string; readonly options: RequestOptions },
  work: (ended: () => void) => Promise<T>,
): Promise<T> {
  let isOver = false;
  const giveUp = (): void => {
    const { signal: _, ...others } = options;
    if (!isOver)
      void client.request('tasks/cancel', { taskId }, { ...others, timeoutMs: cancelMs }).catch(() => undefined);
    isOver = true;
  };
  signal.addEventListener('abort', giveUp);
  try {
    return await work(() => (isOver = true));
  } catch (error) {
    giveUp();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const given = (): void => {
      cancel();
      // The reason of an abort is what its owner wants to be thrown.
      reject(signal.reason as Error);
    };
    const cancel = after(ms, () => {
      signal.removeEventListener('abort', given);
      resolve();
    });
    if (signal.aborted) given();
    else signal.addEventListener('abort', given);
  });
}

/**
 * Sends a request about a task, and retries while the server is down: its work is not lost by that.
 *
 * @param isAnswer Tells whether an error is the answer; by default no error is.
 * @throws A failure that cannot be retried, or was retried long enough, and an error that is the answer.
 */
export async function insisting<T>(
  { call }: TaskOnlyCall,
  {
    method,
    signal = call.signal,
    isAnswer,
  }: {
    readonly method: string;
    readonly signal?: AbortSignal;
    readonly isAnswer?: (error: unknown) => boolean;
  },
  ask: (isAgain: boolean) => Promise<T>,
): Promise<T> {
  const outage = new Outage(awayMs);
  const pace = new PollInterval();
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await ask(isAgain);
    } catch (error) {
      if (signal.aborted || isAnswer?.(error) === true) throw error;
      outage.failed(error, method);
    }
    await rest(pace.next(againMs, Math.random()), signal);
  }
}

/** Number of reports of each call, and the text of the last. */
const told = new WeakMap<ForwardedCall, { count: number; words: string }>();

/**
 * Reports a task's status to the client, if it wants progress and the server sends none. Each new message counts as one
 * step.
 */
function tellStanding(call: ForwardedCall, { statusMessage: words }: JsonObject): void {
  const { progressToken } = call.meta;
  if (progressToken === undefined || typeof words !== 'string' || hasReported(call)) return;
  const before = told.get(call);
  if (before?.words === words) return;
  const count = (before?.count ?? 0) + 1;
  told.set(call, { count, words });
  if (!rises(call, count)) return;
  call.send('notifications/progress', { progressToken, progress: count, message: words });
}

/** Polls a task of the call, at the interval that its server names. */
export class Looks {
  readonly #call: ForwardedCall;
  readonly #pace = new PollInterval();
  #last: string | undefined;

  constructor(call: ForwardedCall) {
    this.#call = call;
  }

  /**
   * Waits until the next poll; rejects if the signal is aborted.
   *
   * @param told Interval from the server.
   */
  async rest(told: unknown, signal: AbortSignal): Promise<void> {
    const ms = plainNumber(told);
    await rest(this.#pace.next(typeof ms === 'number' ? ms : undefined, Math.random()), signal);
  }

  /** Tells the client how the task stands. */
  saw(task: JsonObject): void {
    tellStanding(this.#call, task);
    const seen = `${String(task['status'])} ${String(task['statusMessage'])} ${String(task['lastUpdatedAt'])}`;
    if (seen !== this.#last) this.#pace.changed();
    this.#last = seen;
  }
}

/** An error of the call, for a malformed task of a server. */
export function malformedTask(error: unknown): unknown {
  if (!(error instanceof McpError)) return error;
  return new McpError('internalError', `the upstream server's task is malformed: ${error.message}`, { cause: error });
}

/** A JSON object; anything else is an error of the server. */
export function objectOf(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value;
  throw new McpError('internalError', `the upstream server sent a task without ${what}`);
}
