/** Protected resources, as URLs name them. (RFC 8707, section 2; RFC 9728, section 3.3.) */

/**
 * The identifier of a server as a protected resource: its URL without fragment and credentials, and without a slash that is its
 * whole path. (Spec 2025-11-25, Authorization, Canonical Server URI.)
 */
export function canonicalResource(server: URL): string {
  const path = server.pathname === '/' ? '' : server.pathname;
  return `${server.origin}${path}${server.search}`;
}

/**
 * True if the metadata of a resource applies to a server: scheme, host and port are equal, and its path is a prefix of
 * the server's, by whole segments. A resource of the whole origin applies to every path.
 *
 * @param resource The `resource` of the metadata, unchanged.
 */
export function speaksFor(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const url = new URL(resource);
  if (url.origin !== server.origin || url.origin === 'null') return false;
  if (url.hash !== '' || resource.includes('#') || url.username !== '' || url.password !== '') return false;
  if (url.search !== '') return url.search === server.search && url.pathname === server.pathname;
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return `${server.pathname}/`.startsWith(path);
}

/** True if two texts name one resource: they are equal apart from a final slash. */
export function sameResource(a: string, b: string): boolean {
  return trimmed(a) === trimmed(b);
}

function trimmed(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
