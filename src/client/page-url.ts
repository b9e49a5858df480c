/** The schemes of pages; what any other may do (`javascript:`, `file:`, `data:`) is not for a server to choose. */
const schemes: ReadonlySet<string> = new Set(['https:', 'http:']);

/**
 * Whether the URL that a server gives is one of a page that a user may be sent to: absolute, of the web, and written
 * without the spaces and control characters that URL parsers drop.
 */
export function isPageUrl(url: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
  return !/[\u0000-\u0020\u007f]/.test(url) && URL.canParse(url) && schemes.has(new URL(url).protocol);
}
