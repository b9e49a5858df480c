import type { ParseArgsOptionsConfig } from 'node:util';
import type { ManualRegistration } from '../../../../parley/src/auth/client/interactive/oauth-options.ts';
import { UsageError, environmentValue, type Io } from '../io.ts';
import { milliseconds, wholeNumber, type ParsedOptions } from '../options.ts';
import type { SignIn } from './sign-in.ts';

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

/** The first of some options that was given. */
export function givenOption(parsed: ParsedOptions, names: readonly string[]): string | undefined {
  return names.find((name) => parsed.flag(name) || parsed.texts(name).length > 0);
}

/**
 * The login that the options describe, but for the way to ask and the server.
 *
 * @throws UsageError for options that make no sense.
 */
export function signInOf(parsed: ParsedOptions, io: Io): Omit<SignIn, 'asking' | 'server'> {
  const issuer = parsed.text('issuer');
  const metadata = parsed.text('as-metadata');
  const port = parsed.text('redirect-port');
  if (metadata !== undefined) neededIssuer(issuer, 'as-metadata');
  return {
    ...ofEveryServer(parsed),
    issuer,
    client: clientOf(parsed, io),
    clientSecretEnv: parsed.text('client-secret-env'),
    clientMetadataUrl: parsed.text('client-metadata-url'),
    scopes: parsed.texts('scope').flatMap((text) => text.split(' ').filter((scope) => scope !== '')),
    redirectPort: port === undefined ? undefined : wholeNumber('--redirect-port', port, [1, 65_535]),
    metadata: metadata === undefined ? undefined : jsonObject(metadata),
    omitsResource: parsed.flag('no-resource-parameter'),
    bound: parsed.flag('dpop'),
  };
}

/** The names of the options that mean something for any number of servers. */
export const sharedSignInOptions: readonly string[] = ['account', 'login-timeout', 'network-allow'];

/** Reads the options that mean something for any number of servers. */
export function ofEveryServer(parsed: ParsedOptions): Pick<SignIn, 'account' | 'timeoutMs' | 'networkAllow'> {
  const timeout = parsed.text('login-timeout');
  return {
    account: parsed.text('account'),
    timeoutMs:
      timeout === undefined ? undefined : milliseconds('--login-timeout', timeout, { most: 86_400_000, unit: 's' }),
    networkAllow: parsed.texts('network-allow'),
  };
}

function clientOf(parsed: ParsedOptions, io: Io): ManualRegistration | undefined {
  const id = parsed.text('client-id');
  const variable = parsed.text('client-secret-env');
  if (id === undefined) {
    if (variable !== undefined) throw new UsageError('--client-secret-env goes with --client-id');
    return undefined;
  }
  const issuer = neededIssuer(parsed.text('issuer'), 'client-id');
  if (variable === undefined) return { id, issuer };
  const secret = environmentValue(io.env, variable);
  if (secret === undefined || secret === '') throw new UsageError(`the variable ${variable} has no client secret`);
  return { id, issuer, secret };
}

function neededIssuer(issuer: string | undefined, flag: string): string {
  if (issuer === undefined)
    throw new UsageError(
      `--${flag} needs --issuer: it is for one authorization server and shown to no other; parley explain <url> names it`,
    );
  return issuer;
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The error below quotes the option.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--as-metadata takes a JSON object such as '{"code_challenge_methods_supported":["S256"]}'`);
  return value as Readonly<Record<string, unknown>>;
}
