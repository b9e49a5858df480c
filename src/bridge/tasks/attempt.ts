/** A call that becomes a task of which its client does not know, and what waiting for it takes in either form. */

import type { Client } from '../../client/client.ts';
import type { RequestOptions } from '../../client/connection/request-options.ts';
import { plainNumber } from '../../json/exact-number.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { Pace } from '../../connection/pace.ts';
import { McpError } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Carried } from '../upstream/carried.ts';
import { hasReported, rises } from '../upstream/progress.ts';
import type { StateSeal } from '../guarded-state.ts';
import { Outage } from './extension/outage.ts';

/** Parts that requests need whose clients are asked by results. */
export interface AskedByResults extends StateSeal {
  /** Time that a client may take to come back to a task that is waited for, in milliseconds. */
  readonly ttlMs: number;
  now(): number;
  /** Tells whether the server's list says of a tool that it runs as a task alone; left out where calls of such are refused. */
  readonly isTaskOnly?: ((tool: string) => boolean) | undefined;
}

/** Parts that waiting for tasks needs. */
export interface Waiting extends AskedByResults {
  /** Tells whether the server's list says of a tool that it runs as a task alone. */
  isTaskOnly(tool: string): boolean;
}

/** A call that a server takes as a task alone. */
export interface Attempt {
  readonly client: Client;
  /** Revision that the server speaks. */
  readonly revision: Revision;
  readonly call: Carried;
  /** The params of the client. */
  readonly params: JsonObject;
  /** The same as they went up. */
  readonly sent: JsonObject;
  /** Way in which they went up. */
  readonly options: RequestOptions;
  readonly waiting: Waiting;
  /**
   * Reads a result of the call, be it whole or one that asks.
   *
   * @throws McpError for one that is malformed, or asks what the client did not declare.
   */
  read(result: JsonObject): JsonObject;
}

/** Time that telling a server of a cancel may take, in milliseconds. */
const cancelMs = 10_000;

/** Time in which a server may be away before a call is failed that waits for its task, in milliseconds: its client hears of nothing meanwhile. */
const awayMs = 60_000;

/** Interval at which it is asked again, in milliseconds, before that grows. */
const againMs = 250;

/** Options of requests about the task of a call. */
export function aboutOptions({ options }: Attempt): RequestOptions {
  const { signal, clientInfo, capabilities, caller } = options;
  return { signal, clientInfo, capabilities, caller, timeoutMs: 0 };
}

/**
 * Waits for a task, which is cancelled at once where its client gives the call up, and where it cannot be waited for: nobody else knows of it.
 *
 * @param work Waits for it, and says that it has ended.
 */
export async function unlessGivenUp<T>(
  { client, call: { signal } }: Attempt,
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
 * Asks a server about a task, again where it is away for a while: what it works on is not lost by that.
 *
 * @param isAnswer Tells of an error whether it is what was asked for; without it none is.
 * @throws What cannot be waited out, or was waited out long enough, and what is an answer.
 */
export async function insisting<T>(
  { call }: Attempt,
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
  const pace = new Pace();
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

/** Number of reports of each call, and the words of the last. */
const told = new WeakMap<Carried, { count: number; words: string }>();

/** Tells the client how a task stands, where it wants progress and the server tells of none: each new message is one step. */
function tellStanding(call: Carried, { statusMessage: words }: JsonObject): void {
  const { progressToken } = call.meta;
  if (progressToken === undefined || typeof words !== 'string' || hasReported(call)) return;
  const before = told.get(call);
  if (before?.words === words) return;
  const count = (before?.count ?? 0) + 1;
  told.set(call, { count, words });
  if (!rises(call, count)) return;
  call.send('notifications/progress', { progressToken, progress: count, message: words });
}

/** Looks at a task of the call, each by the pace of its server. */
export class Looks {
  readonly #call: Carried;
  readonly #pace = new Pace();
  #last: string | undefined;

  constructor(call: Carried) {
    this.#call = call;
  }

  /**
   * Rests until the next look; rejects when the signal is aborted.
   *
   * @param told Interval that the server says.
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

/** An error of the call, for a task that a server describes in words that are none. */
export function malformedTask(error: unknown): unknown {
  if (!(error instanceof McpError)) return error;
  return new McpError('internalError', `the upstream server's task is malformed: ${error.message}`, { cause: error });
}

/** A JSON object, else an error of the server. */
export function objectOf(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value;
  throw new McpError('internalError', `the upstream server told of a task without ${what}`);
}
