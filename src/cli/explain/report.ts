/** Report of `parley explain` about one server: the JSON that `--json` prints. */

import type { ConnectionReason } from '../../jsonrpc/transport.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { OwnMethod } from '../../protocol/extension.ts';
import type { Implementation } from '../../protocol/features/common.ts';
import type { Prompt } from '../../protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../../protocol/features/resource.ts';
import type { Era, RevisionDate } from '../../protocol/revision.ts';
import type { Tool } from '../../protocol/features/tool.ts';
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
  /** The JSON text: over HTTP as it travelled, over stdio as it is read. What is very long is cut off. */
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

/** Offer of a server. */
export interface Offer {
  /** The revision in which it was asked. */
  readonly revision: RevisionDate;
  readonly server?: Implementation;
  readonly instructions?: string;
  readonly capabilities: ServerCapabilities;
  /** Only of what the capabilities name. */
  readonly tools?: Listed<Tool>;
  readonly resources?: Listed<Resource>;
  readonly resourceTemplates?: Listed<ResourceTemplate>;
  readonly prompts?: Listed<Prompt>;
  /** The methods of its own that the server names among its experimental capabilities, under `parley-mcp/methods`. */
  readonly methods?: readonly OwnMethod[];
}

/** Tasks of a server in one revision. */
export interface TasksExplained {
  readonly revision: RevisionDate;
  /** Form of tasks: that of the core, where clients ask for them, or that of the extension, where the server decides. */
  readonly surface: 'core' | 'extension';
  /** True when it takes requests to cancel tasks. */
  readonly cancel: boolean;
  /** True when it lists the tasks of whoever asks. */
  readonly list: boolean;
  /** Names of the tools that say of themselves that they are tasks; in the core, where any can be one. */
  readonly tools?: {
    readonly optional: readonly string[];
    readonly required: readonly string[];
    readonly more: boolean;
  };
}

/** The beginning of a list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  /** True when the list goes on: no more than 20 pages and 1000 items are asked for. */
  readonly more: boolean;
  /** Reason why no list came, or why it broke off. */
  readonly error?: string;
}

/** Experience of a client of one revision through a bridge in front of the server. */
export interface ThroughBridge {
  readonly client: RevisionDate;
  /** The revision that the bridge speaks to the server. */
  readonly server: RevisionDate;
  /**
   * Features that are not simply carried, of those that the server has, or may have; empty means that it gets
   * everything. What belongs to each connection by itself (its revision, ping, …) is left out.
   */
  readonly losses: readonly Loss[];
}

/** A feature that a bridge carries with a change, or refuses. */
export interface Loss {
  /** The feature, as `docs/fidelity.md` names it. */
  readonly id: string;
  readonly title: string;
  /** The part of that table that it stands in. */
  readonly group: string;
  readonly kind: 'changed' | 'refused';
  /** Way in which it is changed, or reason why it is refused. */
  readonly why: string;
  /** The name of the error that is answered where it is refused. */
  readonly error?: string;
  /** Set where the lists of the server show that it uses it; of most features, no list tells. */
  readonly seen?: true;
}
