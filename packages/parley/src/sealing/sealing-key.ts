import { after } from '../jsonrpc/timeout.ts';

/** A key of 32 bytes, as bytes or in base64. */
export type SealingKey = Uint8Array | string;

/**
 * Keys, the newest first: the first seals, any opens. A function is asked again each minute, so that keys change while the process runs; while it fails, or
 * gives nothing, those that it gave before go on.
 */
export type SealingKeys = readonly SealingKey[] | (() => readonly SealingKey[] | PromiseLike<readonly SealingKey[]>);

/** Bytes in memory that nobody shares. Compilers before 5.7, which read this declaration, have no parameter for that. */
export type OwnBytes = ReturnType<Uint8ArrayConstructor['from']>;

/** Time after which who waits for keys is told that they do not come, in milliseconds. */
const slowMs = 60_000;

/** Length of a key. */
export const keyBytes = 32;

/**
 * The bytes of a key.
 *
 * @param what Option that it is of, as the error says it.
 * @throws TypeError when they are not 32; it says how many, and nothing of what they are.
 */
export function sealingKeyOf(key: SealingKey, what: string = 'a sealing key'): OwnBytes {
  const bytes =
    typeof key === 'string' ? fromBase64(key) : key instanceof Uint8Array ? Uint8Array.from(key) : undefined;
  if (bytes?.length === keyBytes) return bytes;
  const came =
    typeof key === 'string' ? 'a text that is no base64' : key === null ? 'null' : `a value of type ${typeof key}`;
  const given = bytes === undefined ? came : `${bytes.length} bytes`;
  throw new TypeError(`${what} must be ${keyBytes} bytes, as bytes or in base64, not ${given}`);
}

/** The bytes that base64 stands for; `undefined` for what is none. */
export function fromBase64(text: string): OwnBytes | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * Keys as they are given, checked where they are there already.
 *
 * @param failed Hears that a function gave none, or something else, or nothing for a minute.
 * @param what Option that they are, as the error says it.
 * @throws TypeError when one is not 32 bytes.
 */
export function keysFrom(keys: SealingKeys, failed: (cause: unknown) => void, what: string = 'keys'): SealingKeys {
  if (typeof keys !== 'function') return keys.map((key) => sealingKeyOf(key, `a sealing key of ${what}`));
  const tell = (cause: unknown): void => failed(new Error('the sealing keys could not be had', { cause }));
  return async () => {
    const late = new Error(`they did not come within ${slowMs / 1000} seconds`);
    const stop = after(slowMs, () => tell(late));
    try {
      return checkedKeys(await keys());
    } catch (cause) {
      tell(cause);
      throw cause;
    } finally {
      stop();
    }
  };
}

/**
 * The bytes of keys that a function gave.
 *
 * @throws TypeError when there are none, or one is not 32 bytes.
 */
export function checkedKeys(given: readonly SealingKey[]): readonly OwnBytes[] {
  if (!Array.isArray(given) || given.length === 0) throw new TypeError('sealing keys must be a list of at least one');
  return given.map((key) => sealingKeyOf(key));
}
