import type { Fetch } from '../../../../../parley/src/jsonrpc/fetch.ts';
import { timeLeft, atMost, type TimeLeft } from '../time-left.ts';
import { parseChallenges } from '../../../../../parley/src/auth/common/challenge.ts';
import { AuthorizationError } from '../../../../../parley/src/auth/common/errors.ts';
import { networkRules } from '../../../../../parley/src/auth/common/network.ts';
import { resourceMetadataUrls, serverMetadataUrls } from '../../../../../parley/src/auth/common/well-known.ts';
import { guardedFetch } from '../../../../../parley/src/transports/node/login/guarded-fetch.ts';
import { isResourceMetadata } from '../../../../../parley/src/auth/client/discovery.ts';
import { limited } from '../../../../../parley/src/auth/client/site.ts';
import { revisions } from '../../../../../parley/src/protocol/revision.ts';
import type { SeenRefusal } from '../wire.ts';
import { clientsOf } from './clients.ts';
import { textField, textsField } from './document.ts';
import type { FoundResource, FoundServer, Findings } from './findings.ts';
import { Looker, type UrlLookup, type Sought } from './look.ts';
import { waysToRegister } from './registration-ways.ts';
import type { AuthorizationExplained, ExplainedLook, ExplainedRefusal } from './report.ts';
import { brokenRules } from './rules.ts';
import { createTrace } from './trace.ts';

/** Options of explaining the authorization at a server. */
export interface AuthorizationSearch {
  /** The URL of the server. */
  readonly server: URL;
  /** Its refusals of earlier requests. */
  readonly refusals: readonly SeenRefusal[];
  /** The longest wait for an answer, in milliseconds; five times as long for all of them, and 30 seconds by default and at most. */
  readonly timeoutMs: number | undefined;
  /** Rest of the time of the command; without limit by default. */
  readonly left?: TimeLeft;
  /** True when everything exchanged is kept. */
  readonly wire: boolean;
  readonly signal: AbortSignal;
  /** Function that sends the requests; by default one that reaches into no inner network. */
  readonly fetch?: Fetch;
}

/** Time limit of the whole search, in milliseconds: that of a client. */
const maxMs = 30_000;

/** The most authorization servers that are looked at. */
const maxServers = 5;

/**
 * Finds out how a server is authorized: reads its metadata and that of its authorization servers, without a sign-in and
 * without storing anything. The credentials of the command line are not sent.
 *
 * @returns `undefined` if a refusal does not concern authorization.
 * @throws The reason of the signal.
 */
export async function explainAuthorization(options: AuthorizationSearch): Promise<AuthorizationExplained | undefined> {
  const { server, signal, wire } = options;
  const refusals = distinct(options.refusals).map(explainedRefusal);
  const rules = networkRules(server);
  const trace = createTrace(options.fetch ?? guardedFetch().within(rules));
  const ms = atMost(options.left ?? timeLeft(), Math.min(maxMs, 5 * (options.timeoutMs ?? maxMs)));
  const late = (): AuthorizationError => new AuthorizationError('server-error', `not looked at within ${ms} ms`);
  const found = await limited({ ms, signal, late }, async (soon) => {
    const looker = new Looker({ rules, signal: soon }, trace);
    const resource = await resourceOf(server, refusals, looker);
    const root = await rootOf(server, looker);
    return { resource, root, ...(await serversOf(server, { resource, root, looker })) };
  });
  signal.throwIfAborted();
  const findings: Findings = { server, rules, refusals, ...found };
  if (!wantsAuthorization(findings)) return undefined;
  const { resource, root, servers, moreServers } = findings;
  const { foundBy, document } = resource;
  const explained: AuthorizationExplained = {
    refusals,
    resourceMetadata: {
      looked: resource.looked.map(shown),
      ...(foundBy === undefined ? {} : { foundBy }),
      ...(document === undefined ? {} : { document }),
    },
    servers: servers.map((one) => ({
      issuer: one.issuer,
      namedBy: one.namedBy,
      looked: one.looked.map(shown),
      ...(one.document === undefined ? {} : { document: one.document }),
      registration: waysToRegister(one),
    })),
    moreServers,
    root: shown(root),
    clients: clientsOf(findings),
    broken: brokenRules(findings),
    ...(wire ? { wire: trace.entries } : {}),
  };
  return withoutSearch(explained, server);
}

/** A 403 alone may be anybody's: a firewall's, or that of a server that does not know our name for it. */
function wantsAuthorization({ refusals, resource, root }: Findings): boolean {
  return (
    refusals.some(({ status, header }) => status === 401 || header !== undefined) ||
    resource.document !== undefined ||
    root.outcome === 'found'
  );
}

function distinct(refusals: readonly SeenRefusal[]): readonly SeenRefusal[] {
  return [...new Map(refusals.map((refusal) => [JSON.stringify(refusal), refusal])).values()];
}

function explainedRefusal({ status, withCredentials, header }: SeenRefusal): ExplainedRefusal {
  const challenges = parseChallenges(header);
  return { status, withCredentials, ...(header === undefined ? {} : { header }), challenges };
}

/** The URL that a challenge names, beside which clients ask no other; where nothing is there, explain looks at the others too. */
async function resourceOf(server: URL, refusals: readonly ExplainedRefusal[], looker: Looker): Promise<FoundResource> {
  const what = 'the resource metadata';
  const named = refusals
    .flatMap(({ challenges }) => challenges.map(({ parameters }) => parameters['resource_metadata']))
    .find((url) => url !== undefined);
  const byChallenge = named === undefined ? [] : await looker.search([named], { what, fits: () => true });
  const first = byChallenge.find(({ outcome }) => outcome === 'found');
  if (first !== undefined) return { named, looked: byChallenge, foundBy: 'challenge', document: first.document };
  const urls = resourceMetadataUrls(server).filter((url) => url !== named);
  const others = await looker.search(urls, { what, fits: isResourceMetadata });
  const looked = [...byChallenge, ...(named === undefined ? others : others.map(beyond))];
  const document = others.find(({ outcome }) => outcome === 'found')?.document;
  return document === undefined ? { named, looked } : { named, looked, foundBy: 'well-known', document };
}

const whatServer = 'the authorization server metadata';

/** At the root there may be anything. */
const namesIssuer: Sought['fits'] = (one) => textField(one, 'issuer') !== undefined;

/** Spec 2025-03-26, Authorization, Server Metadata Discovery. */
async function rootOf(server: URL, looker: Looker): Promise<UrlLookup> {
  const [url = server.origin] = serverMetadataUrls(server.origin);
  const revision = revisions.find(({ authorizationAtRoot }) => authorizationAtRoot)?.date;
  const headers = revision === undefined ? {} : { 'mcp-protocol-version': revision };
  return await looker.look(url, { what: whatServer, headers, fits: namesIssuer });
}

interface Known {
  readonly resource: FoundResource;
  readonly root: UrlLookup;
  readonly looker: Looker;
}

async function serversOf(
  server: URL,
  { resource, root, looker }: Known,
): Promise<{ readonly servers: readonly FoundServer[]; readonly moreServers: number }> {
  if (resource.document === undefined) {
    if (root.outcome !== 'found') return { servers: [], moreServers: 0 };
    const { document } = root;
    return { servers: [{ issuer: server.origin, namedBy: 'server-root', looked: [root], document }], moreServers: 0 };
  }
  const issuers = [...new Set(textsField(resource.document, 'authorization_servers'))];
  const servers: FoundServer[] = [];
  for (const issuer of issuers.slice(0, maxServers)) servers.push(await serverOf(issuer, looker));
  return { servers, moreServers: Math.max(0, issuers.length - maxServers) };
}

async function serverOf(issuer: string, looker: Looker): Promise<FoundServer> {
  const namedBy = 'resource-metadata';
  if (!URL.canParse(issuer)) return { issuer, namedBy, looked: [] };
  const urls = serverMetadataUrls(issuer);
  const looked = await looker.search(urls, { what: whatServer, fits: () => true });
  const document = looked.find(({ outcome }) => outcome === 'found')?.document;
  if (document !== undefined) return { issuer, namedBy, looked, document };
  if (looked.some(({ outcome }) => outcome !== 'absent')) return { issuer, namedBy, looked };
  // A place where operators put them by mistake, and clients do not look.
  const others = serverMetadataUrls(new URL(issuer).origin).filter((url) => !urls.includes(url));
  const more = await looker.search(others, { what: whatServer, fits: namesIssuer });
  return { issuer, namedBy, looked: [...looked, ...more.map(beyond)] };
}

function beyond(look: UrlLookup): UrlLookup {
  return { ...look, beyond: true };
}

/** The document itself is shown once, beside what was looked at. */
function shown({ document: _, ...look }: UrlLookup): ExplainedLook {
  return look;
}

/** Takes the query of the server's URL out of every text: it may hold a secret, and the metadata of a path repeat it. */
function withoutSearch(value: AuthorizationExplained, { search }: URL): AuthorizationExplained {
  if (search.length < 2) return value;
  // Texts are replaced by texts, so that the shape stays.
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? part.replaceAll(search, '?…') : part,
  ) as AuthorizationExplained;
}
