/** Tokens that are bound to keys, in a world of authorization. */

import type { Asked, World } from './authorization-world.ts';

/** The parameter of a challenge that names the metadata of the resource. */
export const named = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';

/** Makes the authorization server bind what is asked for with a proof. */
export function bind(world: World): void {
  const answer = async (asked: Asked): Promise<Response> => {
    world.laws.answers = { ...world.laws.answers, '/token': () => undefined };
    const body = new URLSearchParams(asked.body as Record<string, string>);
    const plain = await world.fetch(asked.url, { method: 'POST', body });
    world.laws.answers = { ...world.laws.answers, '/token': token };
    return Response.json({ ...(await plain.json()), token_type: 'DPoP' });
  };
  const token = (asked: Asked): Promise<Response> | undefined =>
    asked.headers.has('dpop') ? answer(asked) : undefined;
  world.laws.answers = { ...world.laws.answers, '/token': token };
}

/** Makes the server take bound tokens alone. */
export function demand(world: World): void {
  world.laws.challenge = `DPoP algs="ES256", ${named}`;
  const refused = { status: 401, headers: { 'www-authenticate': world.laws.challenge } };
  world.laws.answers = {
    ...world.laws.answers,
    '/mcp': ({ headers }) =>
      headers.get('authorization')?.startsWith('DPoP ') === true ? undefined : new Response('{}', refused),
  };
}

/** The nonce that proofs must have, and how many were refused for another. */
export interface Nonces {
  wanted: string;
  refusals: number;
}

/** Makes the server want a nonce in proofs. */
export function wantNonces(world: World): Nonces {
  const nonces: Nonces = { wanted: 'n1', refusals: 0 };
  const { '/mcp': bound } = world.laws.answers;
  const nonceIn = (proof: string | null): unknown => {
    const [, claims = ''] = proof?.split('.') ?? [];
    return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>)['nonce'];
  };
  const answer: NonNullable<typeof bound> = (asked) => {
    const refused = bound?.(asked);
    if (refused !== undefined || nonceIn(asked.headers.get('dpop')) === nonces.wanted) return refused;
    nonces.refusals++;
    const headers = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonces.wanted };
    return new Response('{}', { status: 401, headers });
  };
  world.laws.answers = { ...world.laws.answers, '/mcp': answer };
  return nonces;
}
