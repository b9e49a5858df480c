import { afterReading } from '../../../jsonrpc/timeout.ts';
import type { Body, WriteCapacity } from './exchanges/universal.ts';

/**
 * Size up to which a body is read in one piece, if its header promises no more. Reading it as a stream makes adapters
 * build one, and keep it until the request is answered.
 */
const smallBytes = 8 * 1024;

/** Options of reading a body. */
export interface BodyReading {
  readonly limit: number;
  readonly room: WriteCapacity | undefined;
  /** Time that it may take, in milliseconds. */
  readonly timeout: number;
}

/**
 * Reads the body of a `Request`, as `IncomingRequest.body` does.
 *
 * @throws The runtime's error for a body that broke off.
 */
export async function readBody(request: Request, { limit, room, timeout }: BodyReading): Promise<Body> {
  if (request.bodyUsed) return { kind: 'taken' };
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > limit) return { kind: 'too-large' };
  const pieces = declared <= smallBytes && isFramedByLength(request) ? new Whole(request) : new Pieces(request);
  return await new Promise((resolve, reject) => {
    const cancel = afterReading(timeout, () => {
      resolve({ kind: 'too-slow' });
      pieces.drop();
    });
    collect(pieces, limit, room).then(resolve, reject).finally(cancel);
  });
}

/** Tells whether the header's length is that of the bytes read here: a layer in front may have decoded the body. */
function isFramedByLength({ headers }: Request): boolean {
  return headers.get('transfer-encoding') === null && headers.get('content-encoding') === null;
}

/** The pieces of a body, one after the other. */
interface Source {
  /** The next one, or `undefined` after the last. */
  next(): Promise<Uint8Array | undefined>;
  /** Discards the rest. */
  drop(): void;
}

class Whole implements Source {
  #request: Request | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  async next(): Promise<Uint8Array | undefined> {
    const request = this.#request;
    this.#request = undefined;
    return request === undefined ? undefined : new Uint8Array(await request.arrayBuffer());
  }

  drop(): void {
    this.#request = undefined;
  }
}

class Pieces implements Source {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor({ body }: Request) {
    this.#reader = body?.getReader();
  }

  async next(): Promise<Uint8Array | undefined> {
    return (await this.#reader?.read())?.value;
  }

  drop(): void {
    this.#reader?.cancel().catch(() => undefined);
  }
}

/** Takes piece by piece, so that no more than the limit is ever held. */
async function collect(source: Source, limit: number, room: WriteCapacity | undefined): Promise<Body> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  for (let bytes = await source.next(); bytes !== undefined; bytes = await source.next()) {
    size += bytes.byteLength;
    const kind = size > limit ? 'too-large' : room?.take(bytes.byteLength) === false ? 'no-room' : undefined;
    if (kind !== undefined) {
      source.drop();
      return { kind };
    }
    try {
      text += decoder.decode(bytes, { stream: true });
    } catch {
      source.drop();
      return { kind: 'not-utf8' };
    }
  }
  try {
    return { kind: 'text', text: text + decoder.decode() };
  } catch {
    return { kind: 'not-utf8' };
  }
}
