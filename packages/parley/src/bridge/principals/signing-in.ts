/** People who sign in at the servers behind a bridge, and the pages on the way. */

import { shown } from '../../options/shown.ts';
import type { Settings } from '../options.ts';
import type { UpstreamIdentity } from '../upstream-auth.ts';
import { checkPerPrincipal } from './sign-in-options.ts';
import { UpstreamSignIn, type UpstreamGrant } from './sign-in.ts';

/** Makes what signs people in at each server where they have grants of their own. */
export function signingIn(
  identities: ReadonlyMap<string, UpstreamIdentity>,
  { info, onError, suspended }: Settings,
): People & { readonly identities: ReadonlyMap<string, UpstreamIdentity> } {
  const all: UpstreamSignIn[] = [];
  const named = new Map<string, UpstreamSignIn>();
  const made = [...identities].map(([name, identity]): [string, UpstreamIdentity] => {
    if (identity.kind !== 'per-principal') return [name, identity];
    const { upstream, options } = identity;
    checkPerPrincipal(name, options);
    const signIn = new UpstreamSignIn({
      upstream,
      options,
      requester: info.title ?? info.name,
      now: options.now ?? suspended.now,
      onError: (error) => onError(error, `signing in at ${upstream.host}`),
    });
    all.push(signIn);
    named.set(name === 'createBridge' ? `${upstream.origin}${upstream.pathname}` : name, signIn);
    return [name, { ...identity, signIn: () => signIn }];
  });
  const addresses = new Set(all.map(({ consent }) => consent.redirectUri));
  if (addresses.size < all.length) throw new TypeError('each upstream needs a publicUrl of its own');
  return {
    identities: new Map(made),
    pages: (request) => {
      for (const { consent } of all) {
        const answer = consent.handle(request);
        if (answer !== undefined) return answer;
      }
      return undefined;
    },
    async grants(principal) {
      const found: UpstreamGrant[] = [];
      for (const [upstream, signIn] of named)
        for (const one of principal === undefined ? await signIn.principals() : [principal]) {
          const grant = await signIn.grant(one);
          if (grant !== undefined) found.push({ ...grant, upstream });
        }
      return found;
    },
    async signOut(principal, { upstream, revoke = true } = {}) {
      if (upstream !== undefined && !named.has(upstream))
        throw new TypeError(`there is no sign-in at ${shown(upstream)}: it is one of ${[...named.keys()].join(', ')}`);
      const outcomes: boolean[] = [];
      for (const [name, signIn] of named) {
        if (upstream !== undefined && upstream !== name) continue;
        const hadGrant = (await signIn.grant(principal)) !== undefined;
        const { revoked } = await signIn.signOut(principal, revoke);
        if (hadGrant) outcomes.push(revoked);
      }
      return { revoked: outcomes.length > 0 && outcomes.every((one) => one) };
    },
  };
}

/** People who sign in at servers behind a bridge. */
export interface People {
  pages(request: Request): Promise<Response> | undefined;
  grants(principal?: string): Promise<readonly UpstreamGrant[]>;
  signOut(principal: string, options?: SignOutOptions): Promise<{ readonly revoked: boolean }>;
}

/** Options of signing a person out. */
export interface SignOutOptions {
  /** The only server at which they are signed out: its name among several. */
  readonly upstream?: string;
  /** Revocation of the tokens at the authorization server; true by default. */
  readonly revoke?: boolean;
}
