/** Errors of requests that got no response. */

import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { describeUrl } from './described-url.ts';

/** Plain explanations of Node's error codes. */
const known: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'its name could not be resolved',
};

/** Error codes and texts of the runtimes if a peer does not answer with TLS. */
const noTls = /wrong.version.number|packet.length.too.long|http.request|InvalidContentType/i;

/** Error codes of the runtimes for a certificate with an unknown issuer. */
const unvouched = /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

/** Codes for a connection that the peer closed before it answered. */
const closed: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Codes and messages of the runtimes for a connection that was never made, so that no byte of the request was sent. */
const unconnected =
  /ECONNREFUSED|ConnectionRefused|FailedToOpenSocket|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|EPROTO|before secure TLS|\(Connect\)|bad port/;

/** Error codes for a failed TLS handshake. A connection that ends without the closing alert is not among them. */
const noHandshake =
  /^ERR_TLS_|^ERR_SSL_.*(?:VERSION|PROTOCOL|HANDSHAKE|CIPHER|NAME|_CA)|CERT|^UNABLE_TO_|^INVALID_|MISMATCH$/;

/**
 * Error of a request without a response. Its reason is `refused` only if the server cannot have received anything;
 * otherwise the server may have acted on the request. Runtimes wrap the cause of a failed fetch in an uninformative
 * error.
 */
export function notReached(cause: unknown, url: URL): ConnectionError {
  const why = whyNotReached(cause, url);
  return isUnsent(cause, url)
    ? new ConnectionError('refused', `${describeUrl(url)} cannot be reached: ${why}`, { cause })
    : new ConnectionError('closed', `no answer from ${describeUrl(url)}: ${why}`, { cause });
}

function isUnsent(error: unknown, url: URL): boolean {
  const inner = innermost(error);
  if (!(inner instanceof Error)) return false;
  const { code, syscall } = inner as Error & { readonly code?: unknown; readonly syscall?: unknown }; // Node adds both.
  const words = `${String(code)} ${inner.message}`;
  // Node tries all addresses of a host, and puts the failures of connecting to each into an `AggregateError`.
  if (inner instanceof AggregateError || syscall === 'connect' || unconnected.test(words)) return true;
  return url.protocol === 'https:' && (noHandshake.test(String(code)) || noTls.test(words));
}

/** The reason why a URL could not be reached, as text for people. */
export function whyNotReached(cause: unknown, url: URL): string {
  return reasonOf(innermost(cause), url);
}

/** Adds a hint if a server that has never answered closed its connection: perhaps it wants TLS. */
export function perhapsTls(error: unknown, url: URL): unknown {
  if (!(error instanceof ConnectionError) || error.reason !== 'closed') return error;
  const hint = tlsHint(error.cause, url);
  return hint === '' ? error : new ConnectionError('closed', `${error.message}${hint}`, { cause: error.cause });
}

/** The same hint for the end of a sentence; empty if the connection was not closed that way. */
export function tlsHint(cause: unknown, url: URL): string {
  if (!closed.has(codeOf(innermost(cause))) || url.protocol !== 'http:') return '';
  return `; if it is an https server, write ${describeUrl(url).replace('http:', 'https:')}`;
}

function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function reasonOf(error: unknown, url: URL): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  const words = error.message === '' ? (typeof code === 'string' ? code : error.name) : plain(error.message);
  if (url.protocol === 'https:' && noTls.test(`${String(code)} ${error.message}`))
    return `what answers there does not speak TLS (${words}); if it is an http server, write ${describeUrl(url).replace('https:', 'http:')}`;
  if (closed.has(code)) return `the connection was closed (${words})`;
  if (unvouched.test(String(code)))
    return `${words}; if it is meant to be trusted, put the certificate of its issuer into a file and name that in NODE_EXTRA_CA_CERTS`;
  const meant = typeof code === 'string' && Object.hasOwn(known, code) ? known[code] : undefined;
  return meant === undefined ? words : `${meant} (${words})`;
}

/** OpenSSL puts its message between numbers, functions and files: `…:error:0A00010B:SSL routines:f:words:file:77:`. */
function plain(message: string): string {
  const parts = message.trim().split(':');
  const at = parts.indexOf('SSL routines');
  return at < 0 ? message.trim() : (parts[at + 2] ?? message.trim());
}
