/** Token introspection at an authorization server. (RFC 7662.) */

import { exchange, jsonOf } from '../common/document.ts';
import { AuthorizationError } from '../common/errors.ts';
import { context, type Fetching, type Issuer } from './issuer.ts';
import type { IntrospectionOptions } from './issuer-options.ts';
import { skew } from './jwt.ts';
import type { Claims } from './options.ts';
import { OutOfReach, TokenProblem } from './problem.ts';

/**
 * Asks an issuer about a token.
 *
 * @returns Its answer for an active token.
 * @throws TokenProblem for an inactive one, OutOfReach if there is no readable answer.
 */
export async function introspect(
  token: string,
  issuer: Issuer,
  introspection: IntrospectionOptions,
  now: number,
): Promise<Claims> {
  const { issuer: name, names } = issuer.settings;
  issuer.waits.check();
  const claims = await issuer.waits.within(answerOf(token, issuer, introspection)).catch((cause: unknown) => {
    throw cause instanceof OutOfReach ? cause : new OutOfReach(cause);
  });
  if (claims['active'] !== true) throw new TokenProblem('inactive');
  const { iss = name, exp, nbf } = claims;
  if (typeof iss !== 'string' || !names.has(iss)) throw new TokenProblem('issuer');
  const seconds = now / 1000;
  if (exp !== undefined && !(typeof exp === 'number' && exp > seconds - skew)) throw new TokenProblem('expired');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds + skew)) throw new TokenProblem('early');
  return { ...claims, iss };
}

async function answerOf(
  token: string,
  { settings, metadata, fetching }: Issuer,
  options: IntrospectionOptions,
): Promise<Claims> {
  const { issuer } = settings;
  const endpoint = options.endpoint ?? (await metadata.get()).metadata.introspectionEndpoint;
  if (endpoint === undefined)
    throw new AuthorizationError(
      'discovery',
      `the metadata of ${issuer} names no introspection_endpoint; give it as endpoint`,
    );
  const what = `the introspection endpoint of ${issuer}`;
  const { status, text } = await postForm(endpoint, what, fetching, {
    client: options,
    form: { token, token_type_hint: 'access_token' },
  });
  const answer = status === 200 ? jsonOf(text) : undefined;
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new AuthorizationError('server-error', `${what} answered with HTTP ${status} and no JSON object`, {
      status,
      issuer,
    });
  return answer as Claims;
}

/** A client that authenticates with a secret. */
export interface ClientSecret {
  /** The id of this server at the authorization server. */
  readonly clientId: string;
  /** The secret of the client. */
  readonly clientSecret: string;
  /** Place of the secret in a request; in the `Authorization` header by default. */
  readonly method?: 'client_secret_basic' | 'client_secret_post' | undefined;
}

/**
 * Posts a form to an authorization server, as its client. Without a secret, the form has the client id. (RFC 6749,
 * section 2.3.1.)
 */
export function postForm(
  endpoint: string,
  what: string,
  fetching: Fetching,
  { client, form }: { readonly client: ClientSecret | undefined; readonly form: Readonly<Record<string, string>> },
): ReturnType<typeof exchange> {
  const isPost = client?.method === 'client_secret_post';
  const body = new URLSearchParams({
    ...form,
    ...(isPost ? { client_id: client.clientId, client_secret: client.clientSecret } : {}),
  });
  const within = context(fetching);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(client === undefined || isPost ? {} : { authorization: `Basic ${basicOf(client)}` }),
  };
  return exchange(within.rules.check(endpoint, what), { method: 'POST', headers, body: body.toString() }, what, within);
}

/** RFC 6749, section 2.3.1 and appendix B. */
function basicOf({ clientId, clientSecret }: ClientSecret): string {
  return btoa([clientId, clientSecret].map((part) => new URLSearchParams({ '': part }).toString().slice(1)).join(':'));
}
