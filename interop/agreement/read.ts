const oneCause =
  'Every answer of that kind is wrong for one cause, which is one finding; the suite fails each check that meets one.';
const ownContents = 'The suite wants the contents of resources of its own; this text of the specification allows none.';
const discoverAlone = 'The suite looks at the answer to server/discover alone.';
const mismatchOfUnknown =
  'The revision in which the suite has header and body differ is one that the server does not know: the fault alters it before they are compared.';
const any2xx = 'The suite takes any status from 200 to 299; the text wants 202 and no body.';
const refusalsAlone =
  'The only errors that cross in its scenarios of this revision refuse a Host and a session, and it does not read their bodies.';

/** Differences that were read, by the fault and what says more (`*`: whatever does): why the two differ. */
const read: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'result-and-error': {
    '*': oneCause,
    'basic-001':
      'The suite judges messages by the official schema, which lets a response have more members; JSON-RPC 2.0 (§5) does not let it have both.',
  },
  'any-revision-served': { '*': mismatchOfUnknown },
  'any-revision-served-as-an-old-one': { '*': mismatchOfUnknown },
  'code-as-text': { '*': oneCause, 'basic-015': refusalsAlone },
  'error-without-message': { 'basic-014': refusalsAlone },
  'notification-with-body': { 'http-014': any2xx },
  'notification-with-null': { 'http-014': any2xx },
  'shuffled-tools': {
    'sep-2243-server-accepts-whitespace-header-value':
      'The suite calls the first tool of the list, without arguments; which one that is changes here, and some are refused without.',
  },
  'undeclared-tools': { 'tools-001': 'The suite compares what is declared with what is there at 2026-07-28 alone.' },
  'remembers-capabilities': {
    '*': 'The suite leaves the capabilities out before it has sent any under that name, so that there is nothing to remember.',
  },
  'no-result-type': {
    'basic-021':
      'The suite looks at results that ask for input alone; that tools/list has none it finds by its schema.',
  },
  'name-with-spaces': {
    'sep-2243-server-accepts-whitespace-header-value':
      'The suite calls the first tool by the name that the list gives it, which the server does not have.',
  },
  'odd-header-name': {
    'sep-2243-server-decode-base64':
      'The suite calls the tool with a header of the name that it says, which is none; parley check, which calls no tool here, looks at base64 in Mcp-Name.',
  },
  'get-is-json': { 'server-sse-disconnect-resume': oneCause },
  'contents-without-uri': { 'resources-templates-read': oneCause },
  'missing-is-empty': {
    'resources-templates-read': ownContents,
    'resources-read-binary': ownContents,
    'resources-read-text': ownContents,
    'meta-016': discoverAlone,
  },
  'ping-lives': { 'meta-016': discoverAlone },
  nameless: { 'meta-016': discoverAlone },
  'logs-unasked': { 'logging-004': 'The suite looks at calls of a tool of its own alone; here a list is logged.' },
};

/** Tells why the two differ, where it was read. */
export function reasonFor(fault: string, id: string): string | undefined {
  return read[fault]?.[id] ?? read[fault]?.['*'];
}
