import type { Fetch, FetchRequest, FetchResponse } from '../../../jsonrpc/fetch.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { notReached } from './unreached.ts';
import { describeUrl } from './described-url.ts';

const maxRedirects = 3;

/**
 * Fetches. It only follows redirects within the origin that keep the method: the request's credentials and session are
 * for that origin alone.
 *
 * @throws ConnectionError `refused` if nothing was sent, `closed` if there is no response, `http` for a redirect that
 * is not followed.
 */
export async function fetchWithin(fetch: Fetch, url: URL, request: FetchRequest): Promise<FetchResponse> {
  let target = url;
  for (let followed = 0; ; followed++) {
    let response: FetchResponse;
    try {
      response = await fetch(target.href, request);
    } catch (error) {
      throw failure(error, target, request);
    }
    const { status } = response;
    if (status !== 0 && (status < 300 || status > 399)) return response;
    void discard(response);
    const to = redirection(response, target);
    if (to === undefined || to.origin !== url.origin || (status !== 307 && status !== 308)) {
      const where = to === undefined ? '' : ` to ${describeUrl(to)}`;
      const remedy = to === undefined ? '' : ': if you trust that address, give it in place of this one';
      throw new ConnectionError(
        'http',
        `${describeUrl(target)} answered with a redirect${where}, which is not followed${remedy}`,
        { status },
      );
    }
    if (followed === maxRedirects)
      throw new ConnectionError('http', `${describeUrl(url)} redirects more than ${maxRedirects} times`, { status });
    target = to;
  }
}

/** Discards an unneeded body. */
export async function discard(response: FetchResponse): Promise<void> {
  try {
    await response.body?.getReader().cancel();
  } catch {
    // It has closed already.
  }
}

function failure(cause: unknown, url: URL, { signal }: FetchRequest): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  if (signal.aborted) return new ConnectionError('aborted', 'the exchange was aborted', { cause });
  return notReached(cause, url);
}

function redirection(response: FetchResponse, from: URL): URL | undefined {
  const location = response.headers.get('location');
  if (location === null) return undefined;
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}
