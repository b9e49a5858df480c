import type { ClientCapabilities } from '../protocol/capability.ts';
import type { Implementation, JsonObject } from '../protocol/features/common.ts';
import type { TaskError, TaskStatus } from '../protocol/features/tasks.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { AskMethod } from '../connection/client-request.ts';
import type { Ran } from '../connection/memoized-steps.ts';

/** Request that became a task, with all that another process needs to run it. */
export interface TaskRequest {
  /** The name of the tool. */
  readonly name: string;
  /** The parameters in the canonical model, `_meta` among them. */
  readonly params: JsonObject;
  readonly revision: RevisionDate;
  /** The client's description in this request. Only capabilities that it declared then are used. */
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities };
  /** Sender as the edge established it, without what no text can hold. */
  readonly auth?: JsonObject;
  /** Name of the tool's server, if a bridge stores the task; empty for a single server. */
  readonly member?: string | undefined;
  /** Transport of the request, as its link names it. */
  readonly network?: string | undefined;
}

/** Question of a task that waits for its answer. */
export interface OpenQuestion {
  readonly method: AskMethod;
  /** In the canonical model. */
  readonly params: JsonObject;
  readonly digest: string;
  /** Wish that the client answers with a task of its own. */
  readonly task?: { readonly ttlMs?: number | undefined };
}

/** Reply of a client to a question: its answer in the canonical model, or the error with which it answered. */
export type TaskReply =
  | { readonly answer: JsonObject; readonly error?: undefined }
  | { readonly error: TaskError; readonly answer?: undefined };

/** A reply, with the digest of its question. */
export type TaskAnswer = TaskReply & { readonly digest: string };

/** End of the work: the result of the request in the canonical model, or its error. */
export type TaskOutcome =
  | { readonly result: JsonObject; readonly error?: undefined }
  | { readonly error: TaskError; readonly result?: undefined };

/** Stored task, independent of a task dialect. Its wire form is made for each request. */
export interface TaskRecord {
  readonly id: string;
  /** Owning principal; empty without one. */
  readonly owner: string;
  /** Address that its run counts for, if it has no principal. */
  readonly share?: string;
  readonly request: TaskRequest;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Lifetime from its creation, in milliseconds; `null` means forever. */
  readonly ttlMs: number | null;
  /** Interval at which clients should ask, in milliseconds. */
  readonly pollIntervalMs: number;
  /** The party that works on it: any process that claims it, the holder of the lease, or an external system. */
  readonly hand: 'queued' | 'running' | 'left';
  /** Number of runs that began. */
  readonly attempt: number;
  /** Number of runs that may begin. */
  readonly attempts: number;
  /** True if the next run continues after an answer, which uses no attempt. */
  readonly replays?: boolean;
  /** Questions that wait, by key. */
  readonly open: Readonly<Record<string, OpenQuestion>>;
  /** Answers so far, by key. */
  readonly answers: Readonly<Record<string, TaskAnswer>>;
  /** Prefix of the ids of side effects, the same in each run. */
  readonly seed?: string;
  /** Side effects that ran, by key. */
  readonly once: Readonly<Record<string, Ran>>;
  readonly outcome?: TaskOutcome;
}

/** The time at which a task expires, in milliseconds since 1970; `undefined` means never. */
export function expiryOf({ createdAt, ttlMs }: TaskRecord): number | undefined {
  return ttlMs === null ? undefined : createdAt + ttlMs;
}
