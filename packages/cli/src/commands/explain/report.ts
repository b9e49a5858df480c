/** Report of `parley explain` about one server: the JSON that `--json` prints. */

import type { ConnectionReason } from '../../../../parley/src/jsonrpc/transport.ts';
import type { Era, RevisionDate } from '../../../../parley/src/protocol/revision.ts';
import type { Offer, ThroughBridge } from '../../compatibility/offer.ts';
import type { AuthorizationExplained } from './authorization/report.ts';

/** Transport that reaches a server: requests to a URL, or a process that is started. */
export type ServerTransport = 'http' | 'stdio';

/**
 * One server, explained. The shape is stable: later versions may add fields, and never rename or remove one. Every text
 * in it is shown as it came, so a terminal is not safe from it.
 */
export interface Explanation {
  /** The name of the entry in a configuration file, where there is one. */
  readonly name?: string;
  /** The URL without its query, or the command line; it holds no secret. */
  readonly target: string;
  readonly transport: ServerTransport;
  /** True when some revision works. */
  readonly works: boolean;
  /** The eras of the revisions that work: none, one or both. */
  readonly eras: readonly Era[];
  /** The revisions that work, oldest first. */
  readonly revisions: readonly RevisionDate[];
  /** Tries of each revision, newest first. */
  readonly tries: readonly Try[];
  /** Authorization that the server wants, and whether clients find it; left out where it wants nothing that was seen. */
  readonly authorization?: AuthorizationExplained;
  /** Offer of the server at the newest revision that works; `undefined` when none does. */
  readonly offer?: Offer;
  /** Tasks of the server, in each revision that has them, newest first; left out where it does nothing with them. */
  readonly tasks?: readonly TasksExplained[];
  /** Losses and gains of a client of each revision, newest first, through a bridge; left out when no revision works. */
  readonly bridge?: readonly ThroughBridge[];
}

/**
 * Meaning of the answer to the first question for a revision.
 *
 * - `spoken`: the server answered in it.
 * - `other`: the server named revisions, and this is none of them.
 * - `refused`: it refused, in a way that only a server without this revision does.
 * - `unknown`: what happened is no evidence: it wants authorization, failed, kept silent or went away.
 */
export type WayOutcome = 'spoken' | 'other' | 'refused' | 'unknown';

/** One connection in one revision. */
export interface Try {
  readonly revision: RevisionDate;
  /** The question that begins a conversation there. */
  readonly question: 'server/discover' | 'initialize';
  readonly outcome: WayOutcome;
  /** Course of the try, as a clause for a person. */
  readonly why: string;
  /** The revisions that the server named in its answer or refusal. */
  readonly named?: readonly string[];
  /** The code of the JSON-RPC error that it refused with. */
  readonly code?: number;
  /** Reason why the connection failed. */
  readonly reason?: ConnectionReason;
  /** The HTTP status of the refusal, where it is known. */
  readonly status?: number;
  /** Transport that carried the messages: `http+sse` is the transport with two endpoints. */
  readonly over: ServerTransport | 'http+sse';
  /** Duration of the question, in milliseconds. */
  readonly ms: number;
  /** Observations beside the answer: output that is no message, an unanswered `ping`, … */
  readonly notes: readonly string[];
  /** Everything exchanged, in order; with `--wire` alone. */
  readonly wire?: readonly WireEntry[];
}

/** One thing that travelled. */
export interface WireEntry {
  readonly from: 'client' | 'server';
  /** The JSON text: over HTTP as sent, over stdio as parsed. Very long text is cut off. */
  readonly text?: string;
  /** Reason why `text` is no message, where it is none. */
  readonly problem?: string;
  /** Text that the server wrote to its standard error. */
  readonly stderr?: string;
  /** Facts of HTTP beside the text; the messages of an event stream follow the entry that began it. */
  readonly http?: WireHttp;
}

/** The head of an HTTP request or response. */
export interface WireHttp {
  readonly method?: string;
  /** The origin, of requests that did not go to the server's own URL: those about authorization. */
  readonly origin?: string;
  /** The path, without its query. */
  readonly path?: string;
  readonly status?: number;
  /** The headers of the protocol alone, by their names in lower case; session ids are masked. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Tasks of a server in one revision. */
export interface TasksExplained {
  readonly revision: RevisionDate;
  /** Form of tasks: that of the core, where clients ask for them, or that of the extension, where the server decides. */
  readonly surface: 'core' | 'extension';
  /** True when it takes requests to cancel tasks. */
  readonly cancel: boolean;
  /** True if it lists the caller's tasks. */
  readonly list: boolean;
  /** Names of the tools that say of themselves that they are tasks; in the core, where any can be one. */
  readonly tools?: {
    readonly optional: readonly string[];
    readonly required: readonly string[];
    readonly more: boolean;
  };
}
