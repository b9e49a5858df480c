/** The well-known URLs of a protected resource and of an authorization server. */

/**
 * The URLs for the metadata of a protected resource, in order: that of its path, then that of its origin. (RFC 9728,
 * section 3.1; spec 2025-11-25, Authorization, Protected Resource Metadata Discovery Requirements.)
 */
export function resourceMetadataUrls(server: URL): readonly string[] {
  const root = `${server.origin}${resourceMetadataPath('/')}`;
  const path = pathOf(server.pathname);
  return path === '' ? [root] : [`${server.origin}${resourceMetadataPath(path)}${server.search}`, root];
}

/** The path of the metadata of the protected resource at a path of an origin. */
export function resourceMetadataPath(path: string): string {
  return `/.well-known/oauth-protected-resource${pathOf(path)}`;
}

/**
 * The URLs for the metadata of an authorization server, in order. For an issuer with a path, the root is never tried,
 * since it may have a different owner. (RFC 8414, section 3.1; OpenID Connect Discovery 1.0, section 4; spec
 * 2025-11-25, Authorization, Authorization Server Metadata Discovery.)
 *
 * @param issuer An issuer identifier: an absolute URL.
 */
export function serverMetadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathOf(pathname);
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/** A path without a slash at its end; empty for the root. */
function pathOf(pathname: string): string {
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
