import type { ByteStream, FetchResponse } from '../../../jsonrpc/fetch.ts';
import { after } from '../../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';

/** The bytes of a body. A reader that stops early discards the rest. */
export async function* bodyBytes(response: FetchResponse): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let done = false;
  try {
    while (!done) {
      const result = await reader.read();
      done = result.done;
      if (result.value !== undefined) yield result.value;
    }
  } finally {
    // Not awaited: some bodies settle it only when the connection has closed.
    if (!done) reader.cancel().catch(() => {});
  }
}

/**
 * Lets a body without further content end by itself, so that its connection can be used again. A body that continues is
 * cut off.
 */
export async function drain(response: FetchResponse, ms: number): Promise<void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const stop = after(ms, () => void reader.cancel().catch(() => {}));
  try {
    for (let result = await reader.read(); !result.done;) result = await reader.read();
  } catch {
    // It broke off, which has no effect here.
  } finally {
    stop();
  }
}

/** Decodes whole texts only, so that it keeps nothing from one to the next. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body as text. The limit counts the bytes after decompression.
 *
 * @throws ConnectionError `too-large` over the limit, `invalid-message` if the bytes are not UTF-8.
 */
export async function bodyText({ body, status }: FetchResponse, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const bytes = body.whole?.() ?? (await bytesOf(body.getReader(), maxBytes));
  if (bytes === undefined || bytes.length > maxBytes)
    throw new ConnectionError(
      'too-large',
      `the response is larger than ${maxBytes} bytes, the limit that maxMessageBytes sets`,
      { status },
    );
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ConnectionError('invalid-message', 'the response is not valid UTF-8', { cause });
  }
}

/** @returns `undefined` as soon as there are too many. */
async function bytesOf(reader: ReturnType<ByteStream['getReader']>, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    if (result.value === undefined) continue;
    length += result.value.length;
    if (length > maxBytes) {
      // Not awaited: some bodies settle it only when the connection has closed.
      reader.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(result.value);
  }
  return joined(chunks, length);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Reads no more than the beginning of a body, whatever it holds. */
export async function bodyStart(response: FetchResponse, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  for await (const bytes of bodyBytes(response)) {
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    left -= bytes.length;
    if (left <= 0) break;
  }
  return text;
}
