import type { ByteStream, Fetch, FetchRequest, FetchResponse } from '../../../parley/src/jsonrpc/fetch.ts';
import { settledWithin } from '../../../parley/src/jsonrpc/timeout.ts';
import type { Lane, Recorder, Seen } from './entry.ts';
import { eventStreamText } from './events.ts';

/** Circumstances of a tap at `fetch`. */
export interface HttpTapOptions {
  readonly recorder: Recorder;
  /** Conversation that the requests belong to; 0 where they belong to none. */
  readonly connection?: number;
  /** Lane of the sent request; `auth` for requests about authorization, `message` for all others, by default. */
  readonly lane?: Lane;
}

/** The same `fetch`, told to a recorder: requests, responses with all headers, their bodies, and each event of a stream. */
export function tapHttp(fetch: Fetch, { recorder, connection = 0, lane = 'message' }: HttpTapOptions): Fetch {
  return async (url, request) => {
    const exchange = recorder.note({
      lane: request.body === undefined && lane === 'message' ? 'http' : lane,
      from: 'client',
      http: { method: request.method, url, headers: lowerCase(request.headers) },
      connection,
      ...(request.body === undefined ? {} : { text: request.body }),
    });
    const ends = (): NonNullable<Seen['ends']> => (request.signal.aborted ? 'given-up' : 'over');
    const place: Place = { recorder, connection, exchange, ends, lane: lane === 'message' ? 'http' : lane };
    let response: FetchResponse;
    try {
      response = await fetch(url, request);
    } catch (error) {
      const problem = wordsOf(error, request);
      recorder.note({ lane: place.lane, from: 'server', connection, exchange, problem, ends: ends() });
      throw error;
    }
    return heard(response, place);
  };
}

/** Exchange that something belongs to. */
interface Place {
  readonly recorder: Recorder;
  readonly connection: number;
  readonly exchange: number;
  /** Lane of a response that turns out to be no message. */
  readonly lane: Lane;
  /** Tells why nothing more comes, once that is so. */
  ends(): NonNullable<Seen['ends']>;
}

function wordsOf(error: unknown, { signal }: FetchRequest): string {
  if (signal.aborted) return 'given up before an answer came';
  return `no answer came: ${error instanceof Error ? error.message : String(error)}`;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Headers that are asked for one by one where a `fetch` does not list them. */
const asked = [
  'allow',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'location',
  'mcp-protocol-version',
  'mcp-session-id',
  'retry-after',
  'server',
  'set-cookie',
  'vary',
  'www-authenticate',
];

function headersOf(headers: FetchResponse['headers']): Record<string, string> {
  // The `Headers` of every runtime can be listed; the part of it that the transport asks for cannot.
  const listed = headers[Symbol.iterator]?.();
  if (listed !== undefined) return joined({ [Symbol.iterator]: () => listed });
  return Object.fromEntries(
    asked.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
  );
}

/** Headers by their names; cookies that are set come one by one, and each of them counts. */
function joined(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const all = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(all);
}

function heard(response: FetchResponse, place: Place): FetchResponse {
  const { status, headers, body } = response;
  const { recorder, connection, exchange, lane } = place;
  const http = { status, headers: headersOf(headers) };
  const sequence = recorder.note({ lane, from: 'server', http, connection, exchange });
  if (body === null) {
    recorder.end(sequence, { ends: place.ends() });
    return response;
  }
  const type = headers.get('content-type') ?? '';
  const isStream = /^text\/event-stream\b/i.test(type);
  const listener = isStream ? events(place, sequence) : bodyText(place, { sequence, type });
  return { status, headers, body: overheard(body, listener) };
}

/** Hears what crosses as bytes, as text. */
interface TextListener {
  text(piece: string): void;
  /** @param problem Why it broke off, where it did. */
  over(problem: string | undefined): void;
  /** True to also record the beginning of a body that its caller did not read. */
  readonly wantsUnread?: boolean;
}

function bodyText(
  { recorder, lane, ends }: Place,
  { sequence, type }: { sequence: number; type: string },
): TextListener {
  let isEmpty = true;
  return {
    wantsUnread: true,
    text(piece) {
      if (piece !== '') isEmpty = false;
      recorder.grow(sequence, piece);
    },
    over(problem) {
      const isMessage = lane === 'http' && !isEmpty && /\bjson\b/i.test(type);
      const more = { lane: isMessage ? 'message' : lane, ends: ends() } as const;
      recorder.end(sequence, { ...more, ...(problem === undefined ? {} : { problem }) });
    },
  };
}

function events({ recorder, connection, exchange, ends }: Place, head: number): TextListener {
  const common = { from: 'server', connection, exchange } as const;
  const stream = eventStreamText({
    message: (text, event) => recorder.note({ ...common, lane: 'message', text, event }),
    other: (text, event) => recorder.note({ ...common, lane: 'event', event, ...(text === '' ? {} : { text }) }),
  });
  recorder.end(head);
  return {
    text: (piece) => stream.feed(piece),
    over(problem) {
      const cut = stream.within ? 'the stream ended within an event' : undefined;
      const why = [problem, cut].filter((part) => part !== undefined).join('; ');
      const end = { lane: 'event', event: { type: 'end' }, ends: ends() } as const;
      recorder.note({ ...common, ...end, ...(why === '' ? {} : { problem: why }) });
    },
  };
}

/** The same bytes, also passed as text to a listener. */
export function overheard(body: ByteStream, tell: TextListener): ByteStream {
  return {
    getReader() {
      const reader = body.getReader();
      const decoder = new TextDecoder();
      let isOver = false;
      const over = (problem?: string): void => {
        if (isOver) return;
        isOver = true;
        tell.over(problem);
      };
      return {
        async read() {
          let result: Awaited<ReturnType<typeof reader.read>>;
          try {
            result = await reader.read();
          } catch (error) {
            over(`it broke off: ${error instanceof Error ? error.message : String(error)}`);
            throw error;
          }
          if (!isOver) tell.text(decoder.decode(result.value, { stream: !result.done }));
          if (result.done) over();
          return result;
        },
        async cancel(reason) {
          if (tell.wantsUnread === true && !isOver) await readOn(this, () => isOver);
          over('it was not read to its end');
          await reader.cancel(reason);
        },
      };
    },
  };
}

/** Limit of a body that is read only for the recording: chunks, and time in milliseconds. */
const unread = { chunks: 4, ms: 300 };

/** Reads on for a moment, to record an unread body: it shows what answered instead of a server. */
async function readOn(reader: Pick<ReturnType<ByteStream['getReader']>, 'read'>, isOver: () => boolean): Promise<void> {
  const reading = async (): Promise<void> => {
    for (let chunks = 0; chunks < unread.chunks && !isOver(); chunks++) await reader.read();
  };
  await settledWithin(unread.ms, reading());
}
