/** Requests of browsers to our pages, and their origin headers. */

/** Origin of a request, by the browser's headers. (Fetch Metadata Request Headers; RFC 6454.) */
export type From = 'here' | 'the person' | 'elsewhere or unknown';

/**
 * The origin of a request: our own page, the user (address bar, bookmark, another program), or anything else, including
 * requests without the header.
 */
export function fromOf({ headers }: Request): From {
  const site = headers.get('sec-fetch-site');
  if (site === 'same-origin') return 'here';
  return site === 'none' ? 'the person' : 'elsewhere or unknown';
}

/** True when a form of our own page was sent; browsers without fetch metadata name their origin. */
export function isOwnForm(request: Request, origin: string): boolean {
  if (request.headers.get('sec-fetch-site') !== null) return fromOf(request) === 'here';
  return request.headers.get('origin') === origin;
}

/** True when a browser wants a page for a frame, an image or a script, or before anybody asked for it. */
export function isNoVisit({ headers }: Request): boolean {
  const destination = headers.get('sec-fetch-dest');
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose') ?? '';
  return (destination !== null && destination !== 'document') || /prefetch|prerender/.test(purpose);
}

/** The value of a cookie; `undefined` if it is missing, or there are several. (RFC 6265, section 4.2.) */
export function cookieOf({ headers }: Request, name: string): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  const values = pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
  return values.length === 1 ? values[0] : undefined;
}

/** The most bytes of a form. */
const mostBytes = 16_384;

/** The fields of a submitted form; `undefined` if it is not a form, or too large. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const [type] = (request.headers.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded' || request.body === null) return undefined;
  const reader = request.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return new URLSearchParams(text + decoder.decode());
}
