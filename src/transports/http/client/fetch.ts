import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { notReached } from './unreached.ts';
import { describeUrl } from './words.ts';

/** Parts of `fetch` that the client needs; that of every runtime fits. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** One request as a `fetch` gets it: the part of `RequestInit` that is used. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** The answer of a `fetch`: the part of `Response` that is used. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: {
    get(name: string): string | null;
    /** Lists all of them, names in lower case, for who records what came; those of every runtime can. */
    [Symbol.iterator]?(): Iterator<[string, string]>;
  };
  readonly body: ByteStream | null;
}

/** A stream of bytes, as a body is one. */
export interface ByteStream {
  getReader(): ByteStreamReader;
  /** All of it, where it has come already and nobody has read of it; most bodies here are there with their heads. */
  whole?(): Uint8Array | undefined;
}

/** A reader of bytes: the part of a `ReadableStreamDefaultReader` that is used. */
export interface ByteStreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

const maxRedirects = 3;

/**
 * Fetches, following redirects only within the origin and only those that keep the method: what the request carries
 * (credentials, the session) is for that origin alone.
 *
 * @throws ConnectionError `refused` when nothing was sent, `closed` when there is no response, `http` for a redirect that is not followed.
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

/** Lets go of a body that nobody wants. */
export async function discard(response: FetchResponse): Promise<void> {
  try {
    await response.body?.getReader().cancel();
  } catch {
    // It is gone already.
  }
}

function failure(cause: unknown, url: URL, { signal }: FetchRequest): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  if (signal.aborted) return new ConnectionError('aborted', 'the exchange was given up', { cause });
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
