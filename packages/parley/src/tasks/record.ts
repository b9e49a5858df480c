import type { ClientCapabilities } from '../protocol/capability.ts';
import type { Implementation, JsonObject } from '../protocol/features/common.ts';
import type { TaskError, TaskStatus } from '../protocol/features/tasks.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { AskMethod } from '../connection/ask.ts';
import type { Ran } from '../connection/once.ts';

/** Request that became a task, with all that another process needs to run it. */
export interface TaskRequest {
  /** The name of the tool. */
  readonly name: string;
  /** The parameters in the canonical model, `_meta` among them. */
  readonly params: JsonObject;
  readonly revision: RevisionDate;
  /** Client as it described itself with this request; only what it declared then is asked of it. */
  readonly client: { readonly info?: Implementation; readonly capabilities: ClientCapabilities };
  /** Sender as the edge established it, without what no text can hold. */
  readonly auth?: JsonObject;
  /** Name of the server whose tool it is, where a bridge keeps the task; empty for the only one. */
  readonly member?: string | undefined;
  /** Carrier of the request, as its link says. */
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

/** Task as it is kept, which knows no surface: how it looks is worked out for whoever asks. */
export interface TaskRecord {
  readonly id: string;
  /** Principal that it belongs to; empty for nobody. */
  readonly owner: string;
  /** Address that its run counts for, if it belongs to nobody. */
  readonly share?: string;
  readonly request: TaskRequest;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Time from its creation after which it is gone, in milliseconds; `null` is never. */
  readonly ttlMs: number | null;
  /** Interval at which clients should ask, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Party that is to work on it: whoever claims it, the holder of the lease, or somebody outside. */
  readonly hand: 'queued' | 'running' | 'left';
  /** Number of runs that began. */
  readonly attempt: number;
  /** Number of runs that may begin. */
  readonly attempts: number;
  /** True when the next run goes on after an answer, which costs no attempt. */
  readonly replays?: boolean;
  /** Questions that wait, by key. */
  readonly open: Readonly<Record<string, OpenQuestion>>;
  /** Answers so far, by key. */
  readonly answers: Readonly<Record<string, TaskAnswer>>;
  /** Beginning of the ids of side effects, the same in each run. */
  readonly seed?: string;
  /** Side effects that ran, by key. */
  readonly once: Readonly<Record<string, Ran>>;
  readonly outcome?: TaskOutcome;
}

/** The time at which a task is gone, in milliseconds since 1970; `undefined` is never. */
export function expiryOf({ createdAt, ttlMs }: TaskRecord): number | undefined {
  return ttlMs === null ? undefined : createdAt + ttlMs;
}
