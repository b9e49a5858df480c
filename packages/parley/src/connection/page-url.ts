/** The host names of this machine, on which no certificate is to be had. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}

/**
 * The page of a peer's URL, if it is safe to send a user there: absolute, with `https`, or `http` on this machine
 * alone. It has no user name (which could be mistaken for a host), and none of the spaces and control characters that
 * URL parsers drop. A peer must not choose any other scheme (`javascript:`, `file:`, `data:`).
 */
export function pageUrl(url: string): URL | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
  if (/[\u0000-\u0020\u007f]/.test(url) || !URL.canParse(url)) return undefined;
  const page = new URL(url);
  const safe = page.protocol === 'https:' || (page.protocol === 'http:' && isLoopback(page.hostname));
  return safe && page.username === '' && page.password === '' ? page : undefined;
}
