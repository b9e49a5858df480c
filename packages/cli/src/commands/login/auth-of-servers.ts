import type { Authorization } from '../../../../parley/src/auth/common/authorizer.ts';
import type { ConfiguredServer, GuardedUrl } from '../config/server-entry.ts';
import type { OAuthEntry } from '../config/oauth-entry.ts';
import { UsageError, type Io } from '../io.ts';
import type { ParsedOptions } from '../options.ts';
import { lentLogin, wayToAsk, type LoginContext } from './auth-of.ts';
import { authOptions, givenOption, ofEveryServer, sharedSignInOptions } from './sign-in-options.ts';
import type { SignIn } from './sign-in.ts';

type Servers = Readonly<Record<string, ConfiguredServer>>;

/** Authorization of one server of a file. */
export interface ServerAuth {
  readonly auth: Authorization;
  /** The interactive login; left out for a non-interactive client. */
  readonly signIn?: SignIn;
}

/**
 * Refuses options that are about one server, where a file names the servers.
 *
 * @throws UsageError
 */
export function refuseOfOne(parsed: ParsedOptions): void {
  const ofAll = new Set([...sharedSignInOptions, 'login']);
  const other = givenOption(
    parsed,
    Object.keys(authOptions).filter((name) => !ofAll.has(name)),
  );
  if (other === 'no-browser')
    throw new UsageError('--no-browser is for one server; run parley login --no-browser for each of those in the file');
  if (other === 'token-env' || other === 'token-file')
    throw new UsageError(`--${other} is for one server; in the file each has its own "headers"`);
  if (other !== undefined) throw new UsageError(`--${other} is for one server; in the file each has its own "oauth"`);
}

/**
 * Finds what authorizes the requests to the servers of a file: what an entry says of a machine, or what is kept of a login at its URL.
 *
 * @returns By the names of the servers, those that have any.
 * @throws UsageError for options that make no sense, and where others would use the login of a person.
 */
export async function authOfServers(
  servers: Servers,
  parsed: ParsedOptions,
  circumstances: LoginContext,
): Promise<ReadonlyMap<string, ServerAuth>> {
  refuseOfOne(parsed);
  const { io, reachedAt, overheard } = circumstances;
  const guarded = Object.entries(servers).flatMap(([name, server]) =>
    server.guarded === undefined ? [] : [[name, server.guarded] as const],
  );
  const given = givenOption(parsed, Object.keys(authOptions));
  if (guarded.length === 0 && given !== undefined)
    throw new UsageError(
      `--${given} is for servers at a URL without credentials of their own, and the file names none`,
    );
  // Several servers may ask at once, and a pasted answer could not be assigned to one of them.
  const isOne = guarded.length === 1;
  const asking = wayToAsk(parsed, isOne ? circumstances : { ...circumstances, inputTaken: true });
  const found = new Map<string, ServerAuth>();
  const lent: string[] = [];
  for (const [name, at] of guarded) {
    const one = await authAt(name, at, { ...ofEveryServer(parsed), asking, io, overheard });
    const isLent = reachedAt !== undefined && one.signIn !== undefined;
    if (isLent && (at.oauth !== undefined || (await isSignedIn(one.signIn, io)))) lent.push(name);
    if (!isLent) found.set(name, one);
  }
  if (reachedAt !== undefined && lent.length > 0)
    throw lentLogin(reachedAt, '"headers", or "oauth" of a machine', lent);
  return found;
}

async function isSignedIn(signIn: SignIn, io: Io): Promise<boolean> {
  const { personAt } = await import('./sign-in.ts');
  return (await personAt(signIn, io).identity({ server: signIn.server })) !== undefined;
}

async function authAt(
  name: string,
  { url, oauth }: GuardedUrl,
  {
    io,
    ...shared
  }: Pick<SignIn, 'asking' | 'account' | 'timeoutMs' | 'networkAllow' | 'overheard'> & { readonly io: Io },
): Promise<ServerAuth> {
  const { personAt, surroundings, usable } = await import('./sign-in.ts');
  try {
    if (oauth?.grantType === 'client_credentials') {
      const { clientCredentials } =
        await import('../../../../parley/src/auth/client/non-interactive/client-credentials.ts');
      const { clientId: id = '', secret, key, issuer, scopes, metadata } = oauth;
      const common = surroundings(
        { networkAllow: shared.networkAllow, overheard: shared.overheard, ...habitsOf(oauth) },
        io,
      );
      const by = key === undefined ? { secret: secret ?? '' } : { key };
      const at = issuer === undefined ? {} : { issuer, issuers: [issuer] };
      const servers = issuer === undefined || metadata === undefined ? {} : { servers: { [issuer]: metadata } };
      return { auth: usable(() => clientCredentials({ ...common, id, ...by, ...at, ...servers, scopes })) };
    }
    const own = oauth === undefined ? {} : personOf(oauth, shared.account);
    const { withStoredOptions } = await import('./stored-options.ts');
    const signIn = await withStoredOptions({ ...shared, server: url, ...own }, io);
    return { auth: personAt(signIn, io), signIn };
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

function habitsOf({ dpop, resourceParameter }: OAuthEntry): Pick<SignIn, 'bound' | 'omitsResource'> {
  return { bound: dpop, omitsResource: resourceParameter === 'omit' };
}

/** The account of an entry comes before that of the command line. */
function personOf(oauth: OAuthEntry, account: string | undefined): Partial<SignIn> {
  const { clientId: id, secret, key, issuer, scopes, clientMetadataUrl, callbackPort, metadata } = oauth;
  const client =
    id === undefined || issuer === undefined
      ? undefined
      : { id, issuer, ...(secret === undefined ? {} : { secret }), ...(key === undefined ? {} : { key }) };
  return {
    ...habitsOf(oauth),
    account: oauth.account ?? account,
    client,
    issuer,
    scopes,
    clientMetadataUrl,
    redirectPort: callbackPort,
    metadata,
  };
}
