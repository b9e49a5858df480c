import type { Fetch } from '../../../../parley/src/jsonrpc/fetch.ts';
import { programWords } from '../../recorder/program-words.ts';
import { createInterface } from 'node:readline';
import { AuthorizationError } from '../../../../parley/src/auth/common/errors.ts';
import type { NetworkRules } from '../../../../parley/src/auth/common/network.ts';
import type { OpenRedirect, Redirect, RedirectRequest } from '../../../../parley/src/auth/common/redirect.ts';
import { describeUrl } from '../../../../parley/src/transports/http/client/described-url.ts';
import { guardedFetch, type GuardedFetch } from '../../../../parley/src/transports/node/login/guarded-fetch.ts';
import { loopback } from '../../../../parley/src/transports/node/login/loopback.ts';
import { openPage } from '../../../../parley/src/transports/node/open-page.ts';
import type { OAuthEvent } from '../../../../parley/src/auth/client/events.ts';
import type { AuthorizationOptions } from '../../../../parley/src/auth/client/options.ts';
import { oauth, type OAuth } from '../../../../parley/src/auth/client/interactive/oauth.ts';
import type { OAuthOptions, ManualRegistration } from '../../../../parley/src/auth/client/interactive/oauth-options.ts';
import { UsageError, type Io } from '../io.ts';
import { noteSecrets } from '../sent-secrets.ts';
import { shellLine } from '../shell.ts';
import { reasonOf } from '../shown.ts';
import { optionalStore } from './own-store.ts';

/**
 * Ways in which a person may be asked: not at all, or by a page that is opened (`more`: for more than was granted alone), or by one whose
 * address is printed.
 */
export type WayToAsk = 'never' | 'browser' | 'more' | 'by-hand';

/** Authorization of a person that is wanted at one server. */
export interface SignIn {
  readonly asking: WayToAsk;
  /** The server, for instructions how to sign in. */
  readonly server: URL;
  /** The only authorization server that may be used. */
  readonly issuer?: string | undefined;
  /** The client, where it was registered by hand. */
  readonly client?: ManualRegistration | undefined;
  /** The variable that has its secret, where it was given so. */
  readonly clientSecretEnv?: string | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** One of several accounts. */
  readonly account?: string | undefined;
  /** The port of this machine to come back to. */
  readonly redirectPort?: number | undefined;
  /** The part of the metadata of the authorization server that it does not publish. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly omitsResource?: boolean | undefined;
  /** True when only tokens are taken that are bound to a key. */
  readonly bound?: boolean | undefined;
  /** Time that a person may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Shows a page by another way than opening it here; false where there is none. The signal ends what waits for it. */
  readonly show?:
    | ((page: { readonly url: string; readonly message: string }, signal: AbortSignal) => Promise<boolean>)
    | undefined;
  /** Hears that a page was not opened here, so that only its printed address is left. */
  readonly unopened?: ((error: unknown) => void) | undefined;
  /** Hosts inside the network of this machine that may be reached. */
  readonly networkAllow?: readonly string[] | undefined;
  /** Gives the same `fetch`, overheard by who shows the requests about authorization. */
  readonly overheard?: ((fetch: Fetch) => Fetch) | undefined;
  /** Receives each step too. */
  readonly told?: ((event: OAuthEvent) => void) | undefined;
}

/**
 * The interactive authorization at one server, with its stored data.
 *
 * @throws UsageError for invalid options.
 */
export function personAt(wanted: SignIn, io: Io): OAuth {
  return usable(() =>
    oauth({
      ...surroundings(wanted, io),
      ...choicesOf(wanted),
      redirect: redirectOf(wanted, io),
      store: optionalStore(io),
      metadata: { name: 'Parley command line' },
    }),
  );
}

/** Library options for the chosen command-line options. */
export function choicesOf(wanted: Omit<SignIn, 'asking' | 'server'>): Partial<OAuthOptions> {
  const { issuer, client, clientMetadataUrl, scopes, account, metadata, timeoutMs } = wanted;
  return {
    ...networkChoices(wanted),
    ...(scopes === undefined ? {} : { scopes }),
    ...(client === undefined ? {} : { client }),
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    ...(issuer === undefined ? {} : { issuers: [issuer] }),
    ...(metadata === undefined || issuer === undefined ? {} : { servers: { [issuer]: metadata } }),
    ...(account === undefined ? {} : { account }),
    ...(timeoutMs === undefined ? {} : { loginTimeoutMs: timeoutMs }),
  };
}

/** Part of a wish to sign in that machines have too. */
type Surrounded = Pick<SignIn, 'networkAllow' | 'omitsResource' | 'bound' | 'overheard' | 'told'>;

/** Options that every way of being authorized has on the command line. */
export function surroundings(wanted: Surrounded, io: Io): AuthorizationOptions {
  return {
    ...fetchOf(io, wanted.overheard),
    ...networkChoices(wanted),
    onEvent: (event) => {
      tell(event, io);
      wanted.told?.(event);
    },
  };
}

function networkChoices({ networkAllow = [], omitsResource, bound }: Surrounded): AuthorizationOptions {
  return {
    network: { allow: networkAllow },
    ...(omitsResource === true ? { resourceParameter: 'omit' as const } : {}),
    dpop: bound === true ? 'always' : 'auto',
  };
}

/** The `fetch` of requests about authorization, where it is not the one of the conversation. */
function fetchOf(io: Io, overheard: SignIn['overheard']): { readonly fetch?: Fetch } {
  if (io.env['NODE_USE_ENV_PROXY'] !== '1') return { fetch: noted(guardedFetch(), overheard) };
  // A proxy looks names up by itself.
  return overheard === undefined ? {} : { fetch: noting((url, request) => fetch(url, request), overheard) };
}

/** The same `fetch`, with any rules. The secrets that it sends are never printed, even if a server repeats them. */
function noted(guarded: GuardedFetch, overheard: SignIn['overheard']): GuardedFetch {
  const within = (rules: NetworkRules): Fetch => noting(guarded.within(rules), overheard);
  return Object.assign(noting(guarded, overheard), { within });
}

function noting(fetch: Fetch, overheard: SignIn['overheard']): Fetch {
  const send = overheard?.(fetch) ?? fetch;
  const sending: Fetch = (url, request) => {
    noteSecrets(request);
    return send(url, request);
  };
  // What it has beside, such as its patience, stays.
  return Object.assign(sending, send);
}

/** Makes what options describe; those that make no sense are mistakes of who typed them. */
export function usable<Result>(make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** The way to a person, for whom the clock of the command stands still. */
function redirectOf(wanted: SignIn, io: Io): Redirect {
  const redirect = askedBy(wanted, io);
  const { limit } = io;
  if (limit === undefined) return redirect;
  return {
    ...redirect,
    open: async (...given) => {
      const place = await redirect.open(...given);
      const visit: OpenRedirect['visit'] = async (...sent) => {
        const goOn = limit.stop();
        try {
          return await place.visit(...sent);
        } finally {
          goOn();
        }
      };
      return { ...place, visit };
    },
  };
}

function askedBy(wanted: SignIn, io: Io): Redirect {
  const { asking, server, redirectPort, show, unopened } = wanted;
  const ports = redirectPort === undefined ? {} : { ports: [redirectPort] };
  const told = (url: string): void => void io.stderr.write(`To sign in, open this page:\n\n  ${url}\n\n`);
  const back = loopback(show === undefined ? { ...ports, onUrl: told } : { ...ports, open: () => {} });
  const { redirectUris } = back;
  const refuse: Redirect['open'] = (_, __, about) => Promise.reject(nobodyAsked(wanted, about));
  if (asking === 'never') return { redirectUris, open: refuse };
  if (asking !== 'by-hand') {
    const open: Redirect['open'] =
      show === undefined
        ? (...given) => back.open(...given)
        : async (...given) => shownBy(await back.open(...given), { show, server, told, unopened });
    const isMore = asking === 'more';
    return { redirectUris, open: (...given) => (isMore && given[2]?.reason !== 'step-up' ? refuse : open)(...given) };
  }
  return {
    redirectUris,
    open: async (registered) => ({
      redirectUri: registered?.[0] ?? redirectUris[0] ?? '',
      visit: ({ url }, signal) => pasted(url, io, signal),
      close: () => {},
    }),
  };
}

/** Shows the page in another way where there is one, and opens it here where there is none. */
function shownBy(
  place: OpenRedirect,
  {
    show,
    server,
    told,
    unopened,
  }: Required<Pick<SignIn, 'server' | 'unopened'>> & {
    readonly show: NonNullable<SignIn['show']>;
    told(url: string): void;
  },
): OpenRedirect {
  return {
    ...place,
    async visit(request, signal) {
      const answer = place.visit(request, signal);
      const message = `Sign in at ${hostOf(request.issuer)}, so that Parley can use ${server.host} for you.`;
      const shown = show({ url: request.url, message }, signal).then(async (isShown) => {
        if (isShown) return;
        told(request.url);
        // A user who saw the address may open it manually.
        await openPage(request.url).catch((error: unknown) => unopened?.(error));
      });
      return await Promise.race([answer, shown.then(() => answer)]);
    },
  };
}

/** The error if a login is needed and the user may not be asked. */
export function nobodyAsked(
  signIn: SignIn,
  { issuer, scopes, reason = 'login' }: Partial<Pick<RedirectRequest, 'issuer' | 'scopes' | 'reason'>> = {},
): AuthorizationError {
  const isMore = reason === 'step-up';
  const wanted = isMore ? 'more than was granted (HTTP 403)' : 'a login (HTTP 401)';
  const command = loginCommand(isMore ? { ...signIn, scopes } : signIn);
  return new AuthorizationError(
    'login-required',
    `the server wants ${wanted}, and this command may not ask for it; run: ${command}; what its operator gave you goes by --header or --token-env`,
    { issuer, scopes },
  );
}

/**
 * The command line for the wanted sign-in, quoted for a shell. The query of a URL and the client secret are secrets,
 * and left out.
 */
function loginCommand({ server, ...wanted }: SignIn): string {
  const secret = secretVariable(wanted);
  const words = [...programWords(), 'login', ...loginWords(wanted)];
  const notes = [
    ...(server.search === '' ? [] : [`<url> is that of ${describeUrl(server)}, with its query`]),
    ...(secret === undefined ? [] : [`the variable ${secret} has the secret of the client`]),
  ];
  const line = server.search === '' ? shellLine([...words, server.href]) : `${shellLine(words)} '<url>'`;
  return notes.length === 0 ? line : `${line} (${notes.join(', and ')})`;
}

/** The options of a login as they are typed. */
export function loginWords(wanted: Omit<SignIn, 'server' | 'asking'>): readonly string[] {
  const { account, client, metadata, scopes = [] } = wanted;
  const option = (name: string, text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : [`--${name}`, text];
  return [
    ...option('account', account),
    ...option('client-id', client?.id),
    ...option('client-secret-env', secretVariable(wanted)),
    ...option('client-metadata-url', wanted.clientMetadataUrl),
    ...option('issuer', client?.issuer ?? wanted.issuer),
    ...option('as-metadata', metadata && JSON.stringify(metadata)),
    ...option('redirect-port', wanted.redirectPort?.toString()),
    ...option('scope', scopes.join(' ')),
    ...(wanted.networkAllow ?? []).flatMap((host) => option('network-allow', host)),
    ...(wanted.omitsResource === true ? ['--no-resource-parameter'] : []),
    ...(wanted.bound === true ? ['--dpop'] : []),
  ];
}

function secretVariable({
  client,
  clientSecretEnv = 'CLIENT_SECRET',
}: Omit<SignIn, 'server' | 'asking'>): string | undefined {
  return client?.secret === undefined ? undefined : clientSecretEnv;
}

/** The longest line that is read. */
const maxLineLength = 16_384;

/** Has a person open the page anywhere, and paste the address at which it ended. */
async function pasted(url: string, io: Io, signal: AbortSignal): Promise<string> {
  io.stderr.write(
    `To sign in, open this page in a browser on any machine:\n\n  ${url}\n\nAt the end the browser shows an address that begins with http://127.0.0.1, perhaps with an error.\nPaste that address here: `,
  );
  const lines = createInterface({ input: io.stdin, signal });
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (text.length <= maxLineLength && URL.canParse(text)) return text;
      io.stderr.write('That is no address; paste the whole of it: ');
    }
  } finally {
    lines.close();
  }
  signal.throwIfAborted();
  throw new AuthorizationError('denied', 'no address was pasted, so no user is signed in');
}

/** Prints where the user is sent, host first, and what the user should know. */
function tell(event: OAuthEvent, io: Io): void {
  const line = (text: string): void => void io.stderr.write(`parley: ${reasonOf(text)}\n`);
  if (event.kind === 'asked')
    line(
      `${hostOf(event.issuer)} asks you to ${event.reason === 'login' ? 'sign in' : 'allow more'} (${event.issuer})${scopeWords(event.scopes)}`,
    );
  else if (event.kind === 'warning') line(event.message);
  else if (event.kind === 'lost')
    line(
      `${hostOf(event.issuer)} no longer takes the ${event.what}${event.message === undefined ? '' : `: ${event.message}`}`,
    );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function scopeWords(scopes: readonly string[]): string {
  return scopes.length === 0 ? '' : `, for: ${scopes.join(' ')}`;
}
