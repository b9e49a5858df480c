/** Rules of where requests about authorization may go: no stranger's document may send them into the networks of this machine. */

import { addressBytes, innerRange } from './address.ts';
import { AuthorizationError } from './errors.ts';

/** Options of where requests about authorization may go. */
export interface NetworkOptions {
  /**
   * Hosts that may be reached although they are in an internal network, each a name or an address, without scheme and
   * port; for example a company's authorization server. The host of the MCP server itself is always allowed. None by
   * default.
   */
  readonly allow?: readonly string[];
}

/** The rules of one MCP server. */
export interface NetworkRules {
  /**
   * Rejects a URL that may not be fetched.
   *
   * @param what Its name for errors, such as `the token endpoint`.
   * @throws AuthorizationError `insecure-url` if it is neither `https:` nor `http:` of this machine, `address-refused`
   * for an
   * address in an internal range.
   */
  check(url: string, what: string): URL;
  /** True when a name may resolve to an address; a platform that resolves names itself asks it before it connects. */
  mayConnect(hostname: string, address: string): boolean;
}

/**
 * Makes the rules of one MCP server: `https:` only, unless the server itself is on this machine with `http:`; and no
 * address of an internal range, except for the server's own host and the allowed ones.
 *
 * @param server The URL of the MCP server, or the identifier of the protected resource.
 * @throws TypeError for an invalid allowed host.
 */
export function networkRules(server: URL, { allow = [] }: NetworkOptions = {}): NetworkRules {
  const allowed = new Set([...allow.map(allowedHost), hostOf(server.hostname)]);
  const near = isLoopback(server.hostname);
  const inner = near ? 'a loopback address' : rangeOf(server.hostname);
  const permits = (hostname: string, range: string | undefined): boolean =>
    range === undefined || range === inner || allowed.has(hostOf(hostname));
  return {
    check(text, what) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined) throw new AuthorizationError('insecure-url', `${what} is not a URL`);
      const plain = url.protocol === 'http:' && isLoopback(url.hostname) && near && server.protocol === 'http:';
      if (url.protocol !== 'https:' && !plain)
        throw new AuthorizationError(
          'insecure-url',
          `${what} must be an https: URL, and ${url.protocol}//${url.host} is not (http: is only for servers on this machine)`,
        );
      if (url.username !== '' || url.password !== '')
        throw new AuthorizationError('insecure-url', `${what} must not have credentials in its URL`);
      const range = isLoopback(url.hostname) ? 'a loopback address' : rangeOf(url.hostname);
      if (!permits(url.hostname, range))
        throw new AuthorizationError(
          'address-refused',
          `${what} lies at ${url.host}, ${range}, where a server elsewhere may not send us; if that is meant, allow it with network: { allow: ['${url.hostname}'] }`,
        );
      return url;
    },
    mayConnect(hostname, address) {
      const bytes = addressBytes(address);
      return bytes !== undefined && permits(hostname, innerRange(bytes));
    },
  };
}

/** True when a host is this machine by its spelling. */
export function isLoopback(hostname: string): boolean {
  const host = hostOf(hostname);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const bytes = addressBytes(host);
  return bytes !== undefined && innerRange(bytes) === 'a loopback address';
}

function rangeOf(hostname: string): string | undefined {
  const bytes = addressBytes(hostOf(hostname));
  return bytes === undefined ? undefined : innerRange(bytes);
}

/** An allowed host as URLs spell it. */
function allowedHost(given: string): string {
  const text = addressBytes(given)?.length === 16 && !given.startsWith('[') ? `[${given}]` : given;
  const url = typeof text === 'string' && URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined;
  if (url === undefined || url.href !== `https://${url.hostname}/` || /[/:?#@]$/.test(text))
    throw new TypeError('network.allow must have hosts without scheme and port');
  return hostOf(url.hostname);
}

/** A host as URLs spell it, without the dot that may end a name. */
function hostOf(hostname: string): string {
  const text = hostname.toLowerCase();
  return text.endsWith('.') ? text.slice(0, -1) : text;
}
