import type { IncomingMessage } from 'node:http';
import { parseJson, JsonError } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';

/** Limit of the body of a verb, in bytes. */
const mostBytes = 20 * 1024 ** 2;

/** A request that cannot be carried out, in words for the person at the page. */
export class VerbError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VerbError';
    this.status = status;
  }
}

/** Reads the body of a verb: an object. @throws VerbError for another value, and for more than 20 MiB. */
export async function readVerbBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    // Without an encoding, these are bytes.
    const piece = chunk as Buffer;
    bytes += piece.length;
    if (bytes > mostBytes) throw new VerbError(413, `a body has at most ${mostBytes} bytes`);
    chunks.push(piece);
  }
  let value: unknown;
  try {
    value = parseJson(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    if (error instanceof JsonError)
      throw new VerbError(400, `the body is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
  if (!isObject(value)) throw new VerbError(400, 'the body is no object');
  return value;
}
