import { pipeline, type Readable, type Transform } from 'node:stream';
import type { Sink, ByteSource } from './response-body.ts';

/** No real server uses more, and each one costs memory. */
const maxCodings = 3;

/**
 * Streams that decode the content codings of a body.
 *
 * @returns `undefined` if one of them is unknown here, or there are too many. Such a body is left encoded.
 */
export function decodingOf(codings: string, source: ByteSource): Decoding | undefined {
  const names = codings.split(',', maxCodings + 1).map((name) => name.trim().toLowerCase());
  if (names.length > maxCodings || !names.every(isKnown)) return undefined;
  // The last coding is decoded first.
  const [first, ...others] = names.toReversed().map(decoderOf);
  return first === undefined ? undefined : new Decoding([first, ...others], source);
}

/** Stands between a source and the sink that wants its bytes without their codings. */
export class Decoding implements Sink, ByteSource {
  readonly #first: Transform;
  readonly #last: Readable;
  readonly #source: ByteSource;

  constructor(decoders: readonly [Transform, ...Transform[]], source: ByteSource) {
    this.#source = source;
    this.#first = decoders[0];
    let last = decoders[0];
    // The failure of one shows in the next.
    const [, ...others] = decoders;
    for (const decoder of others) last = pipeline(last, decoder, () => {});
    this.#last = last;
    this.#first.on('drain', () => source.resume());
  }

  /** Sets the receiver of the decoded bytes. */
  into(sink: Sink): void {
    this.#last.on('data', (bytes: Buffer) => sink.write(bytes));
    this.#last.on('end', () => sink.end());
    this.#last.on('error', (error) => {
      sink.fail(error);
      this.#source.destroy();
    });
  }

  write(bytes: Uint8Array): void {
    if (!this.#first.write(bytes)) this.#source.pause();
  }

  end(): void {
    this.#first.end();
  }

  fail(error: unknown): void {
    this.#first.destroy(error instanceof Error ? error : new Error(String(error)));
  }

  pause(): void {
    this.#last.pause();
  }

  resume(): void {
    this.#last.resume();
  }

  destroy(): void {
    this.#first.destroy();
    this.#last.destroy();
    this.#source.destroy();
  }
}

function isKnown(coding: string): boolean {
  // Nobody asks for `deflate`; some servers send it all the same.
  return coding === 'gzip' || coding === 'x-gzip' || coding === 'br' || coding === 'deflate';
}

function decoderOf(coding: string): Transform {
  // Only who needs it loads it.
  const zlib = process.getBuiltinModule('node:zlib');
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  // Every event is flushed as soon as its bytes arrive. The length of the message reveals an early end.
  if (coding === 'br')
    return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH });
  const options = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
  return coding === 'deflate' ? zlib.createInflate(options) : zlib.createGunzip(options);
}
