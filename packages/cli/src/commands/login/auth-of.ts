import { readFile } from 'node:fs/promises';
import { AuthorizationError } from '../../../../parley/src/auth/common/errors.ts';
import type { HttpTransportOptions } from '../../../../parley/src/transports/http/client/request.ts';
import { isRemote, isTerminal, UsageError, environmentValue, type Io } from '../io.ts';
import { oneOption, type ParsedOptions } from '../options.ts';
import type { ServerTarget } from '../target.ts';
import { authOptions, givenOption, signInOf } from './sign-in-options.ts';
import type { SignIn, WayToAsk } from './sign-in.ts';

/** The circumstances of a command. */
export interface LoginContext extends Pick<SignIn, 'overheard'> {
  readonly io: Io;
  /** True when a person may be asked where the options do not say. */
  readonly asks: boolean;
  /** True if standard input is used otherwise, so that the user cannot type there. */
  readonly inputTaken?: boolean | undefined;
  /** Name under which others than its person reach the command, who would be authorized by what it has. */
  readonly reachedAt?: string | undefined;
}

/** Authorization of requests, where there is any. */
export interface FoundAuth extends Pick<HttpTransportOptions, 'auth'> {
  /** The login of a person that it is; left out for a token. */
  readonly signIn?: SignIn;
}

/**
 * Finds what authorizes the requests of a command: a token that was given, or what is kept of a login. A header that was typed is
 * credentials enough, and a server that a command starts gets its own from the environment.
 *
 * @throws UsageError for options that make no sense together, and where others would use the login of a person.
 */
export async function authOf(
  target: ServerTarget,
  parsed: ParsedOptions,
  circumstances: LoginContext,
): Promise<FoundAuth> {
  const { io, reachedAt, overheard } = circumstances;
  const given = givenOption(parsed, Object.keys(authOptions));
  if (target.kind !== 'url') {
    if (given !== undefined) throw new UsageError(`--${given} is for a server at a URL`);
    return {};
  }
  const asking = wayToAsk(parsed, circumstances);
  const token = tokenOf(parsed, io);
  if (hasOwn(target.url, parsed)) {
    if (given !== undefined) throw new UsageError(`--${given} and an Authorization header say two things`);
    return {};
  }
  if (token !== undefined) return { auth: token };
  const [{ personAt }, { storeOptions, withStoredOptions }] = await Promise.all([
    import('./sign-in.ts'),
    import('./stored-options.ts'),
  ]);
  const wanted = { ...signInOf(parsed, io), asking, server: target.url, overheard };
  const signIn: SignIn = {
    ...(await withStoredOptions(wanted, io)),
    // A login that cannot be stored with its options works all the same.
    told: ({ kind }) => void (kind === 'granted' && storeOptions(signIn, io).catch(() => undefined)),
  };
  const auth = personAt(signIn, io);
  if (reachedAt === undefined) return { auth, signIn };
  const lent = (await auth.identity({ server: target.url })) === undefined ? given : 'login';
  if (lent === undefined) return {};
  throw lentLogin(reachedAt, '--token-env, --token-file');
}

/** Tells whether the command line has credentials for a URL, so that no sign-in is needed. */
export function givesCredentials(url: URL, parsed: ParsedOptions): boolean {
  return hasOwn(url, parsed) || givenOption(parsed, ['token-env', 'token-file']) !== undefined;
}

function hasOwn({ username, password }: URL, parsed: ParsedOptions): boolean {
  return username !== '' || password !== '' || parsed.texts('header').some((line) => /^authorization\s*:/i.test(line));
}

/** The error of a command whose login others would use. */
export function lentLogin(reachedAt: string, instead: string, servers: readonly string[] = []): UsageError {
  const where = servers.length === 0 ? '' : ` at ${servers.join(', ')}`;
  return new UsageError(
    `every client that reaches ${reachedAt} would be signed in by your login${where}: listen on this machine alone, or give a token that is for all of them (${instead})`,
  );
}

/**
 * The way in which the user may be asked.
 *
 * @throws UsageError for such options if the command never asks, or if the user cannot answer.
 */
export function wayToAsk(parsed: ParsedOptions, { io, asks, inputTaken = false }: LoginContext): WayToAsk {
  const login = oneOption(parsed, 'login', ['auto', 'never', 'always']) ?? 'auto';
  const ofAsking = givenOption(parsed, ['no-browser', 'redirect-port', 'login-timeout']);
  if (login === 'never' && ofAsking !== undefined)
    throw new UsageError(`--${ofAsking} is about asking you to sign in, and --login never does not`);
  if (inputTaken && parsed.flag('no-browser'))
    throw new UsageError(
      '--no-browser reads an address from standard input, which is the client here; run parley login --no-browser before',
    );
  if (login === 'never' || (login === 'auto' && !asks)) return 'never';
  // If the user cannot type, the printed page leads back to this machine.
  const isTyping = !inputTaken && isTerminal(io);
  return parsed.flag('no-browser') || (isTyping && isRemote(io)) ? 'by-hand' : 'browser';
}

/** The token from the options. A file is read again each time, since another program renews it. */
function tokenOf(parsed: ParsedOptions, io: Io): string | (() => Promise<string>) | undefined {
  const variable = parsed.text('token-env');
  const file = parsed.text('token-file');
  if (variable === undefined && file === undefined) return undefined;
  if (variable !== undefined && file !== undefined) throw new UsageError('--token-env and --token-file say two things');
  const names = Object.keys(authOptions).filter((name) => name !== 'token-env' && name !== 'token-file');
  const beside = givenOption(parsed, names);
  const used = file === undefined ? 'token-env' : 'token-file';
  if (beside !== undefined) throw new UsageError(`--${beside} is about a login, and --${used} takes its place`);
  if (file !== undefined) return () => tokenIn(file);
  const token = environmentValue(io.env, variable ?? '')?.trim();
  if (token === undefined || token === '') throw new UsageError(`the variable ${variable} has no token`);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`the variable ${variable} holds no token: one is text without spaces`);
  return token;
}

async function tokenIn(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown failure';
    const words = `the token in ${file} cannot be read: ${why === 'ENOENT' ? 'the file does not exist' : why}`;
    throw new AuthorizationError('login-required', words, { cause });
  }
  if (/^[\x21-\x7e]+$/.test(text.trim())) return text.trim();
  throw new AuthorizationError('login-required', `the file ${file} holds no token: one is text without spaces`);
}
