/** Tokens that the user's code manages: one for the whole conversation, or a function that returns them. */

import type { Authorizer, AuthorizationFields } from '../../../auth/common/authorizer.ts';

/** A token, or what gives one before each request; after a 401 it is asked once more, with `refused`, for another one. */
export type TokenSource = string | ((about: { readonly refused: boolean }) => string | Promise<string>);

/** Makes requests carry the tokens of a source, as bearer tokens. (RFC 6750, section 2.1.) */
export function tokenAuthorizer(source: TokenSource): Authorizer {
  if (typeof source === 'string') return { headers: () => bearer(source), refused: async () => false };
  let renewed: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    // However many requests were refused at once, one question is enough.
    renewed ??= (async () => await source({ refused: true }))().finally(() => (renewed = undefined));
    return await renewed;
  };
  return {
    headers: async ({ tried }) => bearer(tried.has('renewed') ? await renew() : await source({ refused: false })),
    async refused({ tried }, { status }) {
      if (status !== 401 || tried.has('renewed')) return false;
      tried.add('renewed');
      return true;
    },
  };
}

function bearer(token: string): AuthorizationFields {
  // It is a secret, and not shown.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('auth gave no token: one is text of visible ASCII characters without spaces');
  return { authorization: `Bearer ${token}` };
}
