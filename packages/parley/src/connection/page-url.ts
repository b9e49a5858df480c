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
 * The page that a URL of a peer's leads a user to, where a user may be sent there: absolute, by `https`, or by `http` on this
 * machine alone, without a user name, which is there to be taken for a host, and written without the spaces and control
 * characters that URL parsers drop. What any other scheme may do (`javascript:`, `file:`, `data:`) is not for a peer to choose.
 */
export function pageUrl(url: string): URL | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
  if (/[\u0000-\u0020\u007f]/.test(url) || !URL.canParse(url)) return undefined;
  const page = new URL(url);
  const safe = page.protocol === 'https:' || (page.protocol === 'http:' && isLoopback(page.hostname));
  return safe && page.username === '' && page.password === '' ? page : undefined;
}
