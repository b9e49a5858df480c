import { parseChallenges } from '../../../../parley/src/auth/common/challenge.ts';
import { resourceMetadataUrls, serverMetadataUrls } from '../../../../parley/src/auth/common/well-known.ts';
import { jsonOf } from '../../../../parley/src/auth/common/document.ts';
import { AuthorizationError } from '../../../../parley/src/auth/common/errors.ts';
import { connect } from '../../../../parley/src/client.ts';
import { bodyStart } from '../../../../parley/src/transports/http/client/body.ts';
import { describeUrl } from '../../../../parley/src/transports/http/client/described-url.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { ConnectionError, type Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';
import { sharedFetch } from '../fetch.ts';
import type { Io } from '../io.ts';

/** Kinds of failure behind which there may be no authorization at all: the server was taken at its silence. */
const doubtful: ReadonlySet<string> = new Set([
  'registration',
  'discovery',
  'invalid-response',
  'server-error',
  'login-required',
]);

/** Time that a server has to say what it is, in milliseconds. */
const maxMs = 10_000;

/** Most of a document that is read, in bytes. */
const mostBytes = 64 * 1024;

/** A server at which an authorization failed. */
export interface SoughtServer {
  readonly url: URL;
  /** A way to it without a login. */
  readonly way: Transport;
  /** True when a client was given that needs no registration there. */
  readonly hasClient: boolean;
}

/**
 * Explains a failed authorization by the answer at the URL, if nothing there uses authorization. Then its metadata was
 * looked for where none is required, and the missing parts prove nothing. Other failures are not changed.
 */
export async function soughtInVain(
  error: unknown,
  { url, way, hasClient }: SoughtServer,
  io: Pick<Io, 'signal'>,
): Promise<unknown> {
  if (!(error instanceof AuthorizationError) || !doubtful.has(error.reason)) return error;
  // The server asked for something other than a login, or rejected the credentials.
  if (error.status === 401 && error.reason !== 'registration') return error;
  // Only metadata lead to another place.
  if (error.issuer !== undefined && error.issuer !== url.origin) return error;
  const found = await lookedAt(way, io.signal);
  if (io.signal.aborted) return error;
  const told = (words: string): AuthorizationError => new AuthorizationError('discovery', words, { cause: error });
  const other = otherThan(found);
  // A page or another service may answer whatever is asked of it, metadata too.
  // Its words say all, and its reason decides about the exit code.
  if (other !== undefined) return found?.message === other ? found : told(other);
  if (namesMetadata(found) || error.reason === 'server-error' || (await mayPublish(url, io.signal))) return error;
  if (found === undefined) return told(openTo(url));
  // The client names an option that no command has.
  const said =
    found instanceof ConnectionError
      ? found.message.split(': it wants authorization', 1)[0]
      : `${describeUrl(url)} refuses with ${found.message}`;
  // Where no client has to be registered, the page is the first to be missed.
  const [missed, more] =
    hasClient && error.reason === 'discovery'
      ? [
          `, and no page at ${url.origin}/authorize, where it is looked for then`,
          ', or its endpoints by --issuer and --as-metadata',
        ]
      : ['', ''];
  return told(
    `${said}: it wants authorization and says nowhere how to sign in (it has no metadata${missed}); give what its operator gave you, by --header 'Name: value' or --token-env${more}`,
  );
}

/**
 * The failure of a login, where a server publishes nothing and there is nothing to sign in to: a client that needs no registration
 * would be sent to a page that is guessed.
 */
export async function vainGuess(
  { url, way }: Pick<SoughtServer, 'url' | 'way'>,
  io: Pick<Io, 'signal'>,
): Promise<Error | undefined> {
  if (await mayPublish(url, io.signal)) return undefined;
  const found = await lookedAt(way, io.signal);
  const words = found === undefined ? openTo(url) : otherThan(found);
  if (found !== undefined && found.message === words) return found;
  return words === undefined ? undefined : new AuthorizationError('discovery', words, { cause: found });
}

function openTo(url: URL): string {
  return `${describeUrl(url)} answers without a login: there is nothing to sign in to, and parley call works as it is`;
}

/** Text about the answer at a URL that is not a server with authorization. */
function otherThan(found: ConnectionError | McpError | undefined): string | undefined {
  if (!(found instanceof ConnectionError) || found.reason === 'unauthorized') return undefined;
  return found.status === undefined ? found.message : `nothing to sign in to: ${found.message}`;
}

/** Failure of a server without a login; `undefined` if it just answers. */
async function lookedAt(way: Transport, signal: AbortSignal): Promise<ConnectionError | McpError | undefined> {
  try {
    const client = await connect(way, {
      info: { name: 'parley-login', version },
      signal,
      timeoutMs: maxMs,
      // Here it is asked whether it answers, not how well.
      onWarning: () => {},
    });
    await client.close();
    return undefined;
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof McpError) return error;
    throw error;
  }
}

/** Tells whether a refusal says where there is to be metadata: then something is wrong with those, which the first failure tells. */
function namesMetadata(found: ConnectionError | McpError | undefined): boolean {
  const challenge = found instanceof ConnectionError ? found.challenge : undefined;
  return parseChallenges(challenge).some(({ parameters }) => parameters['resource_metadata'] !== undefined);
}

/** Tells whether a server publishes anything of how it is authorized, or cannot say now. */
async function mayPublish(server: URL, signal: AbortSignal): Promise<boolean> {
  const urls = [...resourceMetadataUrls(server), ...serverMetadataUrls(server.origin)];
  const found = await Promise.all(urls.map((url) => documentAt(url, signal)));
  return found.some(
    (document) =>
      document === unknown ||
      (isObject(document) && ['resource', 'authorization_servers', 'issuer'].some((name) => name in document)),
  );
}

/** Marks a document whose existence is unknown now. */
const unknown = Symbol('unknown');

/** The JSON document at a URL; `undefined` where there is none, and `unknown` where its server fails or says nothing. */
async function documentAt(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const request = { method: 'GET', headers: { accept: 'application/json' }, redirect: 'manual' } as const;
    const soon = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
    const response = await sharedFetch(url, { ...request, signal: soon });
    const { status } = response;
    const text = await bodyStart(response, mostBytes);
    if (status >= 500 || status === 429 || status === 408) return unknown;
    return status === 200 ? jsonOf(text) : undefined;
  } catch {
    return unknown;
  }
}
