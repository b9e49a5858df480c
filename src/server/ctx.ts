import type { RequestId } from '../jsonrpc/message.ts';
import type { AuthInfo } from '../peer/endpoint.ts';
import type { ClientCapabilities, ClientFlag } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/common.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import type { RevisionDate } from '../protocol/revision.ts';

/** One request as its handler sees it: who asks, in which revision, and what may be said beside the result. */
export interface Ctx {
  /** Aborted when the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  /** The JSON-RPC id of the request. */
  readonly requestId: RequestId;
  /** The revision in use. */
  readonly revision: RevisionDate;
  readonly client: CtxClient;
  /** Who the transport found the client to be; absent without authorization. */
  readonly auth?: AuthInfo | undefined;
  /** The request's `_meta`, untouched. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Reports progress; nothing is sent unless the client asked for it, and never a value that does not increase. */
  progress(done: number, total?: number, message?: string): void;
  /** Sends a log message when the client's level admits it. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
}

/** The client of a request, in its own words: nothing of it is verified. */
export interface CtxClient {
  readonly info?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** Whether the client declared a capability, such as `'sampling.tools'` or an extension's identifier. */
  supports(flag: ClientFlag): boolean;
}

/** The request of a completion. */
export interface CompletionCtx extends Ctx {
  /** The arguments or variables that the person has settled already; empty where the revision has none. */
  readonly arguments: Readonly<Record<string, string>>;
}
