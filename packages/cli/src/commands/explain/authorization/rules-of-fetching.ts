import type { Findings } from './findings.ts';
import type { UrlLookup } from './look.ts';
import type { PublishedRule } from './rule.ts';

/** The relevant requests. The one at the root counts only if no metadata names the authorization server. */
function looksOf({ resource, servers, root }: Findings): readonly UrlLookup[] {
  const looked = [...resource.looked, ...servers.flatMap((server) => server.looked)];
  const all = resource.document === undefined ? [...looked, root] : looked;
  return [...new Set(all)].filter((look) => look.beyond !== true);
}

const source = 'RFC 9728, section 3.2; RFC 8414, section 3.2';

/** Rules of the answers in which metadata come. */
export const fetchingRules: readonly PublishedRule[] = [
  {
    id: 'metadata-html',
    stops: false,
    client: 'takes it for nothing, and looks at the next URL',
    source,
    test: (findings) =>
      looksOf(findings).flatMap(({ url, status, outcome, problem, contentType = 'no type' }) =>
        outcome === 'absent' && status === 200 && problem === 'no JSON'
          ? [`${url} answers with 200 and ${contentType}`]
          : [],
      ),
  },
  {
    id: 'metadata-other-json',
    stops: false,
    client: 'takes it for nothing, and looks at the next URL',
    source,
    test: (findings) =>
      looksOf(findings).flatMap(({ url, status, outcome, problem }) =>
        outcome === 'absent' && status === 200 && problem !== 'no JSON'
          ? [`${url} answers with 200 and ${problem}`]
          : [],
      ),
  },
  {
    id: 'metadata-media-type',
    stops: false,
    client: 'reads it all the same; strict ones do not',
    source,
    test: (findings) =>
      looksOf(findings).flatMap(({ url, outcome, contentType }) =>
        outcome === 'found' && !/^application\/json\s*(?:;|$)/i.test(contentType ?? '')
          ? [`${url} is ${contentType === undefined ? 'of no type' : contentType}, and not application/json`]
          : [],
      ),
  },
  {
    id: 'metadata-redirected',
    stops: false,
    client: 'follows three redirects within the origin; strict ones follow none',
    source,
    test: (findings) =>
      looksOf(findings).flatMap(({ url, outcome, redirects = [] }) =>
        redirects.length > 0 && outcome !== 'failed' ? [`${url} redirects to ${redirects.join(', then ')}`] : [],
      ),
  },
  {
    id: 'metadata-redirected-elsewhere',
    stops: true,
    client: 'does not follow, and stops',
    source,
    test: (findings) =>
      looksOf(findings).flatMap(({ url, outcome, redirects = [] }) =>
        redirects.length > 0 && outcome === 'failed' ? [`${url} redirects to ${redirects.join(', then ')}`] : [],
      ),
  },
  {
    id: 'metadata-out-of-reach',
    stops: true,
    client: 'stops, and tries again later: it says nothing about what is there',
    source,
    test: (findings) =>
      looksOf(findings).flatMap(({ outcome, redirects, problem }) =>
        outcome === 'failed' && redirects === undefined && problem !== undefined ? [problem] : [],
      ),
  },
  {
    id: 'metadata-guarded',
    stops: false,
    client: 'takes it for nothing, and looks at the next URL',
    source: 'RFC 9728, section 3.1; RFC 8414, section 3.1',
    test: (findings) =>
      looksOf(findings).flatMap(({ url, status }) =>
        status === 401 || status === 403 ? [`${url} wants authorization itself: HTTP ${status}`] : [],
      ),
  },
];
