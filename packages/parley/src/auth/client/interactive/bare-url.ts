/** A URL without the parts that a page may have added to its own. */
export function bare(href: string): string {
  const url = new URL(href);
  url.search = '';
  url.hash = '';
  return url.href;
}
