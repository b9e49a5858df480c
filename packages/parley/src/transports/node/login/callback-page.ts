/** The pages that a browser shows after the redirect. They hold nothing from the redirect. */

const head =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">';
const style =
  '<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style></head>';

function page(title: string, text: string): string {
  return `${head}<title>${title}</title>${style}<body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
}

/** The page after the expected answer. The program that began the login checks the answer. */
export function donePage(): string {
  return page('Back to your program', 'You can close this page: the program that sent you here continues.');
}

/** The page for any other request. */
export function nothingPage(): string {
  return page('Nothing is awaited here', 'This address answers only the login that is under way.');
}

/** The header fields of both: nothing is loaded, cached, framed or sent as referrer. (RFC 6819, section 5.2.4.) */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
};
