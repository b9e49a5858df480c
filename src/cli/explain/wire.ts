import type { ByteStream, Fetch, FetchRequest, FetchResponse } from '../../http/client/fetch.ts';
import { messageText } from '../../jsonrpc/encode.ts';
import type { Channel, Transport } from '../../jsonrpc/transport.ts';
import { sharedFetch } from '../fetch.ts';
import { eventText } from './events.ts';
import type { WireEntry } from './report.ts';
import type { TransportSettings } from '../target.ts';

/** Listens to one conversation. */
export interface Tap {
  /** Messages that travelled so far, in order. */
  readonly entries: readonly WireEntry[];
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
 * Limits of what is kept: entries of a conversation, refusals, characters of one text and of all, of standard error, and of a header.
 */
const most = { entries: 500, refusals: 20, text: 1_000_000, total: 20_000_000, stderr: 4_000, header: 16_384 };

/** The headers that are the protocol's; all others may be somebody's secret. */
const shownHeaders = {
  request: ['accept', 'content-type', 'last-event-id', 'mcp-method', 'mcp-name', 'mcp-protocol-version'],
  response: ['allow', 'content-type', 'mcp-protocol-version', 'retry-after', 'www-authenticate'],
};
const sessionHeader = 'mcp-session-id';

/** An entry whose text is still coming. */
type Draft = { -readonly [Key in keyof WireEntry]: WireEntry[Key] };

interface Notebook {
  note(entry: WireEntry): Draft;
  /** Adds to the text of an entry. */
  grow(draft: Draft, text: string): void;
}

/** Makes the tap of one conversation. */
export function createTap(): Tap {
  const entries: Draft[] = [];
  const refusals: SeenRefusal[] = [];
  let stderr = '';
  let total = 0;
  let target: string | undefined;
  let elsewhere = false;

  function note({ text, ...entry }: WireEntry): Draft {
    const draft: Draft = entry;
    if (entries.length < most.entries) entries.push(draft);
    if (text !== undefined) grow(draft, text);
    return draft;
  }

  function grow(draft: Draft, text: string): void {
    const before = draft.text ?? '';
    if (text === '' || before.length > most.text || total > most.total) return;
    total += text.length;
    draft.text = clipped(before + text);
  }

  const tapped: Fetch = async (url, request) => {
    target ??= url;
    if (request.method === 'POST' && url !== target) elsewhere = true;
    note(sent(url, request));
    const response = await sharedFetch(url, request);
    const refusal = refusalOf(request, response);
    if (refusal !== undefined && refusals.length < most.refusals) refusals.push(refusal);
    return heard(response, { note, grow });
  };

  return {
    entries,
    refusals,
    get target() {
      return target;
    },
    get stderr() {
      return stderr;
    },
    get elsewhere() {
      return elsewhere;
    },
    settings: {
      fetch: tapped,
      closeMs: 1_000,
      killAfterMs: 500,
      onStderr(text) {
        stderr = (stderr + text).slice(-most.stderr);
        note({ from: 'server', stderr: text });
      },
    },
    listen: (transport) => (transport.carriesHeaders === true ? transport : listened(transport, note)),
  };
}

function clipped(text: string): string {
  const rest = text.length - most.text;
  return rest > 0 ? `${text.slice(0, most.text)}… (${rest} characters more)` : text;
}

/** A message is written as its line came; where there are no lines, as it was read. */
function listened(transport: Transport, note: (entry: WireEntry) => void): Transport {
  return {
    ...transport,
    async open(receiver) {
      let line: string | undefined;
      const channel = await transport.open({
        ...receiver,
        line(text) {
          line = text;
        },
        message(value, about) {
          // What came as JSON can be written as JSON, whatever kind of message it is.
          note({ from: 'server', text: line ?? messageText(value as Parameters<typeof messageText>[0]) });
          line = undefined;
          receiver.message(value, about);
        },
        problem(error, about) {
          line = undefined;
          note({ from: 'server', problem: error.message });
          receiver.problem(error, about);
        },
      });
      return {
        ...forwarded(channel),
        async send(message, options) {
          note({ from: 'client', text: messageText(message) });
          await channel.send(message, options);
        },
      };
    },
  };
}

/** Parts of a channel that no message passes through. */
function forwarded(channel: Channel): Pick<Channel, 'close' | 'setHeaders' | 'listen'> {
  return {
    close: () => channel.close(),
    setHeaders: (headers) => channel.setHeaders?.(headers),
    listen: async () => (await channel.listen?.()) ?? true,
  };
}

function sent(url: string, { method, headers, body }: FetchRequest): WireEntry {
  const shown = pick(shownHeaders.request, (name) => headers[name]);
  const http = { method, path: pathOf(url), headers: shown };
  return { from: 'client', http, ...(body === undefined ? {} : { text: body }) };
}

/** A query may hold a secret: with HTTP+SSE it is the id of the session. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return search === '' ? pathname : `${pathname}?…`;
}

function pick(names: readonly string[], of: (name: string) => string | null | undefined): Record<string, string> {
  const found = names.map((name) => [name, of(name) ?? undefined] as const);
  const session = of(sessionHeader) ?? undefined;
  const masked = session === undefined ? undefined : `(${session.length} characters)`;
  return Object.fromEntries(
    [...found, [sessionHeader, masked] as const].flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}

/** A 400 may challenge too, where credentials are malformed. (RFC 6750, section 3.1) */
function refusalOf(request: FetchRequest, { status, headers }: FetchResponse): SeenRefusal | undefined {
  const header = headers.get('www-authenticate')?.slice(0, most.header);
  const isRefusal = status === 401 || status === 403 || (status === 400 && header !== undefined);
  const withCredentials = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
  return isRefusal ? { status, header, withCredentials } : undefined;
}

function heard(response: FetchResponse, { note, grow }: Notebook): FetchResponse {
  const { status, headers, body } = response;
  const http = { status, headers: pick(shownHeaders.response, (name) => headers.get(name)) };
  const entry = note({ from: 'server', http });
  if (body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  const listener = isStream
    ? eventText((text) => note({ from: 'server', text }))
    : (text: string): void => grow(entry, text);
  return { status, headers, body: overheard(body, listener) };
}

/** The same bytes, told as text to somebody else too. */
export function overheard(body: ByteStream, tell: (text: string) => void): ByteStream {
  return {
    getReader() {
      const reader = body.getReader();
      const decoder = new TextDecoder();
      return {
        async read() {
          const result = await reader.read();
          tell(decoder.decode(result.value, { stream: !result.done }));
          return result;
        },
        cancel: (reason) => reader.cancel(reason),
      };
    },
  };
}
