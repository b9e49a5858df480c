import type { Fetch } from '../../../../../parley/src/jsonrpc/fetch.ts';
import type { WireEntry } from '../report.ts';
import { overheard } from '../../../recorder/tap-http.ts';

/** One request and its outcome. */
export interface Traced {
  readonly url: string;
  readonly status?: number;
  readonly contentType?: string | undefined;
  readonly location?: string | undefined;
}

/** Remembers requests about authorization. */
export interface RequestTrace {
  readonly fetch: Fetch;
  /** In the order in which they were sent. */
  readonly traced: readonly Traced[];
  /** The same, as `--wire` shows it. */
  readonly entries: readonly WireEntry[];
}

/** The most characters that are kept of one body. */
const maxText = 20_000;

type Draft = { -readonly [Key in keyof WireEntry]: WireEntry[Key] };

/** Makes a `fetch` that remembers what it was used for. */
export function createTrace(fetch: Fetch): RequestTrace {
  const traced: Traced[] = [];
  const entries: Draft[] = [];
  return {
    traced,
    entries,
    async fetch(url, request) {
      const at = traced.push({ url }) - 1;
      const { origin, pathname, search } = new URL(url);
      const path = search === '' ? pathname : `${pathname}?…`;
      entries.push({ from: 'client', http: { method: request.method, origin, path, headers: { ...request.headers } } });
      const { status, headers, body } = await fetch(url, request);
      const contentType = headers.get('content-type') ?? undefined;
      const location = headers.get('location') ?? undefined;
      traced[at] = { url, status, contentType, location };
      const shown = Object.entries({ 'content-type': contentType, location }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      const entry: Draft = { from: 'server', http: { status, headers: Object.fromEntries(shown) } };
      entries.push(entry);
      if (body === null) return { status, headers, body };
      const hear = (text: string): void => {
        const before = entry.text ?? '';
        if (text !== '' && before.length < maxText) entry.text = (before + text).slice(0, maxText);
      };
      return { status, headers, body: overheard(body, { text: hear, over: () => {} }) };
    },
  };
}
