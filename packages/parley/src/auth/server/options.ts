/** The options of `protect`, and their defaults. */

import type { Fetch } from '../../jsonrpc/fetch.ts';
import type { FetchContext } from '../common/document.ts';
import { isLoopback, networkRules, type NetworkOptions } from '../common/network.ts';
import { isScope } from '../common/scopes.ts';
import type { HttpRequest } from '../../server/runtime/protection.ts';
import { harmless } from '../../options/harmless.ts';
import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseNoNumber, refuseOther } from '../../options/known-values.ts';
import { shown } from '../../options/shown.ts';
import { audienceOf, type Audience } from './audience.ts';
import { resolveDpop, type DpopOptions, type DpopSettings } from './dpop/options.ts';
import type { ExchangeOptions } from './exchange/exchange.ts';
import { resolveIssuers, type IssuerOptions, type IssuerSettings } from './issuer-options.ts';

/** Claims of a token, as its issuer wrote them. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Verifies a token that neither keys nor introspection can. Its result is cached for a minute, for every request with
 * this token. If it takes more than 30 seconds, or throws, the answer is a 503.
 *
 * @returns The claims, whose audience is then checked; `undefined` if the token is not valid.
 */
export type VerifyToken = (
  token: string,
  about: { readonly scheme: 'Bearer' | 'DPoP'; readonly request: HttpRequest },
) => Claims | undefined | Promise<Claims | undefined>;

/** Limit of refused tokens that one address may send. */
export interface FailureLimit {
  /** 20 by default. */
  readonly perSecond: number;
  /** Number that may come at once; 100 by default. */
  readonly burst: number;
}

/** Options of `protect`. `resource`, and `issuers` or `verify`, must be given. */
export interface ProtectOptions {
  /** The URL by which clients know the server, with its path; metadata and the audience of tokens have it. (RFC 8707, RFC 9728.) */
  readonly resource: string;
  /**
   * The authorization servers whose tokens are accepted: JWTs by their keys, others by introspection. Clocks may differ
   * by 30 seconds.
   */
  readonly issuers?: readonly (string | IssuerOptions)[];
  /** Verifies tokens instead of `issuers`. Then `authorizationServers` names the sign-in for clients. */
  readonly verify?: VerifyToken;
  /** The issuers in the metadata, if they differ from `issuers`. */
  readonly authorizationServers?: readonly string[];
  /** The scopes that every request needs. The metadata advertises them. None by default. */
  readonly scopes?: readonly string[];
  /** Audiences of which a token must have one; `resource` by default, with and without a slash at its end. */
  readonly audience?: string | readonly string[];
  /** The claim that names the audience; `aud`. */
  readonly audienceClaim?: string;
  /** The scopes that another one contains. */
  readonly implies?: Readonly<Record<string, readonly string[]>> | ((scope: string) => readonly string[]);
  /** Takes tokens that are bound to a key, with a proof of it. (RFC 9449.) Not taken by default. */
  readonly dpop?: DpopOptions | boolean;
  /**
   * The methods that may be called without a token, by POST; none by default. Clients of a session need `initialize`
   * and `notifications/initialized` in addition to the methods themselves, such as `tools/list`.
   */
  readonly anonymous?: readonly string[];
  /**
   * Names the principal of a token; `undefined` refuses it with 403. By default the issuer with `sub`, otherwise with
   * the client.
   */
  readonly principal?: (claims: Claims) => string | undefined;
  /** Lets handlers get tokens for other APIs by `ctx.auth.exchange`. (RFC 8693.) */
  readonly exchange?: ExchangeOptions;
  /**
   * True to serve the authorization server's metadata at the root of this server's origin, where clients of 2025-03-26
   * look for it. By default true if a supported revision knows no other place, and the only issuer is on another
   * origin.
   */
  readonly mirrorMetadata?: boolean;
  /** Serves metadata at the root of the origin too, for an origin with one resource; true. */
  readonly metadataAtRoot?: boolean;
  /** More of the metadata, such as `resource_name` and `resource_documentation`. (RFC 9728, section 2.) */
  readonly metadata?: Claims;
  /**
   * Limit of rejected tokens of one address, beyond which it gets 429 for a while. Tokens that are verified already
   * still pass.
   */
  readonly failures?: Partial<FailureLimit>;
  /** Rules of where keys, metadata and introspection may lie. */
  readonly network?: NetworkOptions;
  /** Function that fetches them; the `fetch` of the platform by default. */
  readonly fetch?: Fetch;
  /** The time, in milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
  /** Receives the reason why keys or introspection are out of reach; written to standard error by default. */
  readonly onError?: (error: unknown) => void;
}

/** The options with their defaults filled in. */
export interface ProtectSettings {
  readonly resource: URL;
  /** Byte for byte as it was given. */
  readonly resourceText: string;
  readonly issuers: readonly IssuerSettings[];
  readonly verify: VerifyToken | undefined;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[];
  readonly audience: Audience;
  readonly implies: (scope: string) => readonly string[];
  /** The scopes that are named in `implies`. */
  readonly implied: readonly string[];
  readonly dpop: DpopSettings | undefined;
  readonly anonymous: ReadonlySet<string>;
  readonly principal: ((claims: Claims) => string | undefined) | undefined;
  readonly exchange: ExchangeOptions | undefined;
  readonly mirrorMetadata: boolean | undefined;
  readonly metadataAtRoot: boolean;
  readonly metadata: Claims;
  readonly failures: FailureLimit;
  readonly fetching: Omit<FetchContext, 'signal'>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const names: Names<ProtectOptions> = {
  resource: 1,
  issuers: 1,
  verify: 1,
  authorizationServers: 1,
  scopes: 1,
  audience: 1,
  audienceClaim: 1,
  implies: 1,
  dpop: 1,
  anonymous: 1,
  principal: 1,
  exchange: 1,
  mirrorMetadata: 1,
  metadataAtRoot: 1,
  metadata: 1,
  failures: 1,
  network: 1,
  fetch: 1,
  now: 1,
  onError: 1,
};

/** @throws TypeError for options that are unknown, make no sense, or leave an audience unchecked. */
export function resolveProtectOptions(options: ProtectOptions): ProtectSettings {
  refuseUnknown('protect', options, names);
  for (const name of ['verify', 'principal', 'fetch', 'now', 'onError'] as const)
    refuseOther('function', name, options[name]);
  for (const name of ['mirrorMetadata', 'metadataAtRoot'] as const) refuseOther('boolean', name, options[name]);
  checkNested(options);
  const { verify, implies = {}, failures = {} } = options;
  const resource = resourceOf(options.resource);
  if ((options.issuers === undefined) === (verify === undefined))
    throw new TypeError('protect needs issuers, or verify in their place');
  const issuers = resolveIssuers(options.issuers ?? [], options.audienceClaim);
  const scopes = scopeList('scopes', options.scopes ?? []);
  const fetch = options.fetch ?? ((url, request) => globalThis.fetch(url, request));
  return {
    resource,
    resourceText: options.resource,
    issuers,
    verify,
    authorizationServers: serversOf(options, issuers),
    scopes,
    audience: audienceOf(options.resource, options),
    implies:
      typeof implies === 'function'
        ? implies
        : (scope) => (Object.hasOwn(implies, scope) ? (implies[scope] ?? []) : []),
    implied:
      typeof implies === 'function' ? [] : Object.entries(implies).flatMap(([scope, others]) => [scope, ...others]),
    dpop: resolveDpop(options.dpop, resource),
    anonymous: new Set(options.anonymous),
    principal: options.principal,
    exchange: options.exchange,
    mirrorMetadata: options.mirrorMetadata,
    metadataAtRoot: options.metadataAtRoot ?? true,
    metadata: options.metadata ?? {},
    failures: { perSecond: failures.perSecond ?? 20, burst: failures.burst ?? 100 },
    fetching: { fetch, rules: networkRules(resource, options.network) },
    now: options.now ?? Date.now,
    onError: seldom(harmless(options.onError ?? ((error) => console.error(error))), options.now ?? Date.now),
  };
}

/** @throws TypeError for parts of options that are unknown, or of another type than they must be. */
function checkNested({ failures, network, metadata, anonymous, implies }: ProtectOptions): void {
  refuseUnknown('failures', failures, { perSecond: 1, burst: 1 });
  for (const name of ['perSecond', 'burst'] as const) refuseNoNumber(`failures.${name}`, failures?.[name]);
  refuseUnknown('network', network, { allow: 1 });
  refuseUnknown('metadata', metadata, metadata ?? {});
  const isNamed = anonymous === undefined || (Array.isArray(anonymous) && anonymous.every(isText));
  if (!isNamed)
    throw new TypeError(`anonymous must be a list of methods such as ['tools/list'], not ${shown(anonymous)}`);
  if (implies === undefined || typeof implies === 'function') return;
  refuseUnknown('implies', implies, implies);
  for (const [scope, others] of Object.entries(implies)) scopeList(`implies[${shown(scope)}]`, others);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Time for which the same failure is not reported again, in milliseconds, and number of remembered failures. */
const quietMs = 60_000;
const maxKnown = 32;

/** Reports each failure once a minute, since every request meets it. */
function seldom(tell: (error: unknown) => void, now: () => number): (error: unknown) => void {
  const told = new Map<string, number>();
  return (error) => {
    const kind = error instanceof Error ? error.message : String(error);
    const time = now();
    const since = time - (told.get(kind) ?? Number.NEGATIVE_INFINITY);
    // After the clock was set back, the elapsed time is unknown.
    if (since >= 0 && since < quietMs) return;
    if (told.size >= maxKnown) told.clear();
    told.set(kind, time);
    tell(error);
  };
}

/** RFC 8707, section 2: an absolute URL without a fragment. */
function resourceOf(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.password === '' && !/[?#]/.test(String(text));
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isPlain || !isSafe)
    throw new TypeError(
      `resource must be the https: URL by which clients reach the server, such as 'https://mcp.example.com/mcp' (http: on this machine), not ${shown(text)}`,
    );
  return url;
}

function serversOf({ authorizationServers }: ProtectOptions, issuers: readonly IssuerSettings[]): readonly string[] {
  const servers = authorizationServers ?? issuers.map(({ issuer }) => issuer);
  if (!Array.isArray(servers) || servers.length === 0 || !servers.every((server) => URL.canParse(String(server))))
    throw new TypeError(
      "authorizationServers must name who issues the tokens that verify takes, such as ['https://login.example.com']: metadata must have one",
    );
  return servers;
}

function scopeList(name: string, scopes: unknown): readonly string[] {
  if (!Array.isArray(scopes) || !scopes.every(isScope))
    throw new TypeError(`${name} must be a list of scopes such as ['mcp:basic'], not ${shown(scopes)}`);
  return scopes;
}
