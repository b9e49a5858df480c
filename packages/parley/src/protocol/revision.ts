/** The dated versions of the protocol, oldest first, and what each of them changed in behaviour. */

/** The date that names a published revision, as it travels on the wire. */
export type RevisionDate = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

/**
 * The way a revision opens a conversation: `handshake` revisions begin with `initialize` and keep state for a
 * session, the `stateless` ones describe the client in the `_meta` of every request.
 */
export type Era = 'handshake' | 'stateless';

/**
 * The behaviour of one revision, as facts; code above `protocol/` asks these and never compares dates. A fact answers one
 * question, so that a later revision may answer one of them in another way.
 */
export interface Revision {
  /** The name on the wire. */
  readonly date: RevisionDate;
  /** Way in which a conversation is opened. Only negotiation asks this; what else came with it has facts of its own. */
  readonly era: Era;
  /**
   * True when the messages of a client belong to a session, which may be lost, and cursors and subscriptions with it.
   * (Spec 2025-11-25, Transports, Session Management; Spec 2026-07-28, Base protocol: a request is served by itself.)
   */
  readonly sessions: boolean;
  /**
   * Place in which a client says who it is and what it can do: once, in `initialize`, or in `_meta` of each request.
   * (Spec 2026-07-28, Base protocol, _meta.)
   */
  readonly clientDescribed: 'once' | 'each-request';
  /**
   * Place in which a server says who it is: in the answer to `initialize`, or in `_meta` of each result. (Likewise.)
   */
  readonly serverNamed: 'once' | 'each-result';
  /**
   * True when results say of what type they are; an unknown one makes a result invalid. (Spec 2026-07-28, Base
   * protocol, ResultType.)
   */
  readonly resultTypes: boolean;
  /** True when a result may ask the client for input, whose retry brings it. (Spec 2026-07-28, MRTR.) */
  readonly resultsAsk: boolean;
  /**
   * Way in which a client hears of changes: unasked in its session, and of resources by `resources/subscribe`; or on
   * the streams that it opens by `subscriptions/listen`. (Spec 2026-07-28, Subscriptions.)
   */
  readonly subscribing: 'session' | 'listen';
  /** True when several JSON-RPC messages may travel in one array. */
  readonly batches: boolean;
  /** The shape of HTTP: a pair of endpoints, one endpoint with sessions, or one exchange per POST. */
  readonly http: 'sse-pair' | 'session' | 'exchange';
  /**
   * Way in which a client catches up over HTTP when its event stream broke: not at all, from the id of an event, or
   * from one that every stream begins with, so that a server may break the connection on purpose and be polled.
   */
  readonly resumption: 'none' | 'event-ids' | 'polling';
  /**
   * True when a client looks for the metadata of a protected resource; before, it looked for that of an authorization server at
   * the root of the server's origin. (Spec 2025-06-18, Authorization.)
   */
  readonly resourceMetadata: boolean;
  /**
   * True when a server that has no resource metadata may be its own authorization server, at the root of its origin. (Spec
   * 2025-03-26, Authorization; servers that still do so speak the revisions after it too.)
   */
  readonly authorizationAtRoot: boolean;
  /**
   * True when a client looks at well-known URLs for the metadata of a protected resource, where no challenge says where they are.
   * (Spec 2025-11-25, Authorization, Protected Resource Metadata Discovery Requirements.)
   */
  readonly wellKnownResourceMetadata: boolean;
  /**
   * True when a client also looks for the metadata of an authorization server as OpenID Connect Discovery publishes them. (Spec
   * 2025-11-25, Authorization, Authorization Server Metadata Discovery.)
   */
  readonly openIdDiscovery: boolean;
  /** Messages with which `MCP-Protocol-Version` is sent over HTTP. */
  readonly versionHeader: 'never' | 'after-initialize' | 'always';
  /**
   * True when method, name and some arguments of a request travel in headers too, which must say what the body says.
   * (Spec 2026-07-28, Streamable HTTP, Request metadata.)
   */
  readonly mirroredHeaders: boolean;
  /** Values that `structuredContent` of a tool result may hold. */
  readonly structuredContent: 'none' | 'object' | 'any';
  /** Way in which arguments that do not fit a tool's input schema are reported. */
  readonly argumentErrors: 'protocol' | 'tool';
  /** Scope in which the log level is chosen: the session by `logging/setLevel`, or each request by its `_meta`. */
  readonly logging: 'session' | 'request';
  /** Way in which a client gives up a request over HTTP. */
  readonly httpCancellation: 'notification' | 'close-stream';
  /** True when requests may travel from server to client. */
  readonly serverRequests: boolean;
  /** The modes of elicitation that exist. */
  readonly elicitation: 'none' | 'form' | 'form-and-url';
  /** The surface of tasks: the core methods, the extension, or none. */
  readonly tasks: 'none' | 'core' | 'extension';
  /**
   * True when an extension is declared among the experimental capabilities too: some programs of that time look there
   * alone. The place of every revision is `extensions`. (SEP-2133.)
   */
  readonly experimentalExtensions: boolean;
  /** True when lists and reads carry `ttlMs` and `cacheScope`. */
  readonly cacheHints: boolean;
  /** True when an error for a message whose id could not be read leaves the id out; before, the id is null. */
  readonly errorWithoutId: boolean;
  /**
   * True when some codes of errors belong to the specification, so that what an application chose is not sent under
   * them. (Spec 2026-07-28, Base protocol, Error codes.)
   */
  readonly reservedErrorCodes: boolean;
}

const v2024_11_05: Revision = {
  date: '2024-11-05',
  era: 'handshake',
  sessions: true,
  clientDescribed: 'once',
  serverNamed: 'once',
  resultTypes: false,
  resultsAsk: false,
  subscribing: 'session',
  batches: false,
  http: 'sse-pair',
  resumption: 'none',
  resourceMetadata: false,
  authorizationAtRoot: false,
  wellKnownResourceMetadata: false,
  openIdDiscovery: false,
  versionHeader: 'never',
  mirroredHeaders: false,
  structuredContent: 'none',
  argumentErrors: 'protocol',
  logging: 'session',
  httpCancellation: 'notification',
  serverRequests: true,
  elicitation: 'none',
  tasks: 'none',
  experimentalExtensions: true,
  cacheHints: false,
  errorWithoutId: false,
  reservedErrorCodes: false,
};

const v2025_03_26: Revision = {
  ...v2024_11_05,
  date: '2025-03-26',
  batches: true,
  http: 'session',
  resumption: 'event-ids',
  authorizationAtRoot: true,
};

const v2025_06_18: Revision = {
  ...v2025_03_26,
  date: '2025-06-18',
  batches: false,
  resourceMetadata: true,
  versionHeader: 'after-initialize',
  structuredContent: 'object',
  elicitation: 'form',
};

const v2025_11_25: Revision = {
  ...v2025_06_18,
  date: '2025-11-25',
  resumption: 'polling',
  wellKnownResourceMetadata: true,
  openIdDiscovery: true,
  argumentErrors: 'tool',
  elicitation: 'form-and-url',
  tasks: 'core',
  errorWithoutId: true,
};

const v2026_07_28: Revision = {
  ...v2025_11_25,
  date: '2026-07-28',
  era: 'stateless',
  sessions: false,
  clientDescribed: 'each-request',
  serverNamed: 'each-result',
  resultTypes: true,
  resultsAsk: true,
  subscribing: 'listen',
  http: 'exchange',
  resumption: 'none',
  authorizationAtRoot: false,
  versionHeader: 'always',
  mirroredHeaders: true,
  structuredContent: 'any',
  logging: 'request',
  httpCancellation: 'close-stream',
  serverRequests: false,
  tasks: 'extension',
  experimentalExtensions: false,
  cacheHints: true,
  reservedErrorCodes: true,
};

/** Every published revision, oldest first. */
export const revisions: readonly Revision[] = [v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28];

/** The newest revision: the one whose words the canonical model uses. */
export const newestRevision: Revision = v2026_07_28;

const byDate: ReadonlyMap<string, Revision> = new Map(revisions.map((revision) => [revision.date, revision]));

/** Finds the revision that a peer named; anything but a published date gives `undefined`. */
export function revisionOf(date: unknown): Revision | undefined {
  return typeof date === 'string' ? byDate.get(date) : undefined;
}

/** The revision in which a server is read that chose a version: that of before the first publication is the first one. */
export function readableRevision(version: unknown): Revision | undefined {
  return revisionOf(version === '2024-10-07' ? '2024-11-05' : version);
}

/** The position of a revision, oldest 0: what a lifetime is measured in. */
export function ordinal(revision: Revision): number {
  return revisions.indexOf(revision);
}

/**
 * Resolves the revisions that a user restricts a server or client to.
 *
 * @param dates Published dates in any order; left out means every revision.
 * @returns The revisions, oldest first, without repeats.
 * @throws TypeError when the list is empty or names something that is not a published revision.
 */
export function chosenRevisions(dates?: readonly string[]): readonly Revision[] {
  if (dates === undefined) return revisions;
  for (const date of dates) {
    if (byDate.has(date)) continue;
    // A program may have passed a revision itself.
    const shown = typeof date === 'string' ? JSON.stringify(date) : `of type ${typeof date}`;
    throw new TypeError(`unknown revision ${shown}; known are ${[...byDate.keys()].join(', ')}`);
  }
  if (dates.length === 0) throw new TypeError('revisions must name at least one revision');
  return revisions.filter((revision) => dates.includes(revision.date));
}

/** The newest revision of an era in a list, oldest first, or `undefined` when the list has none of it. */
export function newestOf(list: readonly Revision[], era: Era): Revision | undefined {
  return list.findLast((revision) => revision.era === era);
}

/**
 * The revision in which a server answers `initialize`: the one that the client asked for where the server speaks it,
 * else a counter-offer of its newest with a handshake. A revision without handshake is never the answer.
 *
 * @param spoken The revisions that the server speaks, oldest first.
 * @param requested What the client asked for; any string is legal.
 * @returns `undefined` when the server speaks no revision with a handshake.
 */
export function chooseRevision(spoken: readonly Revision[], requested: unknown): Revision | undefined {
  const asked = revisionOf(requested);
  const agreed = asked !== undefined && asked.era === 'handshake' && spoken.includes(asked);
  return agreed ? asked : newestOf(spoken, 'handshake');
}

/**
 * The newest revision that both sides speak, for a client that was told what its server supports.
 *
 * @param spoken The revisions that the client speaks, oldest first.
 * @param supported The dates that the server named, in any order; unknown ones are passed over.
 * @param era Considers the revisions of one era alone.
 */
export function commonRevision(
  spoken: readonly Revision[],
  supported: readonly unknown[],
  era?: Era,
): Revision | undefined {
  return spoken.findLast(
    (revision) => supported.includes(revision.date) && (era === undefined || revision.era === era),
  );
}
