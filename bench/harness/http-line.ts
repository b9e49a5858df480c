import { connect, type Socket } from 'node:net';

/** A whole HTTP answer; bytes beyond ASCII are read as Latin-1. */
export interface Answer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  /** Without the framing of chunks. */
  readonly body: string;
}

/** The head of an answer whose body is coming. */
interface Head {
  readonly text: string;
  /** Where the body begins. */
  readonly end: number;
  /** How many bytes the body has; left out where it comes in chunks. */
  readonly length?: number;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const blank = '\r\n\r\n';
const silenceMs = 60_000;

/** One kept connection that asks one thing at a time, with as little work as there can be. */
export class Line {
  readonly #socket: Socket;
  readonly #url: URL;
  #chunks: Buffer[] = [];
  #size = 0;
  #head: Head | undefined;
  #waiting: Waiting | undefined;
  #over: Error | undefined;

  private constructor(socket: Socket, url: URL) {
    this.#socket = socket;
    this.#url = url;
    socket.setNoDelay(true);
    socket.setTimeout(silenceMs, () => socket.destroy(new Error('the server did not answer in time')));
    socket.on('data', (chunk) => this.#received(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the server closed the connection')));
  }

  static async open(url: URL): Promise<Line> {
    return new Line(await dial(url), url);
  }

  /** Sends a POST request and gives the answer. */
  post(headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
    return this.send('POST', headers, body);
  }

  /** Sends a request and gives the answer. */
  send(method: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      this.#waiting = { resolve, reject };
      this.#socket.write(requestText(this.#url, method, headers, body));
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #end(error: Error): void {
    this.#over ??= error;
    this.#waiting?.reject(this.#over);
    this.#waiting = undefined;
  }

  #received(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const body = this.#body(chunk);
    if (body === undefined) return;
    const text = this.#head?.text ?? '';
    this.#chunks = [];
    this.#size = 0;
    this.#head = undefined;
    const { resolve } = this.#waiting ?? {};
    this.#waiting = undefined;
    resolve?.({ status: Number(text.slice(9, 12)), head: text, body });
  }

  /** The body, once all of it is there; large ones are joined once, and not for every chunk. */
  #body(chunk: Buffer): string | undefined {
    this.#head ??= headOf(this.#joined());
    if (this.#head === undefined) return undefined;
    const { end, length } = this.#head;
    if (length !== undefined) {
      return this.#size < end + length ? undefined : this.#joined().toString('latin1', end, end + length);
    }
    // Only what ends like the last chunk can be complete; a short piece may hold a part of that end alone.
    if (chunk.length >= 5 && chunk.toString('latin1', chunk.length - 5) !== `0${blank}`) return undefined;
    return unchunked(this.#joined(), end);
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }
}

/** Connects to a server. */
export async function dial(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** A request as it goes over the wire. */
export function requestText(
  { host, pathname }: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  let fields = '';
  for (const name of Object.keys(headers)) fields += `${name}: ${headers[name]}\r\n`;
  return `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${fields}Content-Length: ${Buffer.byteLength(body)}${blank}${body}`;
}

function headOf(begun: Buffer): Head | undefined {
  const before = begun.indexOf(blank);
  if (before < 0) return undefined;
  const text = begun.toString('latin1', 0, before);
  const end = before + blank.length;
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) return { text, end };
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  return { text, end, length: Number(length ?? 0) };
}

/** The body that came in chunks, from there on; nothing when it is not all there. */
function unchunked(bytes: Buffer, from: number): string | undefined {
  let body = '';
  for (let at = from; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const begin = line + 2;
    if (size === 0) return bytes.length >= begin + 2 ? body : undefined;
    // What cannot be read is never complete: the silence that follows ends it.
    if (Number.isNaN(size)) return undefined;
    body += bytes.toString('latin1', begin, begin + size);
    at = begin + size + 2;
  }
}
