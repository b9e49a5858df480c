import type { RecordingEntry } from './entry.ts';

/** Program that wrote an archive. */
export interface HarCreator {
  readonly name: string;
  readonly version: string;
}

/**
 * Writes the exchanges of a recording as an HTTP archive (HAR 1.2), for the tools that read one. Messages of an event stream are the
 * body of its response, one after the other; what crossed elsewhere is left out.
 *
 * @param entries Entries as they are shown, oldest first.
 */
export function toHar(entries: readonly RecordingEntry[], creator: HarCreator): object {
  const answers = new Map<number, RecordingEntry[]>();
  for (const entry of entries) {
    if (entry.exchange === undefined) continue;
    // A stream has thousands.
    const own = answers.get(entry.exchange);
    if (own === undefined) answers.set(entry.exchange, [entry]);
    else own.push(entry);
  }
  const exchanges = entries.filter(({ http }) => http?.method !== undefined);
  return {
    log: {
      version: '1.2',
      creator: { name: creator.name, version: creator.version },
      entries: exchanges.map((request) => exchangeOf(request, answers.get(request.sequence) ?? [])),
    },
  };
}

function exchangeOf(request: RecordingEntry, answers: readonly RecordingEntry[]): object {
  const { http, text, time, bytes } = request;
  const wait = Math.max((answers[0]?.time ?? time) - time, 0);
  const receive = Math.max((answers.at(-1)?.time ?? time) - time - wait, 0);
  const type = http?.headers['content-type'] ?? '';
  return {
    startedDateTime: new Date(time).toISOString(),
    time: wait + receive,
    request: {
      method: http?.method ?? '',
      url: http?.url ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: listed(http?.headers),
      queryString: queryOf(http?.url ?? ''),
      headersSize: -1,
      bodySize: bytes,
      ...(text === undefined ? {} : { postData: { mimeType: type, params: [], text } }),
    },
    response: responseOf(answers),
    cache: {},
    timings: { send: 0, wait, receive },
  };
}

function responseOf(answers: readonly RecordingEntry[]): object {
  const head = answers.find(({ http }) => http?.status !== undefined);
  const headers = head?.http?.headers;
  const text = answers.flatMap((answer) => answer.text ?? []).join('\n');
  const size = answers.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    // 0 is what browsers write where no answer came.
    status: head?.http?.status ?? 0,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: listed(headers),
    content: { size, mimeType: headers?.['content-type'] ?? '', text },
    redirectURL: headers?.['location'] ?? '',
    headersSize: -1,
    bodySize: size,
  };
}

function listed(headers: Readonly<Record<string, string>> = {}): readonly object[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function queryOf(url: string): readonly object[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}
