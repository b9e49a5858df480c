/** Severity of a finding: a MUST is broken, a SHOULD is not followed, or a hardening of ours is missing. */
export type Severity = 'error' | 'warning' | 'note';

/** Fault of a server. */
export interface Finding {
  /** The row of the register, or `harden-…`. */
  readonly id: string;
  readonly severity: Severity;
  /** `MUST`, `SHOULD NOT`, …; `note` for a hardening. */
  readonly level: string;
  /** The revisions in which it was found, oldest first. */
  readonly revisions: readonly string[];
  /** Statement that should hold. */
  readonly message: string;
  /** Way in which it does not. */
  readonly why: string;
  /** The place in the server's answers, such as `tools/add`, where it is one. */
  readonly where?: string;
  /** Text that was sent, as it stood on the wire. */
  readonly sent: string;
  /** Answer that came, in a few words. */
  readonly came: string;
  /** Change that fixes it. */
  readonly fix: string;
  /** Page and heading of the specification; left out for a hardening. */
  readonly source?: string;
  /** Words of the specification that say otherwise, where it says two things; it is a note then. */
  readonly disputed?: string;
  /** True when it is written down in the baseline as known. */
  readonly known?: true;
  /** Words for those who notice it, such as `every client`; left out for a note and with `--strict`. */
  readonly affects?: string;
  /** Other rows that the same fault breaks. */
  readonly also?: readonly string[];
  /** The SDK that causes it in every server that uses it; it is a note then. */
  readonly trait?: string;
  /** Reason why no client relies on the statement; it is a note then. */
  readonly unused?: string;
}

/** RuleVerdict on one row in one revision. */
export interface RowVerdict {
  readonly id: string;
  readonly revision: string;
  /** `differs`: a SHOULD is not followed. `disputed`: the specification says two things of it. */
  readonly verdict:
    | 'holds'
    | 'breaks'
    | 'differs'
    | 'disputed'
    | 'not-seen'
    | 'not-applicable'
    | 'not-judged'
    | 'not-allowed';
  /** Reason, where it is neither kept nor broken. */
  readonly why?: string;
}

/** Standing of a revision at a server. */
export interface RevisionSeen {
  readonly revision: string;
  readonly spoken: boolean;
  /** `sse` where it is spoken by HTTP+SSE. */
  readonly over?: 'sse';
  /** True if its support is unknown, since the server wants a token. */
  readonly isClosed?: boolean;
  /** Words of the server, where it does not speak it. */
  readonly why?: string;
}

/** One message to a server, and its outcome. */
export interface CheckedExchange {
  /** The revision of the conversation that it belongs to. */
  readonly revision: string;
  /** Beginning of the sent message on the wire, without session ids and tokens. */
  readonly sent: string;
  /** Answer that came, in a few words. */
  readonly came: string;
}

/** All that was found out about a server, or a client. */
export interface CheckReport {
  readonly tool: { readonly name: string; readonly version: string };
  /** The server, without what may be secret. */
  readonly target: string;
  readonly transport: 'http' | 'stdio';
  /** The checked side; a server if it is left out. */
  readonly side?: 'client';
  /** Things that the client was to do and did not; left out where it did all. */
  readonly missing?: readonly string[];
  readonly revisions: readonly RevisionSeen[];
  readonly counts: {
    /** Checked rows, each counted once across revisions. */
    readonly judged: number;
    readonly broken: number;
    readonly differing: number;
    readonly notSeen: number;
    readonly notApplicable: number;
    readonly notJudged: number;
    /** Rows that need what was not allowed, such as a tool to be called. */
    readonly notAllowed: number;
    /** Rows that are not kept, of which the specification says two things. */
    readonly disputed: number;
    readonly messages: number;
    /** Number of times that the command of a server was started; left out over HTTP and for a client. */
    readonly starts?: number;
  };
  readonly findings: readonly Finding[];
  /** Tools that were allowed to be called and were not, in each revision. */
  readonly uncalled: readonly { readonly name: string; readonly revision: string; readonly why: string }[];
  readonly rows: readonly RowVerdict[];
  /** Messages to a server in their order, the first 500 of them, and the number of those that are left out; nothing of a client. */
  readonly wire?: { readonly exchanges: readonly CheckedExchange[]; readonly left: number };
  /** Reason why some rows were not checked; left out if all were. */
  readonly cut?: string;
}
