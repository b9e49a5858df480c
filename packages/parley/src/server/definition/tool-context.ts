import type { RequestId } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { ClientCapabilities, ClientFlag } from '../../protocol/capability.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import type { LoggingLevel } from '../../protocol/features/logging.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import type { Root } from '../../protocol/features/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../../protocol/features/sampling.ts';
import type { AnySchema, InferOutput } from '../../schema/infer.ts';
import type { TaskContext } from './task-definition.ts';

/** A request as its handler sees it: the client, the revision, and what can be sent besides the result. */
export interface RequestContext {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** The JSON-RPC id of the request. */
  readonly requestId: RequestId;
  /** The revision in use. */
  readonly revision: RevisionDate;
  /** The client that sent the request. */
  readonly client: ClientInfo;
  /**
   * Sender of this request, as the transport established it; absent without authorization. The requests of one session
   * have one principal, and may differ in scopes and claims.
   */
  readonly auth?: AuthInfo | undefined;
  /**
   * Checks that the sender of this request has the given scopes. Use it if the required scopes are only known in the
   * middle of the request; otherwise put them into the definition. Without authorization, the check passes on every
   * transport except HTTP.
   *
   * @throws McpError if one is missing. Over HTTP, if nothing was sent yet, the answer is a 403 that names all of them.
   * A
   * tool that already sent something fails with an error result.
   */
  requireScopes(...scopes: readonly string[]): void;
  /** The request's `_meta`. A progress token beyond 2^53 is the text of its digits. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Reports progress; nothing is sent unless the client asked for it, and never a value that does not increase. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Sends a log message when the client's level admits it.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); the first revision from 2027-07-28 on may remove it. Write to stderr or use OpenTelemetry.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
}

/** Options of one question. */
export interface AskOptions {
  /**
   * Names the question within the request. By default its position among the questions does. Give a key if the order of
   * questions may differ between runs. Use a different key for each question, also in a loop (`name-${turn}`). A reused
   * key is a TypeError, in every revision. So are `ask-1` and the like, which name questions without a key.
   */
  readonly key?: string;
}

/** Options of one question that may be answered by a task of the client. */
export interface AskAsTaskOptions extends AskOptions {
  /**
   * Asks a client that supports tasks for an answer as a task. The server polls the task at the interval that the
   * client names. So no request stays open while the user thinks, and a client that disconnects for a while can still
   * answer. Only for clients of 2025-11-25 that declared support. Any other client gets an ordinary request.
   */
  readonly task?: AskedTask;
}

/** Task of a client that is wanted for an answer. */
export interface AskedTask {
  /** Life of the task from its creation, and the longest wait for it, in milliseconds; an hour by default. When it is over the task is cancelled. */
  readonly ttlMs?: number;
}

/** Outcome of a form: the content that the user entered, parsed by the schema, or the action without content. */
export type Elicited<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** Outcome of sending the user to a page. `accept` means that they agreed to go, not that they are done there. */
export interface ElicitedUrl {
  /** Action of the user: agreed to open the page, declined, or closed the request. */
  readonly action: 'accept' | 'decline' | 'cancel';
  /**
   * Id of the elicitation, if the revision has one (2025-11-25). An error may name the same id
   * (`urlElicitationRequired`).
   */
  readonly elicitationId: string | undefined;
  /** Tells the client that the user is done on the page; only 2025-11-25 has such a notice, elsewhere nothing is sent. */
  completed(): void;
}

/** A request whose handler can also ask the client: a tool, a prompt, a read of a resource. */
export interface ToolContext extends RequestContext {
  /**
   * Asks the user with a form, in tools, prompts and reads of resources, for a client of any revision.
   *
   * In the handshake revisions it is a request to the client while the handler waits. In 2026-07-28 the handler ends
   * here, and runs again from the top when the client comes back with the answer; side effects belong in `once`.
   *
   * @param request The schema is an object of plain fields: strings, numbers, booleans, choices of strings.
   * @throws McpError missingRequiredClientCapability when the client cannot be asked, before anything is sent.
   * @throws TypeError for a schema that no form can show.
   */
  elicit<const S extends AnySchema>(
    request: { readonly message: string; readonly schema: S },
    options?: AskAsTaskOptions,
  ): Promise<Elicited<InferOutput<S>>>;
  /** Sends the user to a page; the terms of `elicit` hold. Since 2025-11-25. */
  elicitUrl(
    request: { readonly message: string; readonly url: string },
    options?: AskAsTaskOptions,
  ): Promise<ElicitedUrl>;
  /**
   * Asks the client's model; the terms of `elicit` hold.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); the first revision from 2027-07-28 on may remove it. Call a model provider yourself.
   */
  sample(params: CreateMessageRequestParams, options?: AskAsTaskOptions): Promise<CreateMessageResult>;
  /**
   * Asks which directories and files the client works in; the terms of `elicit` hold.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); the first revision from 2027-07-28 on may remove it. Take paths as arguments of tools or as URIs.
   */
  roots(options?: AskOptions): Promise<readonly Root[]>;
  /**
   * Runs a side effect at most once, however often the handler runs for one request. A failed one may run again. Do not
   * ask the client inside it: in 2026-07-28 a question ends the run, and the effect with it.
   *
   * @param key Names the effect within the handler.
   * @param run Returns a JSON-serializable value, or nothing. Every run gets the value as JSON holds it, also the first
   *   (for a date, its text). It receives an id for services that take
   * an idempotency key. The id is the same whenever this effect is retried for this request, even in another process or
   * in a later round. It is
   * different for each key. If the client sends its request again, the ids are different.
   * @throws TypeError if JSON cannot hold the value, for example a map or a function. The effect does not run again.
   */
  once<T>(key: string, run: (id: string) => T | Promise<T>): Promise<T>;
  /**
   * Closes the connection that waits for this request, so that a long request holds none open. The client reconnects
   * for the result and for messages sent meanwhile. Only HTTP sessions of 2025-11-25 do this. Elsewhere nothing
   * happens.
   *
   * @param retryMs The time after which the client should reconnect, in milliseconds; by default `retryMs` of the HTTP
   *   edge.
   * @throws TypeError if it is not a valid number, in every revision.
   */
  closeStream(retryMs?: number): void;
  /** The task that this request has become; `undefined` for a call. Only tools with `task` have one. */
  readonly task: TaskContext | undefined;
  /**
   * Turns the request into a task now. The client stops waiting, and the rest may take any time. It does nothing if the
   * request cannot become a task: the tool has no `task`, the client does not support tasks, or it is a task already.
   * Earlier questions were asked as in a call.
   */
  background(): Promise<void>;
  /** Answers to an `inputRequired` that this handler returned, by key; `undefined` in the first round. */
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** The state that it returned with it. */
  readonly requestState: unknown;
}

/** The client of a request, as it describes itself. None of this is verified. */
export interface ClientInfo {
  /** The name and version that the client gives itself. */
  readonly info?: Implementation | undefined;
  /** The capabilities of the client. */
  readonly capabilities: ClientCapabilities;
  /** Tells whether the client declared a capability, such as `'sampling.tools'` or an extension's identifier. */
  supports(flag: ClientFlag): boolean;
}

/** The request of a completion. */
export interface CompleterContext extends RequestContext {
  /** The arguments or variables that the user has already entered; empty if the revision has none. */
  readonly arguments: Readonly<Record<string, string>>;
}
