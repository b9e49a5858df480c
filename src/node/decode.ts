import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';

/** The body of a message without its content codings; a coding that is unknown here is left as it is. */
export function decoded(message: IncomingMessage): Readable {
  const codings = message.headers['content-encoding'];
  if (codings === undefined) return message;
  const decoders = codings.split(',').map((coding) => decoderOf(coding.trim().toLowerCase()));
  // What was put on last is taken off first.
  const [first, ...others] = decoders.toReversed();
  if (first === undefined || decoders.includes(undefined)) return message;
  let last: Readable = follow(message, first);
  for (const decoder of others) if (decoder !== undefined) last = follow(last, decoder);
  return last;
}

/** The failure of one shows in the other. */
function follow(from: Readable, to: Transform): Readable {
  return pipeline(from, to, () => {});
}

function decoderOf(coding: string): Transform | undefined {
  if (coding !== 'gzip' && coding !== 'x-gzip' && coding !== 'br') return undefined;
  // Only who needs it loads it.
  const zlib = process.getBuiltinModule('node:zlib');
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  // Every event comes out as soon as its bytes are there, and an early end is told by the length of the message.
  return coding === 'br'
    ? zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
    : zlib.createGunzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH });
}
