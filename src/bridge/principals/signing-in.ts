/** People who sign in at the servers behind a bridge, and the pages on the way. */

import type { Settings } from '../options.ts';
import type { UpstreamIdentity } from '../upstream-auth.ts';
import { checkPerPrincipal } from './sign-in-options.ts';
import { UpstreamSignIn } from './sign-in.ts';

/** Makes what signs people in at each server where they have grants of their own. */
export function signingIn(
  identities: ReadonlyMap<string, UpstreamIdentity>,
  { info, onError, parked }: Settings,
): {
  readonly identities: ReadonlyMap<string, UpstreamIdentity>;
  pages(request: Request): Promise<Response> | undefined;
} {
  const all: UpstreamSignIn[] = [];
  const made = [...identities].map(([name, identity]): [string, UpstreamIdentity] => {
    if (identity.kind !== 'per-principal') return [name, identity];
    const { upstream, options } = identity;
    checkPerPrincipal(name, options);
    const signIn = new UpstreamSignIn({
      upstream,
      options,
      asker: info.title ?? info.name,
      now: options.now ?? parked.now,
      onError: (error) => onError(error, `signing in at ${upstream.host}`),
    });
    all.push(signIn);
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
  };
}
