import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import type { Stated } from '../rule.ts';
import type { Prompted, ClientSession, ClientSessionOver } from './client-session.ts';

/** Head of a request over HTTP. */
export interface HeardHead {
  readonly method: string;
  readonly path: string;
  /** Headers by their names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** False where the body is no UTF-8. */
  readonly isUtf8?: boolean;
}

/** Something that a client said, before it is answered. */
export interface HeardOfClient {
  /** The message; empty for an HTTP request without one, and for text that is not JSON. */
  readonly message: JsonObject;
  /** Received text that is not JSON. */
  readonly malformed?: string;
  /** Number of messages in the batch that it came in; 0 where it came alone. */
  readonly batch: number;
  /** Number of the lines that it came in, where it should have been one; left out where it was. */
  readonly lines?: number | undefined;
  /** Messages of that batch, all of them; left out where it came alone. */
  readonly parts?: readonly JsonObject[];
  /** The conversation, as it was before. */
  readonly clientSession: ClientSession;
  readonly revision: Revision;
  /** Left out over stdio. */
  readonly http?: HeardHead;
  /** Question of ours that it answers. */
  readonly put?: Prompted | undefined;
}

/** Finding of a look: kept, broken for a reason, or nothing of the kind. */
export type ClientLook = 'holds' | 'not-seen' | { readonly breaks: string };

/** A statement about clients that can be seen from where their server stands. */
export interface ClientRule extends Stated {
  /** The only transport on which it says something; either by default. */
  readonly over?: ClientSessionOver;
  /** Row with the same statement that is checked in its place: one cause is one finding. */
  readonly as?: string;
  /** True for a rule that only concerns a server without any known revision. */
  readonly isForeign?: true;
  /** True for what finds nothing where another rule does in the same message: one cause is one finding. */
  readonly yields?: true;
  /** Judges what a client said. */
  watch?(heard: HeardOfClient): ClientLook;
  /** Judges a conversation when it is over, for what should have come. */
  atEnd?(clientSession: ClientSession, seen: SeenElsewhere): ClientLook;
}

/** Page that was opened, and the moment, by the clock that never jumps. */
export interface OpenedPage {
  readonly path: string;
  readonly at: number;
}

/** Things that are seen beside conversations. */
export interface SeenElsewhere {
  /** Number of fetches of an address that a client should not fetch by itself. */
  readonly fetches: number;
  /** Number of fetches of an icon's address that is not on https. */
  readonly icons: number;
  /** Pages that were opened of those which a client is asked to show, and when. */
  readonly pages: readonly OpenedPage[];
  /** True when the client ended by itself. */
  readonly isGone: boolean;
  /** True if the check started it, so that only the check ends it. */
  readonly isStarted?: boolean;
  /** Tokens of apps that reached an address that they had not declared. */
  readonly apps?: ReadonlySet<string>;
  /** Tools that the client has in its list. */
  readonly listed: ReadonlySet<string>;
}

/** Shorthand: kept, or broken for a reason. */
export function unlessKept(isKept: boolean, why: string): ClientLook {
  return isKept ? 'holds' : { breaks: why };
}

/** A value in the words of a finding. */
export function inQuotes(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 'missing' : text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** A row that says the same as another, in words of its own. */
export function sameAs({ id: as, fix, over }: ClientRule, id: string, words: string): ClientRule {
  return { id, message: words, fix, as, ...(over === undefined ? {} : { over }) };
}
