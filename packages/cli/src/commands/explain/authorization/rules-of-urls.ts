import { AuthorizationError } from '../../../../../parley/src/auth/common/errors.ts';
import { textField, textsField } from './document.ts';
import type { Findings } from './findings.ts';
import { withoutQuery } from './look.ts';
import { cited, type PublishedRule } from './rule.ts';

/** A published URL. */
interface Named {
  /** Name of the thing, as a person would say it. */
  readonly what: string;
  readonly url: string;
}

/** The endpoints to which a client sends requests or users. */
const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'];

function issuersOf({ resource, servers }: Findings): readonly string[] {
  return resource.document === undefined
    ? servers.map(({ issuer }) => issuer)
    : (textsField(resource.document, 'authorization_servers') ?? []);
}

/** URLs that a client would fetch, or send a user to. */
function urlsOf(findings: Findings): readonly Named[] {
  const { resource, servers } = findings;
  const issuers = issuersOf(findings).map((url) => ({ what: 'the authorization server', url }));
  const ofServers = servers.flatMap(({ document }) =>
    endpoints.flatMap((name) => {
      const url = textField(document, name);
      return url === undefined ? [] : [{ what: name, url }];
    }),
  );
  const named = resource.named === undefined ? [] : [{ what: 'resource_metadata', url: resource.named }];
  return [...named, ...issuers, ...ofServers];
}

/** The refusal of a URL by the rules of where requests may go. */
function refusalOf({ what, url }: Named, { rules }: Pick<Findings, 'rules'>): AuthorizationError | undefined {
  try {
    rules.check(url, what);
    return undefined;
  } catch (error) {
    if (error instanceof AuthorizationError) return error;
    throw error;
  }
}

/** Errors of names that lead into internal networks, which is known only when connecting. */
function namesRefused({ resource, servers, rules }: Findings): readonly string[] {
  return [...resource.looked, ...servers.flatMap(({ looked }) => looked)].flatMap(({ url, reason, problem = '' }) =>
    reason === 'address-refused' && refusalOf({ what: 'it', url }, { rules }) === undefined ? [problem] : [],
  );
}

/** Rules of URLs that are published. */
export const urlRules: readonly PublishedRule[] = [
  {
    id: 'url-malformed',
    stops: true,
    client: 'uses nothing that is no absolute URL',
    source: 'RFC 9728, section 2; RFC 8414, section 2',
    test: (findings) =>
      urlsOf(findings).flatMap(({ what, url }) => (URL.canParse(url) ? [] : [`${what} is not a URL: ${cited(url)}`])),
  },
  {
    id: 'url-insecure',
    stops: true,
    client: 'fetches nothing by http:, but for a server of its own machine',
    source: 'spec 2025-11-25, Authorization, Communication Security; RFC 9728, section 7.1',
    test: (findings) =>
      urlsOf(findings).flatMap((named) =>
        URL.canParse(named.url) && refusalOf(named, findings)?.reason === 'insecure-url'
          ? [`${named.what} is ${cited(withoutQuery(named.url))}, which is no https: URL without credentials`]
          : [],
      ),
  },
  {
    id: 'address-inner',
    stops: true,
    client: "sends nothing there: no stranger's document leads into the networks of its machine",
    source: 'RFC 9728, section 7.7',
    test: (findings) => [
      ...urlsOf(findings).flatMap((named) =>
        refusalOf(named, findings)?.reason === 'address-refused'
          ? [`${named.what} is ${cited(withoutQuery(named.url))}, inside a network`]
          : [],
      ),
      ...namesRefused(findings),
    ],
  },
  {
    id: 'issuer-with-query',
    stops: false,
    client: 'looks as if the query and the fragment were not there',
    source: 'RFC 8414, section 2',
    test: (findings) =>
      issuersOf(findings).flatMap((issuer) =>
        URL.canParse(issuer) && /[?#]/.test(issuer)
          ? [`the authorization server ${cited(withoutQuery(issuer))} has a query or a fragment`]
          : [],
      ),
  },
  {
    id: 'two-slashes',
    stops: false,
    client: 'uses the URL as it is, where most servers have nothing',
    source: 'RFC 9728, section 3.1; RFC 8414, section 3.1',
    test: (findings) => {
      const resource = textField(findings.resource.document, 'resource');
      const all = [...(resource === undefined ? [] : [{ what: 'resource', url: resource }]), ...urlsOf(findings)];
      return all.flatMap(({ what, url }) =>
        URL.canParse(url) && new URL(url).pathname.includes('//')
          ? [`${what} has two slashes in its path, as if two parts were joined badly: ${cited(withoutQuery(url))}`]
          : [],
      );
    },
  },
];
