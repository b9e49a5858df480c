/** An address that lacks its scheme: a host with a port or a dot, or this machine, and perhaps a path. */
const withoutScheme = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d)|\[[\da-f:.]+\])(?::\d+)?(?:\/.*)?$/i;

/** The hosts that are mostly reached without TLS. */
const near = /^(?:localhost|127\.|10\.|192\.168\.|\[|[\w-]+(?::\d+)?(?:\/|$))/i;

/**
 * Reads the URL of a server.
 *
 * @throws TypeError that says what to write, when it is none or is neither `http:` nor `https:`.
 */
export function serverUrl(given: string | URL): URL {
  // JavaScript may give anything, most likely what is served in this process.
  if (typeof given !== 'string' && !('href' in Object(given)))
    throw new TypeError(
      `a server is reached by its URL or over a transport, not by ${given === null ? 'null' : `a value of type ${typeof given}`}; one of this process by connectInMemory of parley-mcp/testing`,
    );
  const text = String(given);
  const shown = withoutSecrets(text);
  if (typeof given === 'string' && withoutScheme.test(shown)) {
    const scheme = near.test(shown) ? 'http' : 'https';
    throw new TypeError(`${JSON.stringify(shown)} is not a URL, since it has no scheme: write ${scheme}://${shown}`);
  }
  if (!URL.canParse(text)) {
    const port = /:(\d+)(?:\/|$)/.exec(shown)?.[1];
    if (Number(port) > 65_535)
      throw new TypeError(`${JSON.stringify(shown)} is not a URL: there is no port ${port}, the last one is 65535`);
    throw new TypeError(`${JSON.stringify(shown)} is not a URL: write the whole URL, such as https://mcp.example/mcp`);
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${JSON.stringify(shown)} is no http: or https: URL, by which servers are reached`);
  return url;
}

/** Text that was given, without the user, the password and the query that it may have. */
function withoutSecrets(text: string): string {
  const slashes = text.indexOf('//');
  const start = slashes < 0 ? 0 : slashes + 2;
  const rest = text.slice(start).split(/[?#]/, 1)[0] ?? '';
  const path = rest.indexOf('/');
  const at = (path < 0 ? rest : rest.slice(0, path)).lastIndexOf('@');
  return `${text.slice(0, start)}${rest.slice(at + 1)}`.slice(0, 200);
}
