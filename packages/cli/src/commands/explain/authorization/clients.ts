import { serverMetadataUrls } from '../../../../../parley/src/auth/common/well-known.ts';
import { speaksFor } from '../../../../../parley/src/auth/common/resource-url.ts';
import { sameIssuer } from '../../../../../parley/src/auth/client/discovery.ts';
import { revisions, type Revision } from '../../../../../parley/src/protocol/revision.ts';
import { textField } from './document.ts';
import type { Findings, FoundServer } from './findings.ts';
import { withoutQuery, type UrlLookup } from './look.ts';
import type { ExplainedClient } from './report.ts';

type Verdict = Pick<ExplainedClient, 'outcome' | 'why'>;

/** Outcome for clients of each revision, newest first. */
export function clientsOf(findings: Findings): readonly ExplainedClient[] {
  return revisions.toReversed().map((revision) => ({ revision: revision.date, ...verdictOf(revision, findings) }));
}

function verdictOf(revision: Revision, findings: Findings): Verdict {
  const { resourceMetadata, authorizationAtRoot } = revision;
  if (resourceMetadata) return byResourceMetadata(revision, findings);
  if (authorizationAtRoot) return atRoot(findings);
  return { outcome: 'none', why: 'knows no authorization: a token has to be given to the client (--header)' };
}

/** Spec 2025-03-26, Authorization, Authorization Base URL: the server itself, or what it publishes at the root of its origin. */
function atRoot({ server, root }: Findings): Verdict {
  if (root.outcome !== 'found')
    return {
      outcome: 'perhaps',
      why: `no metadata at the root of ${server.origin}: it has /authorize, /token and /register there, or nothing is found`,
    };
  const issuer = textField(root.document, 'issuer') ?? '';
  if (sameIssuer(issuer, server.origin)) return { outcome: 'found', why: `at the root of ${server.origin}` };
  return {
    outcome: 'perhaps',
    why: `the metadata at the root are those of ${withoutQuery(issuer)}, which careful clients refuse`,
  };
}

function byResourceMetadata(revision: Revision, findings: Findings): Verdict {
  const { server, resource, root } = findings;
  const { document, foundBy, named } = resource;
  if (named !== undefined && foundBy !== 'challenge' && stopAmong(resource.looked.slice(0, 1)) === undefined)
    return {
      outcome: 'not-found',
      why: 'there is no resource metadata at the URL of the challenge, and no other URL is tried',
    };
  const stop = stopAmong(resource.looked);
  if (stop !== undefined) return { outcome: 'not-found', why: stop };
  if (document === undefined) {
    if (revision.authorizationAtRoot && root.outcome === 'found')
      return {
        outcome: 'perhaps',
        why: `no resource metadata; clients that know older servers look at the root of ${server.origin}`,
      };
    return { outcome: 'not-found', why: 'no resource metadata' };
  }
  const identifier = textField(document, 'resource');
  if (identifier === undefined)
    return { outcome: 'not-found', why: 'the resource metadata do not say of which resource they are' };
  if (!speaksFor(identifier, server))
    return { outcome: 'not-found', why: `the resource metadata are those of ${withoutQuery(identifier)}` };
  const judged = findings.servers.map((one) => [one, problemOf(one, revision, findings)] as const);
  const [first] = judged;
  if (first === undefined) return { outcome: 'not-found', why: 'the resource metadata name no authorization server' };
  const good = judged.find(([, problem]) => problem === undefined)?.[0];
  if (good === undefined) return { outcome: 'not-found', why: first[1] ?? '' };
  if (good !== first[0])
    return { outcome: 'perhaps', why: `${good.issuer}, if it takes that in place of the first: ${first[1] ?? ''}` };
  if (foundBy === 'well-known' && !revision.wellKnownResourceMetadata)
    return { outcome: 'perhaps', why: `${good.issuer}, if it looks at the well-known URL: no challenge names one` };
  return { outcome: 'found', why: good.issuer };
}

/** The failure at which clients stop, before they come to what explain may have found after it. */
function stopAmong(looked: readonly UrlLookup[]): string | undefined {
  const stop = looked.find(({ outcome }) => outcome !== 'absent');
  return stop === undefined || stop.outcome === 'found'
    ? undefined
    : (stop.problem ?? `nothing can be had at ${stop.url}`);
}

/** The reason for which clients do not use an authorization server; `undefined` where they do. */
function problemOf(found: FoundServer, { openIdDiscovery }: Revision, { rules }: Findings): string | undefined {
  const { issuer, looked, document } = found;
  if (!URL.canParse(issuer)) return `${issuer.slice(0, 200)} is not a URL`;
  const stop = stopAmong(looked);
  if (stop !== undefined) return stop;
  if (document === undefined) return `no metadata of ${issuer}`;
  const own = textField(document, 'issuer');
  if (own === undefined || !sameIssuer(own, issuer))
    return `the metadata of ${issuer} are those of ${own === undefined ? 'nobody' : withoutQuery(own)}`;
  const [plain] = serverMetadataUrls(issuer);
  const at = looked.find(({ outcome }) => outcome === 'found')?.url;
  if (!openIdDiscovery && at !== plain)
    return `${issuer} has metadata of OpenID Connect alone, for which it does not look`;
  for (const name of ['authorization_endpoint', 'token_endpoint']) {
    const url = textField(document, name);
    if (url === undefined) return `the metadata of ${issuer} have no ${name}`;
    try {
      rules.check(url, name);
    } catch {
      return `${name} of ${issuer} is none that a client uses`;
    }
  }
  return undefined;
}
