import { readFile } from 'node:fs/promises';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { HttpTransportOptions } from '../../http/client/request.ts';
import { UsageError, type Io } from '../io.ts';
import { oneOption, type Parsed } from '../options.ts';
import type { Target } from '../target.ts';

/** The options of signing in, which `login`, `call` and `bridge` share. */
export const signInOptions: ParseArgsOptionsConfig = {
  scope: { type: 'string', multiple: true },
  'client-id': { type: 'string' },
  'client-secret-env': { type: 'string' },
  'client-metadata-url': { type: 'string' },
  issuer: { type: 'string' },
  'redirect-port': { type: 'string' },
  'no-browser': { type: 'boolean' },
  account: { type: 'string' },
  'no-resource-parameter': { type: 'boolean' },
  'as-metadata': { type: 'string' },
  dpop: { type: 'boolean' },
  'login-timeout': { type: 'string' },
  'network-allow': { type: 'string', multiple: true },
};

/** The options of being authorized at a server at a URL. */
export const authOptions: ParseArgsOptionsConfig = {
  ...signInOptions,
  login: { type: 'string' },
  'token-env': { type: 'string' },
  'token-file': { type: 'string' },
};

/** The circumstances of a command. */
interface Circumstances {
  readonly io: Io;
  /** True when a person may be asked where the options do not say. */
  readonly asks: boolean;
  /** Name under which others than its person reach the command, who would be authorized by what it has. */
  readonly reachedAt?: string | undefined;
}

/**
 * Finds what authorizes the requests of a command: a token that was given, or what is kept of a login. A header that was typed is
 * credentials enough, and a server that a command starts gets its own from the environment.
 *
 * @throws UsageError for options that make no sense together, and where others would use the login of a person.
 */
export async function authOf(
  target: Target,
  parsed: Parsed,
  { io, asks, reachedAt }: Circumstances,
): Promise<Pick<HttpTransportOptions, 'auth'>> {
  const [given] = Object.keys(authOptions).filter((name) => parsed.flag(name) || parsed.texts(name).length > 0);
  if (target.kind !== 'url') {
    if (given !== undefined) throw new UsageError(`--${given} is for a server at a URL`);
    return {};
  }
  const login = oneOption(parsed, 'login', ['auto', 'never', 'always']) ?? 'auto';
  const token = tokenOf(parsed, io);
  const hasOwn = target.url.username !== '' || parsed.texts('header').some((line) => /^authorization\s*:/i.test(line));
  if (hasOwn) {
    if (given !== undefined) throw new UsageError(`--${given} and an Authorization header say two things`);
    return {};
  }
  if (token !== undefined) return { auth: token };
  const { authorizationFor } = await import('./sign-in.ts');
  const may = login === 'always' || (login === 'auto' && asks);
  const asking = may ? (parsed.flag('no-browser') ? 'by-hand' : 'browser') : 'never';
  const auth = authorizationFor(parsed, io, { asking, server: target.url });
  if (reachedAt === undefined) return { auth };
  const lent = (await auth.identity({ server: target.url })) === undefined ? given : 'login';
  if (lent === undefined) return {};
  throw new UsageError(
    `whoever reaches ${reachedAt} would be signed in by your login: listen on this machine alone, or give a token that is for all of them (--token-env, --token-file)`,
  );
}

/** The token that the options name; a file is read anew each time, since somebody renews it. */
function tokenOf(parsed: Parsed, io: Io): string | (() => Promise<string>) | undefined {
  const variable = parsed.text('token-env');
  const file = parsed.text('token-file');
  if (variable !== undefined && file !== undefined) throw new UsageError('--token-env and --token-file say two things');
  if (file !== undefined) return async () => (await readFile(file, 'utf8')).trim();
  if (variable === undefined) return undefined;
  const token = io.env[variable]?.trim();
  if (token === undefined || token === '') throw new UsageError(`the variable ${variable} has no token`);
  return token;
}
