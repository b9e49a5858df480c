/** The findings of `parley explain` about authorization at one server: a part of the JSON that `--json` prints. */

import type { AuthorizationReason } from '../../../../../parley/src/auth/common/errors.ts';
import type { RevisionDate } from '../../../../../parley/src/protocol/revision.ts';
import type { WireEntry } from '../report.ts';

/** The authorization that a server wants, as it can be seen without signing in. */
export interface AuthorizationExplained {
  /** Each kind of refusal once, in the order in which they came. */
  readonly refusals: readonly ExplainedRefusal[];
  readonly resourceMetadata: ExplainedResource;
  /** The authorization servers: those in the resource metadata, or the root of the server's origin. */
  readonly servers: readonly ExplainedServer[];
  /** Number of authorization servers that are named beyond those that were looked at; at most 251. */
  readonly moreServers: number;
  /** The metadata at the root of the server's origin, where clients of one revision look for its authorization server. */
  readonly root: ExplainedLook;
  /** Outcome for clients of each revision, newest first. */
  readonly clients: readonly ExplainedClient[];
  /** The rules that are broken; those at which clients stop come first. */
  readonly broken: readonly BrokenRule[];
  /** Everything exchanged to find this out, in order; with `--wire` alone. */
  readonly wire?: readonly WireEntry[];
}

/** A response that says that authorization is wanted, or more of it. */
export interface ExplainedRefusal {
  readonly status: number;
  /** Set when the request had credentials (`--header`, or those of the URL). */
  readonly withCredentials: boolean;
  /** The header `WWW-Authenticate`; left out where there was none. */
  readonly header?: string;
  /** The challenges that were read of it. */
  readonly challenges: readonly {
    /** In lower case. */
    readonly scheme: string;
    readonly token68?: string | undefined;
    /** By their names in lower case. */
    readonly parameters: Readonly<Record<string, string>>;
  }[];
}

/**
 * The result of a request to one URL.
 *
 * - `found`: a document was there; it may have other errors.
 * - `absent`: there is none: another 4xx, or a different document.
 * - `failed`: unknown: the server failed, could not be reached, or redirected to another origin.
 * - `refused`: the URL must not be fetched, and was not.
 */
export type LookOutcome = 'found' | 'absent' | 'failed' | 'refused';

/** One URL at which a document was looked for. */
export interface ExplainedLook {
  /** Without its query. */
  readonly url: string;
  readonly outcome: LookOutcome;
  readonly status?: number;
  readonly contentType?: string;
  /** Targets of redirects, in order. */
  readonly redirects?: readonly string[];
  /** Reason for which it is no document that can be used. */
  readonly problem?: string;
  /** Reason of the error that a client would report; left out where it would go on. */
  readonly reason?: AuthorizationReason;
  /** Set where no client looks: explain alone did, to say more. */
  readonly beyond?: true;
}

/** The protected resource metadata. (RFC 9728) */
export interface ExplainedResource {
  /** In the order in which clients look. URLs after the first found one are not requested. */
  readonly looked: readonly ExplainedLook[];
  /** Way in which the document was found; left out where none was. */
  readonly foundBy?: 'challenge' | 'well-known';
  /** The document as it came. */
  readonly document?: Readonly<Record<string, unknown>>;
}

/** One authorization server. */
export interface ExplainedServer {
  /** As the resource metadata spell it, or the root of the server's origin. */
  readonly issuer: string;
  readonly namedBy: 'resource-metadata' | 'server-root';
  readonly looked: readonly ExplainedLook[];
  /** The document as it came; left out where none was found. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** The ways for a client to become known there, in the order in which clients try them. */
  readonly registration: readonly RegistrationWay[];
}

/** One way for a client to become known. (Spec 2025-11-25, Authorization, Client Registration Approaches.) */
export interface RegistrationWay {
  readonly way: 'pre-registered' | 'client-id-metadata-document' | 'dynamic-registration' | 'by-hand';
  /** True when the metadata leave it open. */
  readonly open: boolean;
  /** Means by which it is gone, or the reason for which it is closed. */
  readonly how: string;
}

/** Outcome for clients of one revision, by the words of that revision. */
export interface ExplainedClient {
  readonly revision: RevisionDate;
  /**
   * - `found`: they find the authorization server.
   * - `perhaps`: only if they do what the revision leaves open.
   * - `not-found`: they do not, or refuse what they find.
   * - `none`: the revision knows no authorization.
   */
  readonly outcome: 'found' | 'perhaps' | 'not-found' | 'none';
  readonly why: string;
}

/** A rule that a server or its authorization server breaks. */
export interface BrokenRule {
  /** The name of the rule, which stays. */
  readonly rule: string;
  /** Words that say what breaks it. */
  readonly what: string;
  /** True when clients stop there. */
  readonly stops: boolean;
  /** Clause that says what a client does about it. */
  readonly client: string;
  /** Source of the rule: revision and section, or RFC and section. */
  readonly source: string;
}
