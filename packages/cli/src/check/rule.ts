import type { Harness } from './harness/harness.ts';
import type { RawExchange } from './harness/exchange.ts';
import type { RuleVerdict } from './harness/verdict.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';

/** A statement of the specification, or a hardening of ours, that can be seen from outside. */
export interface Stated {
  /** The row of the register, or `harden-…`. */
  readonly id: string;
  /** Statement that must hold, as a sentence whose subject is the checked side. */
  readonly message: string;
  /** Change that fixes a violation. */
  readonly fix: string;
  /** Tells the revisions in which it is checked; those of its row by default. */
  readonly lives?: (revision: Revision) => boolean;
}

/** A rule that acts: it sends something, and judges what comes. */
export interface ProbeRule extends Stated {
  /** The only transport on which it says something, of which `sse` is HTTP+SSE; any by default. */
  readonly over?: 'http' | 'stdio' | 'sse';
  /** The capability without which it says nothing. */
  readonly needs?: 'tools' | 'prompts' | 'resources' | 'completions' | 'logging' | 'tasks';
  /** True if it can also be checked at a server that wants a token and opens no conversation without one. */
  readonly closed?: true;
  /** True if it is the same in every revision: it is checked only in the newest supported one. */
  readonly once?: true;
  /** True if it has its own conversation, and may run in parallel. */
  readonly apart?: true;
  /** True for what a server might not outlive: one that does not come back is found, and looked at once. */
  readonly mayEnd?: true;
  /** True if it inspects the outcomes of all other rules once, after them. */
  readonly lastly?: true;
  /** True if it puts load on a machine: it runs only on request. */
  readonly heavy?: true;
  /** @throws NotJudged where the server does not do what must work first. */
  probe(harness: Harness): Promise<RuleVerdict>;
}

/** A message of the server, for who watches. */
export interface HeardMessage {
  /** The message; empty if the text is not JSON. */
  readonly message: Readonly<Record<string, unknown>>;
  /** Received text that is not JSON. */
  readonly malformed?: string;
  /** The message that was sent; `undefined` where it was none. */
  readonly sent: Readonly<Record<string, unknown>> | undefined;
  /** The same, where this is the response to it. */
  readonly request: Readonly<Record<string, unknown>> | undefined;
  /** Progress tokens of requests that were not answered in their time, and may run. */
  readonly running?: ReadonlySet<unknown>;
  /** Ids of requests of the server in this conversation; `undefined` where it may have sent more. */
  readonly asked?: ReadonlySet<unknown> | undefined;
  /** Tells whether it repeats an earlier answer; `undefined` if that is not counted. */
  readonly isAgain?: boolean;
  readonly revision: Revision;
  /** Capabilities that the client declared in this conversation. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Capabilities that the server declared in it; `undefined` where that is not known. */
  readonly declared?: Readonly<Record<string, unknown>> | undefined;
  readonly exchange: RawExchange;
}

/** Fault of a message, and its place. */
export interface WatchedFault {
  readonly breaks: string;
  readonly where?: string;
}

/** A rule that only inspects existing messages. */
export interface WatchRule extends Stated {
  /** True for what others judge by name: a message that breaks one of those breaks this one for the same cause. */
  readonly isGeneral?: true;
  /**
   * Paths in a result or in params that it covers, such as `tools[].inputSchema`; the part after `.*` may be any name.
   * A general rule's finding at such a path has this rule as its only cause.
   */
  readonly fields?: readonly string[];
  /** Tells why the message breaks it; `undefined` where it keeps it, and `'not-seen'` where it says nothing of it. */
  watch(heard: HeardMessage): (WatchedFault & { readonly more?: readonly WatchedFault[] }) | 'holds' | 'not-seen';
}

/** One of the two. */
export type CheckRule = ProbeRule | WatchRule;

/** Tells whether a rule sends something. */
export function isProbe(rule: CheckRule): rule is ProbeRule {
  return 'probe' in rule;
}
