const oneCause =
  'One cause makes every response of this kind wrong. `parley check` reports one finding, and the suite fails each check that sees such a response.';
const ownContents =
  'The suite requires contents of its own resources. This part of the specification allows empty contents.';
const discoverAlone = 'The suite tests only the result of server/discover.';
const mismatchOfUnknown =
  'To test header and body, the suite uses a revision that the server does not support. The fault changes this revision before the comparison.';
const any2xx = 'The suite accepts any status from 200 to 299. The specification requires 202 and no body.';
const refusalsAlone =
  'The only errors in its scenarios of this revision refuse a Host or a session. The suite does not read their bodies.';

/** Differences that were read, by the fault and what says more (`*`: whatever does): why the two differ. */
const read: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'result-and-error': {
    '*': oneCause,
    'basic-001':
      'The suite validates messages with the official schema, which allows a response to have more members. JSON-RPC 2.0 (§5) does not allow a result and an error.',
  },
  'any-revision-served': { '*': mismatchOfUnknown },
  'any-revision-served-as-an-old-one': { '*': mismatchOfUnknown },
  'code-as-text': { '*': oneCause, 'basic-015': refusalsAlone },
  'error-without-message': { 'basic-014': refusalsAlone },
  'notification-with-body': { 'http-014': any2xx },
  'notification-with-null': { 'http-014': any2xx },
  'shuffled-tools': {
    'sep-2243-server-accepts-whitespace-header-value':
      'The suite calls the first tool of the list, without arguments. Here the first tool changes, and some tools refuse such a call.',
  },
  'undeclared-tools': { 'tools-001': 'The suite compares declared and existing features only at 2026-07-28.' },
  'remembers-capabilities': {
    '*': 'The suite omits the capabilities before it has sent any under that client name. The server has nothing to remember.',
  },
  'no-result-type': {
    'basic-021':
      'The suite tests only results that ask for input. Its schema check finds the missing field of tools/list.',
  },
  'name-with-spaces': {
    'sep-2243-server-accepts-whitespace-header-value':
      'The suite calls the first tool by its listed name, and the server has no tool with that name.',
  },
  'odd-header-name': {
    'sep-2243-server-decode-base64':
      'The suite calls the tool with a header of the listed name, which is invalid. `parley check` calls no tool here, and tests base64 only in Mcp-Name.',
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
  'logs-unasked': { 'logging-004': 'The suite tests only calls of its own tool. Here the server logs a list request.' },
};

/** Tells why the two differ, where it was read. */
export function reasonFor(fault: string, id: string): string | undefined {
  return read[fault]?.[id] ?? read[fault]?.['*'];
}
