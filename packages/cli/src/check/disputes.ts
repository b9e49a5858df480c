/** Reasons for which rows are no more than notes, and the rows. */
const carriedInPart: readonly (readonly [why: string, rows: string])[] = [
  [
    'it follows from what the text describes, which has no keyword of its own for it',
    'versioning-004 subs-008 mrtr-017 mrtr-027 http-007 http-069 http-115 tasks-083 schema-013 tools-028 tools-029 tools-030 tools-031 tools-032 prompts-015 sampling-032',
  ],
  [
    'the text says it in small letters, or describes it',
    'stdio-016 caching-002 caching-013 sse-008 sse-009 basic-038 mrtr-003 subs-012 subs-016 progress-012 auth-055',
  ],
  [
    'a proposal that was accepted says it, and the pages of the revision do not',
    'tools-014 schema-014 schema-015 http-104 tasks-091 tasks-092 tasks-093 tasks-094',
  ],
  ['the text says it of tasks/result alone', 'tasks-090'],
  ['the schema says that one should, and a list of the page that one must', 'icons-005 icons-006'],
];

/**
 * Rows whose text contradicts itself or is incomplete, or differs from the schema or the official suite. Deviations are
 * reported, but are not faults.
 */
export const disputes: ReadonlyMap<string, string> = new Map<string, string>([
  ...carriedInPart.flatMap(([why, rows]) => rows.split(' ').map((row) => [row, why] as const)),
  [
    'tools-025',
    'the page on tools wants a result with isError, and the schema says in a comment that wrong arguments are answered with -32602',
  ],
  [
    'auth-132',
    'the page has clients authenticate by RFC 7523, and shows the grant in an example: the claims of the assertion are those of that text',
  ],
  ['http-059', 'the text encourages it, and says not how often: a server may do it after more than two minutes'],
  [
    'caching-018',
    'a server must know that public items are shared, and the words that demand a correct mark are not a MUST; several servers behind one address may differ as well',
  ],
  [
    'icons-004',
    'the pages say that an icon is at an HTTP URL or a data: URI, and of those who show it that https and data: alone are taken',
  ],
  [
    'auth-095',
    'the page wants capitals in a scheme or a host to be accepted, and RFC 9728 wants resource to be the very text',
  ],
  [
    'wire-uri',
    'the schema says it with a format, which JSON Schema lets validators pass over, and official SDKs take relative paths too',
  ],
  ['tasks-086', 'the pages of the extension say -32021 and, on the first of them, -32003'],
  [
    'subs-011',
    'a server cannot see for certain which connection of a host it is begun for: one that is not established again needs no stream',
  ],
  ['subs-009', 'a result is what should end a stream, and over stdio a cancellation is what must'],
  ['subs-010', 'a cancellation is what must end a stream over stdio, and a result is what should'],
]);
