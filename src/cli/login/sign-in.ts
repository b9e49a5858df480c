import { createInterface } from 'node:readline';
import { AuthorizationError } from '../../auth/errors.ts';
import type { Redirect } from '../../auth/redirect.ts';
import { fileCredentialStore } from '../../node/credentials/file-credentials.ts';
import { credentialFolder } from '../../node/credentials/folder.ts';
import { guardedFetch } from '../../node/login/guarded-fetch.ts';
import { loopback } from '../../node/login/loopback.ts';
import type { OAuthEvent } from '../../oauth/events.ts';
import { oauth, type OAuth } from '../../oauth/person/oauth.ts';
import type { RegisteredByHand } from '../../oauth/person/oauth-options.ts';
import type { CredentialStore } from '../../store/credentials.ts';
import { UsageError, type Io } from '../io.ts';
import { wholeNumber, type Parsed } from '../options.ts';
import { printed } from '../shown.ts';

/** Ways in which a person may be asked: not at all, or by a page that is opened, or by one whose address is printed. */
export type WayToAsk = 'never' | 'browser' | 'by-hand';

/** The store of credentials of whoever runs a command. */
export function ownStore(io: Io): CredentialStore {
  return fileCredentialStore({ folder: credentialFolder(io.env) });
}

/** Authorization that is wanted. */
export interface SignInWanted {
  readonly asking: WayToAsk;
  /** The server, for who is told how to sign in there. */
  readonly server: URL;
  /** Of several accounts the one that is meant, in place of the one that the options name. */
  readonly account?: string | undefined;
}

/**
 * The authorization at one server that the options describe, with what is kept of it.
 *
 * @throws UsageError for options that make no sense.
 */
export function authorizationFor(parsed: Parsed, io: Io, wanted: SignInWanted): OAuth {
  const issuer = parsed.text('issuer');
  const metadata = parsed.text('as-metadata');
  const documentUrl = parsed.text('client-metadata-url');
  const account = wanted.account ?? parsed.text('account');
  const timeout = parsed.text('login-timeout');
  try {
    return oauth({
      redirect: redirectOf(wanted, parsed, io),
      store: ownStore(io),
      // A proxy looks names up by itself.
      ...(io.env['NODE_USE_ENV_PROXY'] === '1' ? {} : { fetch: guardedFetch() }),
      network: { allow: parsed.texts('network-allow') },
      metadata: { name: 'Parley command line' },
      scopes: parsed.texts('scope').flatMap((text) => text.split(' ').filter((scope) => scope !== '')),
      ...clientOf(parsed, io),
      ...(documentUrl === undefined ? {} : { clientMetadataUrl: documentUrl }),
      ...(issuer === undefined ? {} : { issuers: [issuer] }),
      ...(metadata === undefined ? {} : { servers: { [neededIssuer(issuer, 'as-metadata')]: jsonObject(metadata) } }),
      ...(account === undefined ? {} : { account }),
      ...(parsed.flag('no-resource-parameter') ? { resourceParameter: 'omit' as const } : {}),
      ...(parsed.flag('dpop') ? { dpop: 'always' as const } : { dpop: 'auto' as const }),
      ...(timeout === undefined ? {} : { loginTimeoutMs: 1000 * wholeNumber('--login-timeout', timeout, [1, 86_400]) }),
      onEvent: (event) => tell(event, io),
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function clientOf(parsed: Parsed, io: Io): { readonly client?: RegisteredByHand } {
  const id = parsed.text('client-id');
  const variable = parsed.text('client-secret-env');
  if (id === undefined) {
    if (variable !== undefined) throw new UsageError('--client-secret-env goes with --client-id');
    return {};
  }
  const issuer = neededIssuer(parsed.text('issuer'), 'client-id');
  if (variable === undefined) return { client: { id, issuer } };
  const secret = io.env[variable];
  if (secret === undefined || secret === '') throw new UsageError(`the variable ${variable} has no client secret`);
  return { client: { id, issuer, secret } };
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
    // What was typed is said below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--as-metadata takes a JSON object such as '{"code_challenge_methods_supported":["S256"]}'`);
  return value as Readonly<Record<string, unknown>>;
}

function redirectOf({ asking, server, account }: SignInWanted, parsed: Parsed, io: Io): Redirect {
  const port = parsed.text('redirect-port');
  const ports = port === undefined ? {} : { ports: [wholeNumber('--redirect-port', port, [1, 65_535])] };
  const back = loopback({ ...ports, onUrl: (url) => io.stderr.write(`To sign in, open this page:\n\n  ${url}\n\n`) });
  if (asking === 'browser') return back;
  return {
    redirectUris: back.redirectUris,
    open: async (registered) => {
      if (asking === 'never')
        throw new AuthorizationError(
          'login-required',
          `the server wants a login (HTTP 401 or 403), and nobody may be asked here; run: ${loginCommand(server, account ?? parsed.text('account'))}`,
        );
      const [first = ''] = back.redirectUris;
      return {
        redirectUri: registered?.[0] ?? first,
        visit: ({ url }, signal) => pasted(url, io, signal),
        close: () => {},
      };
    },
  };
}

/** The words that sign in at a server; what is no plain text in a shell is quoted. */
function loginCommand(server: URL, account: string | undefined): string {
  const words = ['parley', 'login', ...(account === undefined ? [] : ['--account', account]), server.href];
  return words.map((word) => (/^[\w.:/@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

/** The longest line that is read. */
const longestLine = 16_384;

/** Has a person open the page anywhere, and paste the address at which it ended. */
async function pasted(url: string, io: Io, signal: AbortSignal): Promise<string> {
  io.stderr.write(
    `To sign in, open this page in a browser on any machine:\n\n  ${url}\n\nAt the end the browser shows an address that begins with http://127.0.0.1, perhaps with an error.\nPaste that address here: `,
  );
  const lines = createInterface({ input: io.stdin, signal });
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (text.length <= longestLine && URL.canParse(text)) return text;
      io.stderr.write('That is no address; paste the whole of it: ');
    }
  } finally {
    lines.close();
  }
  signal.throwIfAborted();
  throw new AuthorizationError('denied', 'no address was pasted, so that nobody is signed in');
}

/** Says where a person is sent, host first, and what is to be known of it. */
function tell(event: OAuthEvent, io: Io): void {
  const line = (text: string): void => void io.stderr.write(`parley: ${printed(text, 'line')}\n`);
  if (event.kind === 'asked')
    line(
      `${hostOf(event.issuer)} asks you to ${event.reason === 'login' ? 'sign in' : 'allow more'} (${event.issuer})${scopeWords(event.scopes)}`,
    );
  else if (event.kind === 'warning') line(event.message);
  else if (event.kind === 'lost') line(`${hostOf(event.issuer)} no longer takes the ${event.what}`);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function scopeWords(scopes: readonly string[]): string {
  return scopes.length === 0 ? '' : `, for: ${scopes.join(' ')}`;
}
