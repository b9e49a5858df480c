/** The identity of a bridge's clients at the servers behind it, and its consequences for serving. */

import type { Authorization } from '../auth/common/authorizer.ts';
import type { UpstreamIdentityPolicy, Exposure } from '../server/runtime/request-handler.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import { refuseUnknown, type Names } from '../options/known-names.ts';
import { refuseOther } from '../options/known-values.ts';
import { shown } from '../options/shown.ts';
import type { BridgeOptions, UpstreamOptions } from './options.ts';
import type { ExchangeUpstream } from './principals/exchange-options.ts';
import type { PerPrincipalUpstream } from './principals/sign-in-options.ts';
import type { UpstreamSignIn } from './principals/sign-in.ts';

/** Authorization at an upstream: a token, a function that gives one, or what `oauth()` and its kin make. */
export type UpstreamCredentials =
  | string
  | ((about: { readonly refused: boolean }) => string | Promise<string>)
  | Authorization;

/**
 * The identity of the clients of a bridge at the server behind it.
 *
 * - `service`: one shared identity, by `auth` or by the transport's credentials.
 * - `exchange`: each client's own, by a token that the bridge gets in exchange for theirs. `protect` then needs
 *   `exchange`.
 * - `{ as: 'per-principal', … }`: each user's own at that server. Every user signs in through a page of the bridge.
 */
export type UpstreamAuth = 'service' | 'exchange' | ExchangeUpstream | PerPrincipalUpstream;

/** The choice for one upstream, with the facts that follow. */
export type UpstreamIdentity =
  /** All clients are the same there: there are no credentials, or those that were chosen to be shared. */
  | { readonly kind: 'one'; readonly auth: UpstreamCredentials | undefined; readonly isService: boolean }
  /** The owner of the credentials was not chosen. */
  | {
      readonly kind: 'undecided';
      readonly auth: UpstreamCredentials | undefined;
      readonly whose: 'person' | 'credentials';
    }
  | { readonly kind: 'exchange'; readonly options: ExchangeUpstream }
  | {
      readonly kind: 'per-principal';
      readonly upstream: URL;
      readonly options: PerPrincipalUpstream;
      /** Signs users in. Created when the bridge is served. */
      signIn(): UpstreamSignIn;
    };

const exchangeNames: Names<ExchangeUpstream> = { as: 1, audience: 1, resource: 1, scopes: 1, enterprise: 1 };

/**
 * The choice for one upstream.
 *
 * @throws TypeError for an invalid choice, or one that contradicts other options.
 */
export function identityOf(
  where: string,
  { upstream, auth, upstreamAuth }: UpstreamOptions | BridgeOptions,
): UpstreamIdentity {
  const transport = typeof upstream === 'object' && 'open' in upstream ? upstream : undefined;
  if (auth !== undefined && transport !== undefined)
    throw new TypeError(`${where}: auth is for an upstream that is a URL; a transport has its own`);
  const whose = whoseIs(auth, transport);
  if (upstreamAuth === undefined)
    return whose === undefined ? { kind: 'one', auth, isService: false } : { kind: 'undecided', auth, whose };
  if (upstreamAuth === 'service') {
    if (whose === 'person')
      throw new TypeError(
        `${where}: upstreamAuth 'service' is for a machine, and auth is a person's: give clientCredentials(), workloadIdentity() or a token`,
      );
    return { kind: 'one', auth, isService: true };
  }
  const options = upstreamAuth === 'exchange' ? ({ as: 'exchange' } as const) : upstreamAuth;
  if (typeof options !== 'object' || (options?.as !== 'exchange' && options?.as !== 'per-principal'))
    throw new TypeError(
      `${where}: upstreamAuth is 'service', 'exchange' or { as: 'per-principal', … }, not ${shown(upstreamAuth)}`,
    );
  if (transport !== undefined || auth !== undefined)
    throw new TypeError(
      `${where}: with upstreamAuth '${options.as}' each client is itself there: give upstream as a URL, without auth`,
    );
  if (options.as === 'per-principal') return signingIn(new URL(upstream as URL | string), options);
  refuseUnknown(`${where}: upstreamAuth`, options, exchangeNames);
  checkExchange(where, options);
  return { kind: 'exchange', options };
}

function signingIn(upstream: URL, options: PerPrincipalUpstream): UpstreamIdentity {
  const signIn = (): never => {
    throw new TypeError('there is no sign-in');
  };
  return { kind: 'per-principal', upstream, options, signIn };
}

/** @throws TypeError for options that make no sense. */
function checkExchange(where: string, { audience, resource, scopes, enterprise }: ExchangeUpstream): void {
  refuseOther('string', `${where}: audience`, audience);
  if (resource !== undefined && !URL.canParse(resource))
    throw new TypeError(`${where}: resource must be a URL, not ${shown(resource)}`);
  if (scopes !== undefined && !Array.isArray(scopes))
    throw new TypeError(`${where}: scopes must be a list, not ${shown(scopes)}`);
  if (enterprise !== undefined && typeof enterprise.client?.id !== 'string')
    throw new TypeError(`${where}: enterprise needs client, which the authorization server of the upstream knows`);
  if (enterprise !== undefined && audience !== undefined)
    throw new TypeError(
      `${where}: with enterprise the audience is the upstream's authorization server; leave audience out`,
    );
}

function whoseIs(
  auth: UpstreamCredentials | undefined,
  transport: Transport | undefined,
): 'person' | 'credentials' | undefined {
  const facts = typeof auth === 'object' ? auth : transport?.authorization;
  if (facts?.personal === true) return 'person';
  return auth === undefined && facts === undefined ? undefined : 'credentials';
}

/** The rules for serving a bridge to such upstreams; `undefined` if it has no credentials there. */
export function behindOf(identities: readonly UpstreamIdentity[]): UpstreamIdentityPolicy | undefined {
  const asCallers = identities.some(isOfPrincipals);
  const undecided = identities.flatMap((one) => (one.kind === 'undecided' ? [one.whose] : []));
  if (!asCallers && undecided.length === 0) return undefined;
  const isPersons = undecided.includes('person');
  return {
    requireServable: (way) => {
      if (asCallers)
        requireCallers(
          way,
          identities.some(({ kind }) => kind === 'exchange'),
        );
      if (way.knowsCallers && undecided.length > 0) throw undecidedMistake(isPersons);
      const other = isPersons ? otherName(way) : undefined;
      if (other !== undefined)
        throw new TypeError(
          `this bridge acts as one person at the server behind it, and would lend that identity to every client that reaches it as ${other}: guard it with protect and choose upstreamAuth, or serve this machine alone`,
        );
    },
    refuses: (address) => isPersons && address !== undefined && !/^(?:::ffff:)?127\.|^::1$/.test(address),
  };
}

function requireCallers({ knowsCallers, exchanges }: Exposure, mustExchange: boolean): void {
  if (!knowsCallers)
    throw new TypeError('this bridge acts as each of its clients: guard it with protect, which finds out who they are');
  if (mustExchange && exchanges === false)
    throw new TypeError(
      "this bridge has upstreamAuth 'exchange': protect needs exchange, the client that exchanges tokens",
    );
}

function undecidedMistake(isPersons: boolean): TypeError {
  const whose = isPersons ? 'the grant of one person' : 'credentials of its own';
  return new TypeError(
    `this bridge acts by ${whose} (auth) at the server behind it, and many would share that: choose upstreamAuth, which is 'service' (one machine for all), 'exchange' (the caller's token is exchanged) or { as: 'per-principal', … } (everybody signs in)`,
  );
}

/** A name by which others than this machine may reach it. */
function otherName({ knowsCallers, names }: Exposure): string | undefined {
  if (knowsCallers) return undefined;
  return typeof names === 'string' ? names : names.find((name) => !loopback.test(name));
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)(?::\d{1,5})?$/i;

/** True if each principal has separate connections, which no other principal uses. */
export function isOfPrincipals(identity: UpstreamIdentity): boolean {
  return identity.kind === 'exchange' || identity.kind === 'per-principal';
}
