/** Why single rows are not judged by `parley check`, where their area does not say it. */

type Reason = readonly [why: string, rows: string];

/** A reason, and which rows it fits. */
export type ReasonOfRow = readonly [why: string, fits: (row: { readonly id: string }) => boolean];

const both: readonly Reason[] = [
  [
    'inner conduct, which no message shows: timeouts, limits of rate, logs, what is stored, cached or validated, and what is made of it',
    'basic-016 basic-026 basic-027 basic-031 basic-033 basic-036 lifecycle-018 lifecycle-019 lifecycle-020 lifecycle-021 lifecycle-022 lifecycle-023 ping-002 ping-003 ping-004 logging-009 logging-012 compl-006 compl-007 compl-008 tools-037 tools-040 tools-041 tools-042 caching-005 caching-006 caching-007 caching-008 caching-009 caching-010 caching-011 caching-012 caching-013 caching-014 caching-015 caching-016 cancel-006 cancel-008 cancel-017 cancel-018 cancel-019 cancel-020 progress-007 progress-008 sampling-016 sampling-026 sampling-028 elicit-005 elicit-008 elicit-024 meta-017 versioning-006 versioning-009 roots-007 mrtr-016 mrtr-019 icons-004 icons-005 stdio-005 http-091 resources-015 prompts-010 page-005 page-008 tools-012',
  ],
  [
    'about libraries, documents, transports of their own, proxies, or the revision as a whole',
    'basic-003 basic-004 basic-024 basic-025 basic-039 basic-040 basic-042 basic-043 basic-045 basic-046 logging-014 http-107 http-108 http-109 http-110 schema-005 schema-008 schema-009 schema-010 schema-015 stdio-001 http-006',
  ],
  [
    'about whoever reads a schema, whose dealing with it no message shows for certain',
    'schema-001 schema-002 schema-003 schema-004 schema-006 schema-007 schema-011 schema-012 schema-013 tools-043',
  ],
  [
    'said by another row too, which is judged, or true by how a revision is found to be spoken',
    'basic-008 basic-010 basic-029 lifecycle-001 lifecycle-012 versioning-003 versioning-011 stdio-002 stdio-007 http-001 http-002 http-035 http-055 http-089 http-018 http-058 subs-003 tools-017 tools-019 tools-032 resources-020 meta-003 meta-004 meta-013 page-007 prompts-013 mrtr-001 mrtr-009 mrtr-010 progress-012 sampling-008 sampling-012 sampling-032 tasks-012 tasks-034 tasks-071 tasks-080 http-020 http-054 subs-013 subs-014 page-006 prompts-011 versioning-013',
  ],
];

/** Reasons of rows of servers that are more than those of their kind. */
const precise: readonly Reason[] = [
  [
    'about new implementations, or about leaving what is deprecated: which one is new no message says',
    'basic-026 basic-041 logging-014 roots-014 sampling-033 sse-012 sse-013',
  ],
  [
    'who somebody is may be told by the network, a certificate or the system, and not by a token',
    'http-006 sse-006 security-026',
  ],
  [
    'which words of a message are secret or personal, and what an address opens, no message says',
    'logging-011 elicit-043 elicit-046 elicit-048 elicit-049',
  ],
  ['nothing is fetched from other places than the server', 'resources-010 resources-011'],
  [
    'how long somebody waits for an answer no text says: who still waits may be patient, and a call may end for another reason',
    'lifecycle-018 lifecycle-019 lifecycle-020 lifecycle-022 cancel-017 cancel-018 cancel-020 ping-002',
  ],
  [
    'how much is too much no text says: who takes all that is sent here may refuse more',
    'progress-008 tools-037 tasks-047 logging-009 compl-006',
  ],
  ['needs a client that gives tools to the model, and a server that goes on with their results', 'sampling-031'],
  ['which scope has another in it is known to the server alone', 'auth-057'],
  ['who may see what is known to the server alone', 'caching-019 caching-020 tools-036 resources-019 resources-021'],
  [
    'needs a proof of another time or one for a foreign token, by the key of the user, or a server of high security',
    'auth-146 auth-148 auth-149',
  ],
  ['whether something that is listed is an offer of an extension each extension says for itself', 'versioning-018'],
  [
    'said by another row too, which is judged, or true by how a revision is found to be spoken',
    'auth-126 auth-130 stdio-010',
  ],
  [
    'about libraries, documents, transports of their own, proxies, or the revision as a whole',
    'versioning-015 versioning-017',
  ],
  [
    'inner conduct, which no message shows: timeouts, limits of rate, logs, what is stored, cached or validated, and what is made of it',
    'versioning-019',
  ],
];

const server: readonly Reason[] = [
  ['said by other rows: an answer has the id of its request, and one of the two', 'basic-011 basic-013'],
  ['said by two other rows, tools-011 and tools-035, which are judged', 'schema-014'],
  ['an error -32603 of a call may be one of the server, which is no failure of the tool', 'tools-023'],
  ['a call of which nothing comes any more may have been cancelled, or lost with its connection', 'http-029'],
  [
    'what goes on after a stream was closed or a call was cancelled: nothing of it is sent to anybody',
    'http-060 http-061 http-062 cancel-014 tasks-037',
  ],
  [
    'a process that is ended from outside need not have time to say anything, and the text says two things of it',
    'subs-009 subs-010',
  ],
  ['what the id of an event is made of is known to the server alone', 'http-038'],
  [
    'a token may come again as soon as its request is answered, and questions are answered at once: that both were under way is not seen',
    'progress-002',
  ],
  ['about values of arguments, which a client chooses', 'http-087'],
  [
    'needs a client that makes tasks of what it is asked, which the one that judges does not; that none is asked of it is said by tasks-003',
    'cancel-003 tasks-002 tasks-016 tasks-017 tasks-018 tasks-019 tasks-029 tasks-040',
  ],
  [
    'progress of tasks of 2025-11-25 may come on any stream, or not at all: one that does not come says nothing',
    'progress-009',
  ],
  [
    'how many tasks a page may have is its own choice: one that lists all that were made may have pages for more',
    'tasks-033',
  ],
  ['no page is opened here, so that no question by one comes to its end while another client listens', 'elicit-026'],
  ['by what a server knows who somebody is, no message shows', 'elicit-040 elicit-041'],
  ['needs a token that is given one scope after the other', 'auth-051'],
  ['no message says which text in a result or an argument is a state handle', 'security-020 security-021 security-022'],
  ['how short a time is short no text says, and a state that is taken after hours may be one for days', 'mrtr-013'],
  [
    'which states may be used once only, and when a question could have come earlier, is known to the server alone',
    'mrtr-015 tasks-061',
  ],
  ['keys that stand twice in an object of JSON are one when it is read', 'mrtr-004'],
  [
    'whether a page had to be opened is known to the server alone: what comes instead is an error like any other',
    'elicit-031 elicit-034',
  ],
  [
    'inner conduct, documents, and words for people',
    'meta-001 tasks-045 tasks-047 tasks-049 tasks-055 tasks-060 tasks-097 roots-009 roots-013',
  ],
  ['never tried: no address is read that the server does not list', 'resources-022'],
  ['needs a token whose resource has capitals in its host, which nobody gives here', 'auth-095'],
];

/** Of clients that are authorized. */
const authorized: readonly Reason[] = [
  [
    'about what a client may support: one that registers, or has an id by hand, may have been given nothing else',
    'auth-007 auth-058 auth-073 auth-074',
  ],
  ['what a client tells its person of a refusal, or keeps from them', 'auth-078 auth-091 auth-154'],
  ['about what a client says to the identity provider of its enterprise, which is not here', 'auth-135'],
  ['about how tokens and keys are kept on the machine of a client', 'auth-110 auth-152'],
  [
    'that a whole specification, of OAuth or of this, is followed, whose single statements are judged',
    'auth-001 auth-004 auth-006 auth-130',
  ],
  ['about stdio, whose credentials come from the environment', 'auth-002'],
];

const client: readonly Reason[] = [
  ['about whoever reads a schema, whose dealing with it no message shows for certain', 'schema-014'],
  [
    'about tasks that come back later, or in the work of a client: that it asks no more may mean that it asks again tomorrow, or elsewhere',
    'tasks-017 tasks-018 tasks-019 tasks-032 tasks-040 tasks-051 tasks-055 tasks-063',
  ],
  ['a client may ask its person before it makes a task, and a person is slow', 'tasks-015'],
  [
    'about a task of a client that needs something of the server which asked for it, of which no client is known',
    'tasks-028 tasks-030',
  ],
  ['needs more tasks of a client than a person would agree to', 'tasks-033'],
  [
    'about tasks of clients that somebody else asks for: the server of a session alone can, and what another server of the same client could it does not see',
    'tasks-043 tasks-044 tasks-046',
  ],
  [
    'inner conduct, which no message shows: timeouts, limits of rate, logs, what is stored, cached or validated, and what is made of it',
    'tasks-037 tasks-047 tasks-048 tasks-049 versioning-019 resources-036 resources-038',
  ],
  [
    'about libraries, documents, transports of their own, proxies, or the revision as a whole',
    'tasks-045 versioning-015 versioning-017',
  ],
  ['about what a server offers by what its clients declare', 'versioning-018'],
  ['which tools a model is shown no message says: a person may call what is for apps alone', 'tools-044'],
  ['a view that falls silent may have gone with its window, of which it hears nothing', 'tools-049'],
  [
    'the app of a tool is had by resources/read alone: that it is not read says that nobody showed it yet',
    'resources-025',
  ],
  [
    'whether a host takes a skill to its model, and acts on it, no message shows: a person may read each file of it, and none',
    'resources-035 resources-037 resources-039 resources-040',
  ],
  [
    'what a client makes of the notices of several streams, or of a filter that was not granted, no message shows',
    'subs-005 subs-007 stdio-008',
  ],
  ['what a client makes of a refusal of large headers it tells its own program', 'http-105'],
  [
    'who stops after a first round may have been told to by its person: that a second one is answered is seen, that it is not says nothing',
    'mrtr-027',
  ],
  [
    'who is refused, or takes a result for none, tells that its own program, and a client that has no other revision may do no more',
    'basic-022 versioning-002 stdio-018 stdio-019',
  ],
  [
    'about what a client speaks besides, or could, which it alone knows',
    'lifecycle-010 lifecycle-011 versioning-007 versioning-008 stdio-017 stdio-020',
  ],
  [
    'about what a client makes of an answer, or no longer does, where nothing comes either way, or what comes may have crossed it',
    'basic-023 resources-016 page-001 http-077 cancel-012 stdio-009 versioning-013',
  ],
  [
    'about errors, in a revision in which a client sends no answers, which is judged as basic-038',
    'basic-028 basic-030',
  ],
  [
    'about whoever makes up questions for the model, or lists prompts, which is this server',
    'sampling-010 sampling-011 sampling-030 prompts-012',
  ],
  ['needs a person that refuses, or arguments to complete', 'sampling-023 compl-003'],
  ['said by another row too: that of what is filled in, whose shape is judged', 'sampling-017'],
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

/** Reasons of rows of servers that come before that they are of an application. */
export function preciseReasons(): readonly ReasonOfRow[] {
  return precise.map(reasonFor);
}

function reasonFor([why, rows]: Reason): ReasonOfRow {
  const ids = new Set(rows.split(' '));
  return [why, ({ id }) => ids.has(id)];
}
