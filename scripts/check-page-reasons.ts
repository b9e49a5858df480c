/** Reasons why single rows have no rule of `parley check`, if their area does not give the reason. */

type Reason = readonly [why: string, rows: string];

/** A reason, and the test for its rows. */
export type ReasonOfRow = readonly [why: string, fits: (row: { readonly id: string }) => boolean];

const both: readonly Reason[] = [
  [
    'internal behaviour that no message shows: timeouts, rate limits, logs, storage, caching and validation',
    'basic-016 basic-026 basic-027 basic-031 basic-033 basic-036 lifecycle-018 lifecycle-019 lifecycle-020 lifecycle-021 lifecycle-022 lifecycle-023 ping-002 ping-003 ping-004 logging-009 logging-012 compl-006 compl-007 compl-008 tools-037 tools-040 tools-041 tools-042 caching-005 caching-006 caching-007 caching-008 caching-009 caching-010 caching-011 caching-012 caching-013 caching-014 caching-015 caching-016 cancel-006 cancel-008 cancel-017 cancel-018 cancel-019 cancel-020 progress-007 progress-008 sampling-016 sampling-026 sampling-028 elicit-005 elicit-008 elicit-024 meta-017 versioning-006 versioning-009 roots-007 mrtr-016 mrtr-019 icons-004 icons-005 stdio-005 http-091 resources-015 prompts-010 page-005 page-008 tools-012',
  ],
  [
    'about libraries, documents, custom transports, proxies, or the revision as a whole',
    'basic-003 basic-004 basic-024 basic-025 basic-039 basic-040 basic-042 basic-043 basic-045 basic-046 logging-014 http-107 http-108 http-109 http-110 schema-005 schema-008 schema-009 schema-010 schema-015 stdio-001 http-006',
  ],
  [
    'about readers of a schema: no message shows for certain how they use it',
    'schema-001 schema-002 schema-003 schema-004 schema-006 schema-007 schema-011 schema-012 schema-013 tools-043',
  ],
  [
    'covered by another rule, or by the test of supported revisions',
    'basic-008 basic-010 basic-029 lifecycle-001 lifecycle-012 versioning-003 versioning-011 stdio-002 stdio-007 http-001 http-002 http-035 http-055 http-089 http-018 http-058 subs-003 tools-017 tools-019 tools-032 resources-020 meta-003 meta-004 meta-013 page-007 prompts-013 mrtr-001 mrtr-009 mrtr-010 progress-012 sampling-008 sampling-012 sampling-032 tasks-012 tasks-034 tasks-071 tasks-080 http-020 http-054 subs-013 subs-014 page-006 prompts-011 versioning-013',
  ],
];

/** Reasons for rows of servers that are more precise than the reason of their kind. */
const precise: readonly Reason[] = [
  [
    'about new implementations or deprecated features: no message shows whether an implementation is new',
    'basic-026 basic-041 logging-014 roots-014 sampling-033 sse-012 sse-013',
  ],
  ['the network, a certificate or the system can identify the user, not only a token', 'http-006 sse-006 security-026'],
  [
    'no message shows which text is secret or personal, or what a URL opens',
    'logging-011 elicit-043 elicit-046 elicit-048 elicit-049',
  ],
  ['the check fetches only from the server', 'resources-010 resources-011'],
  [
    'the specification sets no time limit, and a call may end for another reason',
    'lifecycle-018 lifecycle-019 lifecycle-020 lifecycle-022 cancel-017 cancel-018 cancel-020 ping-002',
  ],
  [
    'the specification sets no limit: a server that accepts the messages of the check may refuse more',
    'progress-008 tools-037 tasks-047 logging-009 compl-006',
  ],
  ['needs a client with tools in sampling, and a server that continues with their results', 'sampling-031'],
  ['only the server knows which scope includes another', 'auth-057'],
  ['only the server knows who may see which data', 'caching-019 caching-020 tools-036 resources-019 resources-021'],
  [
    'needs a DPoP proof of another time or for another token, or a server with high security',
    'auth-146 auth-148 auth-149',
  ],
  ['each extension defines which listed entries belong to it', 'versioning-018'],
  ['covered by another rule, or by the test of supported revisions', 'auth-126 auth-130 stdio-010'],
  [
    'about libraries, documents, custom transports, proxies, or the revision as a whole',
    'versioning-015 versioning-017',
  ],
  [
    'internal behaviour that no message shows: timeouts, rate limits, logs, storage, caching and validation',
    'versioning-019',
  ],
];

const server: readonly Reason[] = [
  ['covered by other rules: a response has the id of its request, and a result or an error', 'basic-011 basic-013'],
  ['covered by tools-011 and tools-035', 'schema-014'],
  ['an error -32603 may come from the server and not from the tool', 'tools-023'],
  ['a call without a response may be cancelled, or lost with its connection', 'http-029'],
  [
    'about work after a stream is closed or a call is cancelled: the server sends nothing about it',
    'http-060 http-061 http-062 cancel-014 tasks-037',
  ],
  [
    'a process that is ended from outside may have no time to respond, and the specification disagrees with itself',
    'subs-009 subs-010',
  ],
  ['only the server knows how it creates event ids', 'http-038'],
  ['a progress token may be used again after the response, and the check answers requests at once', 'progress-002'],
  ['about argument values, which a client chooses', 'http-087'],
  [
    'needs a client that answers with tasks, and the check does not; tasks-003 covers such requests',
    'cancel-003 tasks-002 tasks-016 tasks-017 tasks-018 tasks-019 tasks-029 tasks-040',
  ],
  ['progress of tasks of 2025-11-25 is optional and may arrive on any stream', 'progress-009'],
  ['the server chooses its page size, so one page with all tasks is valid', 'tasks-033'],
  ['the check opens no pages, so no URL elicitation completes while another client listens', 'elicit-026'],
  ['no message shows how a server identifies a user', 'elicit-040 elicit-041'],
  ['needs a token that gets one scope after another', 'auth-051'],
  [
    'no message shows which text in a result or an argument is a state handle',
    'security-020 security-021 security-022',
  ],
  ['the specification does not define a short time: a state may be valid for days', 'mrtr-013'],
  ['only the server knows which states are valid once, and when it could have asked earlier', 'mrtr-015 tasks-061'],
  ['a JSON parser reads duplicate keys of an object as one key', 'mrtr-004'],
  [
    'only the server knows whether a URL elicitation was required: another error looks the same',
    'elicit-031 elicit-034',
  ],
  [
    'internal behaviour, documents, and text for users',
    'meta-001 tasks-045 tasks-047 tasks-049 tasks-055 tasks-060 tasks-097 roots-009 roots-013',
  ],
  ['not tested: the check reads only listed URIs', 'resources-022'],
  ['needs a token whose resource has an upper-case host, and the check has none', 'auth-095'],
];

/** Reasons for rows about the authorization of clients. */
const authorized: readonly Reason[] = [
  [
    'about supported ways to get a client id: a client may be configured for one of them',
    'auth-007 auth-058 auth-073 auth-074',
  ],
  ['about what a client shows its user after an error', 'auth-078 auth-091 auth-154'],
  ['about requests to the identity provider of an enterprise, which the check does not have', 'auth-135'],
  ['about the storage of tokens and keys on the machine of the client', 'auth-110 auth-152'],
  ['about a specification as a whole, whose single statements have rules', 'auth-001 auth-004 auth-006 auth-130'],
  ['about stdio, whose credentials come from the environment', 'auth-002'],
];

const client: readonly Reason[] = [
  ['about readers of a schema: no message shows for certain how they use it', 'schema-014'],
  [
    'about the polling of tasks: a client may poll again later, or elsewhere',
    'tasks-017 tasks-018 tasks-019 tasks-032 tasks-040 tasks-051 tasks-055 tasks-063',
  ],
  ['a client may ask its user before it creates a task, and a user is slow', 'tasks-015'],
  ['about a client task that needs input from the server: no known client has one', 'tasks-028 tasks-030'],
  ['needs more client tasks than a user would accept', 'tasks-033'],
  [
    'about client tasks and other servers: only the server of the session can request them, and it sees no other',
    'tasks-043 tasks-044 tasks-046',
  ],
  [
    'internal behaviour that no message shows: timeouts, rate limits, logs, storage, caching and validation',
    'tasks-037 tasks-047 tasks-048 tasks-049 versioning-019 resources-036 resources-038',
  ],
  [
    'about libraries, documents, custom transports, proxies, or the revision as a whole',
    'tasks-045 versioning-015 versioning-017',
  ],
  ['about what a server offers for client declarations', 'versioning-018'],
  ['no message shows which tools a model sees: a user may call a tool for apps', 'tools-044'],
  ['a silent view may be closed with its window, and gets no message about that', 'tools-049'],
  ['an app is read with resources/read: if it is not read, it may not be shown yet', 'resources-025'],
  [
    'no message shows whether a host gives a skill to its model: a user may read all its files or none',
    'resources-035 resources-037 resources-039 resources-040',
  ],
  [
    'no message shows how a client uses several streams, or a filter that was not granted',
    'subs-005 subs-007 stdio-008',
  ],
  ['only the program of the client sees how it handles a refusal of large headers', 'http-105'],
  ['a user may stop after the first round, so a missing second round is not a fault', 'mrtr-027'],
  [
    'only the program of the client sees the error, and a client without another revision can do no more',
    'basic-022 versioning-002 stdio-018 stdio-019',
  ],
  [
    'about other supported revisions, which only the client knows',
    'lifecycle-010 lifecycle-011 versioning-007 versioning-008 stdio-017 stdio-020',
  ],
  [
    'about the reaction to a response: the client sends nothing, or its message may cross another',
    'basic-023 resources-016 page-001 http-077 cancel-012 stdio-009 versioning-013',
  ],
  ['about errors, in a revision without client responses; covered by basic-038', 'basic-028 basic-030'],
  [
    'about the sender of sampling requests or prompts, which is the server of the check',
    'sampling-010 sampling-011 sampling-030 prompts-012',
  ],
  ['needs a user who refuses, or arguments to complete', 'sampling-023 compl-003'],
  ['covered by mrtr-017, which tests the shape of answers', 'sampling-017'],
];

const bySide: Readonly<Record<'server' | 'client' | 'authorized', readonly Reason[]>> = {
  server: [...both, ...server],
  client: [...both, ...client],
  authorized,
};

/** Reasons of rows of a side, in their order. */
export function singleReasons(side: 'server' | 'client' | 'authorized'): readonly ReasonOfRow[] {
  return bySide[side].map(reasonFor);
}

/** Reasons for rows of servers that are tested before the reason for applications. */
export function preciseReasons(): readonly ReasonOfRow[] {
  return precise.map(reasonFor);
}

function reasonFor([why, rows]: Reason): ReasonOfRow {
  const ids = new Set(rows.split(' '));
  return [why, ({ id }) => ids.has(id)];
}
