import { isObject } from '../jsonrpc/message.ts';
import { methodsWith } from '../protocol/catalogue.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { InputRequest } from '../protocol/features/rounds.ts';
import type { Effect } from './memoized-steps.ts';

/** The methods by which a server asks its client. */
export type AskMethod = InputRequest['method'];

/** All of them. */
// The type lists the requests that can be an entry of `inputRequests`.
export const askMethods: readonly AskMethod[] = methodsWith(
  ({ embedded }) => embedded !== undefined,
) as readonly AskMethod[];

/** One question to the client. */
export interface Ask<T> {
  readonly method: AskMethod;
  /** In the canonical model. */
  readonly params: JsonObject;
  /** Names the question within its conversation; without one, its place in order does. */
  readonly key: string | undefined;
  /** Cancels the question while it waits for an answer. */
  readonly signal?: AbortSignal | undefined;
  /** Set if the answer should come as a task of the client, if the client supports tasks. */
  readonly task?: TaskQuestion | undefined;
  /**
   * Reads an answer, in the canonical model.
   *
   * @returns The value, or why the answer is not acceptable and the question must be asked again.
   */
  accept(answer: JsonObject): Accepted<T> | Promise<Accepted<T>>;
}

/** Wish that an answer comes as a task of the client. */
export interface TaskQuestion {
  /** Life of the task, and the longest wait for it, in milliseconds. */
  readonly ttlMs?: number | undefined;
  /** The task itself, if it outlives the request that carries the question. */
  readonly held?: HeldQuestion | undefined;
}

/** A client's task that outlives the request that created it, so that another request can wait for it. */
export interface HeldQuestion {
  taskId?: string | undefined;
  /** End of the wait for it, by the clock that never jumps. */
  until?: number;
  /** Tells whether another request will wait for it. Without this function, none will. */
  isWanted?(): boolean;
}

/** The name of a question without a key, by its place among those. */
export function unnamed(order: number): string {
  return `ask-${order}`;
}

/** Tells whether a question without a key may have this name, so that it is no key. */
export function isUnnamed(key: string): boolean {
  return /^ask-\d+$/.test(key);
}

/** Answer that was acceptable, or the problem of one that was not. */
export type Accepted<T> = { readonly value: T; readonly problem?: undefined } | { readonly problem: string };

/** The way for a running request to ask its client. Revisions differ in it, and handlers do not see the difference. */
export interface ClientRequester {
  /** Asks, and returns the accepted answer. */
  ask<T>(ask: Ask<T>): Promise<T>;
  /** Runs a side effect at most once in the conversation; its result must be JSON. */
  once<T>(key: string, run: Effect<T>): Promise<T>;
}

/** Result of a handler that drives its rounds by hand; the state is any JSON. */
export interface ManualInput {
  readonly resultType: 'input_required';
  readonly inputRequests?: Readonly<Record<string, { readonly method: AskMethod; readonly params?: JsonObject }>>;
  readonly requestState?: unknown;
}

/** Tells whether a handler drives its rounds by hand. */
export function isManual(value: unknown): value is ManualInput {
  return isObject(value) && value['resultType'] === 'input_required';
}

/**
 * Rejects the questions of a run that ended early, so that its `finally` blocks run. Anything that it does afterwards
 * is ignored.
 */
export class RoundEnded extends Error {
  constructor(
    message = 'the run ended: its questions were sent to the client, and the retry of the client runs it again',
  ) {
    super(message);
    this.name = 'RoundEnded';
  }
}

/** Tells whether a handler was ended because its questions go to the client; that is no failure. */
export function isRoundEnd(error: unknown): boolean {
  return error instanceof RoundEnded;
}

/** A handler that does not await its question is ended all the same. Its rejection must not end the process. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
