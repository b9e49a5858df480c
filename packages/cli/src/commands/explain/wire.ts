import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import type { HttpHead, Recorder, Seen } from '../../recorder/entry.ts';
import { tapHttp } from '../../recorder/tap-http.ts';
import { tapLines } from '../../recorder/tap-lines.ts';
import { sharedFetch } from '../fetch.ts';
import type { WireEntry } from './report.ts';
import type { TransportSettings } from '../target.ts';

/** Listens to one conversation. */
export interface Tap {
  /** Messages that travelled so far, in order. */
  readonly entries: readonly WireEntry[];
  /** Number of further ones that are not kept. */
  readonly unkept: number;
  /** Text that the server wrote to its standard error, at the end. */
  readonly stderr: string;
  /** True when messages went to another URL than the user's, as with HTTP+SSE alone. */
  readonly elsewhere: boolean;
  /** The URL of the first request; `undefined` where there is no HTTP. */
  readonly target: string | undefined;
  /** The responses that refused for want of authorization, or may have. */
  readonly refusals: readonly SeenRefusal[];
  /** To be given to the transport. */
  readonly settings: TransportSettings;
  /** The same transport, listened to where `settings` do not reach: where there is no HTTP. */
  listen(transport: Transport): Transport;
}

/** A response that refused for want of authorization, or may have. */
export interface SeenRefusal {
  readonly status: number;
  /** The header `WWW-Authenticate`; `undefined` where there was none. */
  readonly header: string | undefined;
  /** True when the request had credentials. */
  readonly withCredentials: boolean;
}

/**
 * Limits of the recording: entries of a conversation, refusals, characters of one text and in total, of standard error,
 * and of a header.
 */
const most = { entries: 500, refusals: 20, text: 1_000_000, total: 20_000_000, stderr: 4_000, header: 16_384 };

/** The protocol's own headers. Other headers may be secret. */
const shownHeaders = {
  request: ['accept', 'content-type', 'last-event-id', 'mcp-method', 'mcp-name', 'mcp-protocol-version'],
  response: ['allow', 'content-type', 'mcp-protocol-version', 'retry-after', 'www-authenticate'],
};
const sessionHeader = 'mcp-session-id';

/** An entry whose text is still coming. */
type Draft = { -readonly [Key in keyof WireEntry]: WireEntry[Key] };

/** Makes the tap of one conversation. */
export function createTap(): Tap {
  const notebook = new Notebook();
  const lines = tapLines(notebook);
  let stderr = '';
  return {
    entries: notebook.entries,
    refusals: notebook.refusals,
    get unkept() {
      return notebook.unkept;
    },
    get target() {
      return notebook.target;
    },
    get stderr() {
      return stderr;
    },
    get elsewhere() {
      return notebook.elsewhere;
    },
    settings: {
      fetch: tapHttp(sharedFetch, { recorder: notebook }),
      closeTimeoutMs: 1_000,
      onStderr(text) {
        stderr = (stderr + text).slice(-most.stderr);
        lines.onStderr(text);
      },
    },
    listen: (transport) => (transport.carriesHeaders === true ? transport : lines.listen(transport)),
  };
}

/** Keeps the beginning of a conversation, as the report shows it. */
class Notebook implements Recorder {
  readonly entries: Draft[] = [];
  readonly refusals: SeenRefusal[] = [];
  target: string | undefined;
  elsewhere = false;
  unkept = 0;
  readonly #drafts = new Map<number, Draft>();
  /** True of each request that had credentials. */
  readonly #credentials = new Set<number>();
  #total = 0;
  #count = 0;

  connect(): number {
    return 1;
  }

  note(seen: Seen): number {
    const sequence = this.#count++;
    this.#sent(seen, sequence);
    this.#refused(seen);
    const shown = shownOf(seen);
    if (shown === undefined) return sequence;
    const { text, ...draft }: Draft = shown;
    if (this.entries.length < most.entries) this.entries.push(draft);
    else this.unkept++;
    if (text !== undefined) this.#add(draft, text);
    else if (seen.http?.status !== undefined) this.#drafts.set(sequence, draft);
    return sequence;
  }

  grow(sequence: number, piece: string): void {
    const draft = this.#drafts.get(sequence);
    if (draft !== undefined) this.#add(draft, piece);
  }

  end(sequence: number, { problem }: Pick<Seen, 'problem'> = {}): void {
    const draft = this.#drafts.get(sequence);
    if (draft !== undefined && problem !== undefined) draft.problem = problem;
    this.#drafts.delete(sequence);
  }

  #add(draft: Draft, text: string): void {
    const before = draft.text ?? '';
    if (text === '' || before.length > most.text || this.#total > most.total) return;
    this.#total += text.length;
    draft.text = clipped(before + text);
  }

  #sent({ from, http }: Seen, sequence: number): void {
    const { method, url, headers } = http ?? {};
    if (from !== 'client' || url === undefined) return;
    this.target ??= url;
    if (method === 'POST' && url !== this.target) this.elsewhere = true;
    if (headers !== undefined && 'authorization' in headers) this.#credentials.add(sequence);
  }

  /** A 400 may challenge too, where credentials are malformed. (RFC 6750, section 3.1) */
  #refused({ http, exchange = -1 }: Seen): void {
    const { status, headers } = http ?? {};
    if (status === undefined) return;
    const header = headers?.['www-authenticate']?.slice(0, most.header);
    const isRefusal = status === 401 || status === 403 || (status === 400 && header !== undefined);
    const withCredentials = this.#credentials.delete(exchange);
    if (isRefusal && this.refusals.length < most.refusals) this.refusals.push({ status, header, withCredentials });
  }
}

/** An entry of the report, which has less than a recording: no end, no event that is no message. */
function shownOf({ lane, from, text, problem, http }: Seen): WireEntry | undefined {
  if (lane === 'stderr') return text === undefined ? undefined : { from, stderr: text };
  if (http !== undefined) return { from, http: headOf(http), ...(text === undefined ? {} : { text }) };
  if (lane !== 'message') return undefined;
  return { from, ...(text === undefined ? {} : { text }), ...(problem === undefined ? {} : { problem }) };
}

function clipped(text: string): string {
  const rest = text.length - most.text;
  return rest > 0 ? `${text.slice(0, most.text)}… (${rest} characters more)` : text;
}

function headOf({ method, url, status, headers }: HttpHead): NonNullable<WireEntry['http']> {
  if (url === undefined)
    return { ...(status === undefined ? {} : { status }), headers: pick(shownHeaders.response, headers) };
  return {
    ...(method === undefined ? {} : { method }),
    path: pathOf(url),
    headers: pick(shownHeaders.request, headers),
  };
}

/** A query may hold a secret: with HTTP+SSE it is the id of the session. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return search === '' ? pathname : `${pathname}?…`;
}

function pick(names: readonly string[], headers: HttpHead['headers']): Record<string, string> {
  const session = headers[sessionHeader];
  const masked = session === undefined ? undefined : `(${session.length} characters)`;
  const found = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    [...found, [sessionHeader, masked] as const].flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}
