/**
 * Splits an address around its host, which stands after the last `@` before the path: what stands before that is a name
 * that anybody may choose, and may look like a host. `undefined` where the host is written in another way.
 */
export function aroundHost(url: string, host: string): readonly [string, string, string] | undefined {
  const head = /^[a-z][a-z\d+.-]*:\/\//i.exec(url)?.[0].length;
  if (head === undefined) return undefined;
  const end = head + (/[/?#\\]/.exec(url.slice(head))?.index ?? url.length - head);
  const begin = head + url.slice(head, end).lastIndexOf('@') + 1;
  const written = url.slice(begin, end);
  // A browser leaves out the port that a scheme has by itself.
  if (written.toLowerCase().replace(/:\d*$/, '') !== host.toLowerCase().replace(/:\d*$/, '')) return undefined;
  return [url.slice(0, begin), written, url.slice(end)];
}
