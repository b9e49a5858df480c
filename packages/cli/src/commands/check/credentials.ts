import type { Authorizer } from '../../../../parley/src/auth/common/authorizer.ts';
import type { UserCredentials } from '../../check/harness/senders.ts';
import type { HttpTransportOptions } from '../../../../parley/src/transports/http/client/request.ts';
import { tokenAuthorizer } from '../../../../parley/src/transports/http/client/token.ts';
import { UsageError, environmentValue, type Io } from '../io.ts';
import { authOf } from '../login/auth-of.ts';
import type { ParsedOptions } from '../options.ts';
import { headersOf, type ServerTarget } from '../target.ts';

/** Credentials of a run, and the secrets among them that were used so far. */
export interface RunCredentials {
  readonly credentials: UserCredentials;
  secrets(): readonly string[];
}

/**
 * Credentials for a server at a URL: headers, a token, or a stored login; no user is asked to sign in. Also the tokens
 * of other users.
 *
 * @throws UsageError for options that contradict each other, and for variables without a token.
 */
export async function runCredentials(
  target: Extract<ServerTarget, { kind: 'url' }>,
  parsed: ParsedOptions,
  io: Io,
): Promise<RunCredentials> {
  const headers = headersOf(parsed.texts('header'));
  const [another, foreign] = ['other-token-env', 'foreign-token-env'].map((name) => tokenOf(name, parsed, io));
  const { auth } = await authOf(target, parsed, { io, asks: false });
  const used = new Set([another, foreign].filter((token) => token !== undefined));
  const authorize = auth === undefined ? undefined : await authorizing(auth, target.url, used);
  return {
    credentials: {
      headers,
      ...(authorize && { authorize }),
      ...(another !== undefined && { another }),
      ...(foreign !== undefined && { foreign }),
    },
    secrets: () => [...used],
  };
}

function tokenOf(name: string, parsed: ParsedOptions, { env }: Io): string | undefined {
  const variable = parsed.text(name);
  if (variable === undefined) return undefined;
  const token = environmentValue(env, variable)?.trim();
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`the variable ${variable} of --${name} holds no token: one is text without spaces`);
  return token;
}

/** Maker of the headers that authorize each request; `undefined` where nothing is kept of a login. */
async function authorizing(
  auth: NonNullable<HttpTransportOptions['auth']>,
  url: URL,
  used: Set<string>,
): Promise<UserCredentials['authorize']> {
  const authorizer = await authorizerOf(auth, url);
  const authorize: NonNullable<UserCredentials['authorize']> = async (request) => {
    const fields = await authorizer.headers({
      ...request,
      about: {},
      signal: new AbortController().signal,
      mayAsk: false,
      tried: new Set(),
      waiting: () => undefined,
    });
    for (const value of Object.values(fields)) used.add(value.replace(/^\w+ +/, ''));
    return fields;
  };
  return Object.keys(await authorize({ method: 'POST', url })).length === 0 ? undefined : authorize;
}

async function authorizerOf(auth: NonNullable<HttpTransportOptions['auth']>, url: URL): Promise<Authorizer> {
  if (typeof auth !== 'string' && typeof auth !== 'function') return auth.bind({ url, fetch });
  return tokenAuthorizer(auth);
}
