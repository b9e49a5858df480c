/** Finding the authorization server of an MCP server. One flow obeys the rules of all revisions: they are a superset of each other. */

import { isSlashApart, meansIssuer } from '../common/issuer-name.ts';
import { hasFields } from '../common/fields.ts';
import { fetchDocument, patienceOf } from '../common/document.ts';
import { AuthorizationError } from '../common/errors.ts';
import {
  readResourceMetadata,
  readServerMetadata,
  type ResourceMetadata,
  type ServerMetadata,
} from '../common/metadata.ts';
import { canonicalResource, speaksFor } from '../common/resource-url.ts';
import { resourceMetadataUrls, serverMetadataUrls } from '../common/well-known.ts';
import { unlessAborted } from '../../storage/turns.ts';
import { fetching, limited, type Site } from './site.ts';

/** Findings about the authorization at a server. */
export interface Discovered {
  /** The identifier of the server as a resource, byte for byte as it is to be sent. */
  readonly resource: string;
  /** The scopes of the resource; `undefined` if it lists none. */
  readonly scopesSupported: readonly string[] | undefined;
  /** True when the resource takes no other tokens than those that are bound to a key. */
  readonly dpopRequired: boolean;
  /** The metadata of the authorization server. */
  readonly server: ServerMetadata;
  /** True if no metadata names the authorization endpoint: a default URL is tried. */
  readonly guesses?: boolean;
  /** True if the token endpoint is a default URL. */
  readonly guessesTokens?: boolean;
}

/** The longest that a discovery takes, in milliseconds. */
const maxMs = 30_000;

const what = { resource: 'the resource metadata', server: 'the authorization server metadata' };

/**
 * Finds the authorization server of a server, and its metadata. Every used part is checked.
 *
 * @param resourceMetadata The URL from a challenge. If set, no other URL is tried.
 * @param prefer Chooses among several issuers, if the options do not.
 * @param isPublished True if endpoints must not be guessed.
 * @throws AuthorizationError
 */
export function discoverServer(
  site: Site,
  {
    resourceMetadata,
    prefer,
    isPublished = false,
  }: {
    readonly resourceMetadata: string | undefined;
    prefer?(issuer: string): boolean;
    readonly isPublished?: boolean | undefined;
  },
  signal: AbortSignal,
): Promise<Discovered> {
  const ms = patienceOf(site.fetch, maxMs);
  const late = (): AuthorizationError =>
    new AuthorizationError(
      'server-error',
      `the authorization server of ${site.server.origin} was not found within ${ms / 1000} s`,
    );
  return limited({ ms, signal, late }, async (soon) => {
    const metadata = await resourceMetadataOf(site, resourceMetadata, soon);
    if (metadata === undefined) return told(site, await atRoot(site, isPublished, soon));
    const { resource } = metadata;
    if (!speaksFor(resource, site.server))
      throw new AuthorizationError(
        'resource-mismatch',
        `the resource metadata of ${site.server.origin}${site.server.pathname} speak for another resource, ${shownUrl(resource)}: nothing is sent`,
        { resource },
      );
    const issuer = await unlessAborted(chosenIssuer(site, metadata, prefer), soon);
    const { scopesSupported, dpopBoundAccessTokensRequired: dpopRequired } = metadata;
    return told(site, { resource, scopesSupported, dpopRequired, server: await serverOf(site, issuer, soon) });
  });
}

function told({ tell, server }: Site, found: Discovered): Discovered {
  tell({
    kind: 'discovered',
    server: `${server.origin}${server.pathname}`,
    issuer: found.server.issuer,
    resource: found.resource,
  });
  return found;
}

/**
 * Spec 2025-11-25, Authorization, Protected Resource Metadata Discovery Requirements: use the challenge's URL,
 * otherwise the well-known ones.
 */
async function resourceMetadataOf(
  site: Site,
  named: string | undefined,
  signal: AbortSignal,
): Promise<ResourceMetadata | undefined> {
  if (named !== undefined) {
    const found = await fetchDocument(named, what.resource, fetching(site, signal));
    if (found.value !== undefined) return readResourceMetadata(found.value, found.url);
    throw new AuthorizationError(
      'discovery',
      `the server names its resource metadata at ${shownUrl(named)}, which has none`,
      {
        status: found.status,
      },
    );
  }
  for (const url of resourceMetadataUrls(site.server)) {
    const found = await fetchDocument(url, what.resource, fetching(site, signal));
    if (isResourceMetadata(found.value)) return readResourceMetadata(found.value, url);
  }
  return undefined;
}

/**
 * True if a document at a well-known URL may be resource metadata: some servers answer every request with some object.
 */
export function isResourceMetadata(value: unknown): boolean {
  return hasFields(value) && (value['resource'] ?? value['authorization_servers']) !== undefined;
}

async function chosenIssuer(
  { options: { issuers } }: Site,
  { authorizationServers, resource }: Pick<ResourceMetadata, 'authorizationServers' | 'resource'>,
  prefer: (issuer: string) => boolean = () => false,
): Promise<string> {
  const first = authorizationServers.find(prefer) ?? authorizationServers[0];
  const isAllowed = (issuer: string): boolean =>
    !Array.isArray(issuers) || issuers.some((one) => meansIssuer(one, issuer));
  const chosen =
    typeof issuers === 'function'
      ? await issuers(authorizationServers)
      : first !== undefined && isAllowed(first)
        ? first
        : authorizationServers.find(isAllowed);
  if (chosen !== undefined && authorizationServers.includes(chosen)) return chosen;
  throw new AuthorizationError(
    'discovery',
    `the server has the authorization servers ${authorizationServers.map(shownUrl).join(', ')}, none of which the option issuers allows`,
    { resource },
  );
}

/**
 * The checked metadata of an authorization server.
 *
 * @throws AuthorizationError `issuer-mismatch` if they belong to another one, `discovery` if there are none.
 */
export async function serverOf(site: Site, issuer: string, signal: AbortSignal): Promise<ServerMetadata> {
  const said = saidOf(site, issuer);
  for (const url of serverMetadataUrls(issuer)) {
    const found = await fetchDocument(url, what.server, fetching(site, signal));
    if (found.value === undefined) continue;
    const value = hasFields(found.value) ? { ...found.value, ...said } : found.value;
    return checked(site, readServerMetadata(value, url), spelledIn(said, issuer));
  }
  const given = serverByHand(site, issuer);
  if (given !== undefined) return given;
  throw new AuthorizationError(
    'discovery',
    `the authorization server ${shownUrl(issuer)} publishes no metadata; give its endpoints with the option servers`,
    { issuer },
  );
}

/**
 * The checked metadata of an authorization server as the option `servers` has them, without asking it; `undefined` where they name
 * nowhere to get tokens.
 */
export function serverByHand(site: Site, issuer: string): ServerMetadata | undefined {
  const said = saidOf(site, issuer);
  if (said?.['token_endpoint'] === undefined) return undefined;
  return checked(site, readServerMetadata({ issuer, ...said }, issuer), spelledIn(said, issuer));
}

/** The issuer in the spelling of the user's setting, which allows a different final slash. */
function spelledIn(said: Readonly<Record<string, unknown>> | undefined, issuer: string): string {
  const given = said?.['issuer'];
  return typeof given === 'string' && isSlashApart(given, issuer) ? given : issuer;
}

function saidOf({ options: { servers = {} } }: Site, issuer: string): Readonly<Record<string, unknown>> | undefined {
  const key = Object.keys(servers).find((one) => meansIssuer(one, issuer));
  return key === undefined ? undefined : servers[key];
}

/**
 * Spec 2026-07-28, Authorization Server Metadata Discovery: the issuer must be identical, otherwise nothing of it may
 * be used.
 */
function checked({ rules }: Site, metadata: ServerMetadata, issuer: string): ServerMetadata {
  if (!sameIssuer(metadata.issuer, issuer)) {
    const words = isSlashApart(metadata.issuer, issuer)
      ? `name ${otherSlash(issuer, metadata.issuer)}`
      : `are those of another one, ${shownUrl(metadata.issuer)}: nothing of them is used`;
    throw new AuthorizationError(
      'issuer-mismatch',
      `the metadata of the authorization server ${shownUrl(issuer)} ${words}`,
      { issuer },
    );
  }
  const endpoints = {
    authorization: metadata.authorizationEndpoint,
    token: metadata.tokenEndpoint,
    registration: metadata.registrationEndpoint,
    revocation: metadata.revocationEndpoint,
    'device authorization': metadata.deviceAuthorizationEndpoint,
  };
  for (const [name, url] of Object.entries(endpoints))
    if (url !== undefined) rules.check(url, `the ${name} endpoint of ${shownUrl(issuer)}`);
  return metadata;
}

/** Message about an issuer with a different final slash, and the setting that allows it. */
export function otherSlash(issuer: string, own: string): string {
  return `the issuer ${shownUrl(own)}, which differs only by a final slash, so it is not used; if both are one server, allow it with servers: { '${shownUrl(issuer)}': { issuer: '${shownUrl(own)}' } }`;
}

/**
 * True if two texts name one issuer: they are identical. An issuer without a path may also differ in a final slash,
 * since both spellings lead to the same well-known URL.
 */
export function sameIssuer(one: string, other: string): boolean {
  return one === other || (one === `${other}/` && isBare(other)) || (other === `${one}/` && isBare(one));
}

function isBare(issuer: string): boolean {
  return /^https?:\/\/[^/?#]+$/.test(issuer);
}

/**
 * Spec 2025-03-26, Authorization, Server Metadata Discovery: a server may be its own authorization server, with
 * metadata at the root of its origin, or without metadata and with endpoints of fixed names. No other revision has
 * this.
 */
async function atRoot(site: Site, isPublished: boolean, signal: AbortSignal): Promise<Discovered> {
  const { server, atRoot: root, options } = site;
  const origin = server.origin;
  if (root === undefined) throw unpublished(origin);
  const resource = options.resource ?? canonicalResource(server);
  await unlessAborted(chosenIssuer(site, { authorizationServers: [origin], resource }), signal);
  const found = await fetchDocument(
    serverMetadataUrls(origin)[0] ?? origin,
    what.server,
    fetching(site, signal),
    // The only place that sends this header: elsewhere it would cost browsers a preflight.
    root.revision === undefined ? {} : { 'mcp-protocol-version': root.revision },
  );
  const said = saidOf(site, origin);
  const own = {
    resource,
    scopesSupported: undefined,
    dpopRequired: false,
  };
  if (hasFields(found.value) && found.value['issuer'] !== undefined)
    return { ...own, server: checked(site, readServerMetadata({ ...found.value, ...said }, origin), origin) };
  const guessesTokens = said?.['token_endpoint'] === undefined;
  if (isPublished && guessesTokens) throw unpublished(origin);
  const fixed = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // Without metadata no server lists this. That revision requires it of all.
    code_challenge_methods_supported: ['S256'],
  };
  const guesses = said?.['authorization_endpoint'] === undefined;
  // The option `servers` may name endpoints elsewhere.
  const metadata = checked(site, readServerMetadata({ ...fixed, ...said }, origin), spelledIn(said, origin));
  return { ...own, guesses, guessesTokens, server: metadata };
}

function unpublished(origin: string): AuthorizationError {
  return new AuthorizationError(
    'discovery',
    `${origin} wants authorization but publishes no resource metadata, which name the authorization server; its operator must add them`,
  );
}

/** A URL of a stranger as it may be shown: without its query, in which there may be a key. */
export function shownUrl(text: string): string {
  return (text.split(/[?#]/, 1)[0] ?? '').slice(0, 200).replaceAll(/[^\x21-\x7e]/g, '?');
}
