import type { RequestId } from '../jsonrpc/message.ts';
import type { AuthInfo } from './runtime/endpoint.ts';
import type { ClientCapabilities, ClientFlag } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/features/common.ts';
import type { LoggingLevel } from '../protocol/features/logging.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { Root } from '../protocol/features/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/features/sampling.ts';
import type { AnySchema, InferOutput } from '../schema/infer.ts';
import type { CtxTask } from './task-definition.ts';

/** One request as its handler sees it: who asks, in which revision, and what may be said beside the result. */
export interface RequestCtx {
  /** Aborted when the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  /** The JSON-RPC id of the request. */
  readonly requestId: RequestId;
  /** The revision in use. */
  readonly revision: RevisionDate;
  readonly client: CtxClient;
  /**
   * Sender of this request, as the transport established it; absent without authorization. The requests of one session
   * have one principal, and may differ in scopes and claims.
   */
  readonly auth?: AuthInfo | undefined;
  /**
   * Makes sure that who sent this request has scopes, where that is known only in the middle of it; what is known before
   * belongs into the definition. Without authorization it passes everywhere but over HTTP.
   *
   * @throws McpError where one is missing: over HTTP, while nothing was sent, the answer is then a 403 that names all of them; a
   *   tool that has sent something fails in words.
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
   * Names the question within the request; without it, its place among the questions does. Give a key where the
   * order of questions may differ from run to run: another for each question, also in a loop (`name-${turn}`). A key
   * that is used again is a TypeError, in every revision, and so is `ask-1` or another number, the names of questions without.
   */
  readonly key?: string;
}

/** Options of one question that may be answered by a task of the client. */
export interface AskAsTaskOptions extends AskOptions {
  /**
   * Asks a client that hosts tasks for one: it is asked how far it is at the pace that it names, so that no request stays open while somebody
   * thinks, and whoever is away for a while is waited for. Within 2025-11-25, of clients that declared it; any other is asked plainly, and
   * nothing else is different.
   */
  readonly task?: AskedTask;
}

/** Task of a client that is wanted for an answer. */
export interface AskedTask {
  /** Life of the task from its creation, and the longest wait for it, in milliseconds; an hour by default. When it is over the task is cancelled. */
  readonly ttlMs?: number;
}

/** Outcome of a form: the content that the user entered, as the schema makes it, or that there is none. */
export type Elicited<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** Outcome of sending the user to a page. `accept` means that they agreed to go, not that they are done there. */
export interface ElicitedUrl {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** Name of the visit where the revision has one (2025-11-25): an error may name the same one (`urlElicitationRequired`). */
  readonly elicitationId: string | undefined;
  /** Tells the client that the user is done on the page; only 2025-11-25 has such a notice, elsewhere nothing is sent. */
  completed(): void;
}

/** A request whose handler may also ask the client: a tool, a prompt, a read of a resource. */
export interface Ctx extends RequestCtx {
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
   * Runs a side effect at most once, however often the handler runs for one request of the user. One that fails may be
   * tried again. It does not ask the client: in 2026-07-28 a question ends the run, and the effect with it.
   *
   * @param key Names the effect within the handler.
   * @param run Gives JSON, or nothing; every run gets what JSON holds of it, also the first (of a date its text). It is handed an id for services that take
   *   an idempotency key: the same whenever this effect is tried again for this request, be it in another process of a task, or in a later round, and
   *   another for each key. A client that sends its request anew has other ids.
   * @throws TypeError when JSON cannot hold what it gave, as with a map or a function; the effect does not run again.
   */
  once<T>(key: string, run: (id: string) => T | Promise<T>): Promise<T>;
  /**
   * Breaks the connection that waits for this request, so that a long one holds none open: the client comes back for
   * the result and for what was sent meanwhile. Only HTTP sessions of 2025-11-25 do; elsewhere nothing happens.
   *
   * @param retryMs How long the client is asked to stay away, in milliseconds; `retryMs` of the HTTP edge by default.
   * @throws TypeError for what is no such number, in every revision.
   */
  closeStream(retryMs?: number): void;
  /** Task that the request is by now; `undefined` for a call. Only tools that say `task` have one. */
  readonly task: CtxTask | undefined;
  /**
   * Makes a task of the request now, so that its client waits no longer and what follows may take as long as it likes. It
   * returns where it cannot: the tool says no `task`, the client knows none, or it is a task already. What was asked before was
   * asked in the way of a call.
   */
  background(): Promise<void>;
  /** Answers to an `inputRequired` that this handler returned, by key; `undefined` in the first round. */
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** The state that it returned with it. */
  readonly requestState: unknown;
}

/** The client of a request, in its own words: nothing of it is verified. */
export interface CtxClient {
  readonly info?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Tells whether the client declared a capability, such as `'sampling.tools'` or an extension's identifier. */
  supports(flag: ClientFlag): boolean;
}

/** The request of a completion. */
export interface CompletionCtx extends RequestCtx {
  /** The arguments or variables that the person has settled already; empty where the revision has none. */
  readonly arguments: Readonly<Record<string, string>>;
}
