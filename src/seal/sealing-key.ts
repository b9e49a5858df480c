/** A key of 32 bytes, as bytes or in base64. */
export type SealingKey = Uint8Array | string;

/**
 * Keys, the newest first: the first seals, any opens. A function is asked again each minute, so that keys change while the process runs; while it fails
 * those that it gave before go on.
 */
export type SealingKeys = readonly SealingKey[] | (() => readonly SealingKey[] | PromiseLike<readonly SealingKey[]>);

/** Length of a key. */
export const keyBytes = 32;

/**
 * The bytes of a key.
 *
 * @throws TypeError when they are not 32.
 */
export function sealingKeyOf(key: SealingKey): Uint8Array<ArrayBuffer> {
  const bytes = typeof key === 'string' ? fromBase64(key) : Uint8Array.from(key);
  if (bytes?.length !== keyBytes) throw new TypeError(`a sealing key must be ${keyBytes} bytes, as bytes or in base64`);
  return bytes;
}

/** The bytes that base64 stands for; `undefined` for what is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/**
 * Keys as they are given, checked where they are there already.
 *
 * @param failed Hears that a function gave none, or something else.
 * @throws TypeError when one is not 32 bytes.
 */
export function keysFrom(keys: SealingKeys, failed: (cause: unknown) => void): SealingKeys {
  if (typeof keys !== 'function') return keys.map(sealingKeyOf);
  return async () => {
    try {
      return checkedKeys(await keys());
    } catch (cause) {
      failed(new Error('the sealing keys could not be had', { cause }));
      throw cause;
    }
  };
}

/**
 * The bytes of keys that a function gave.
 *
 * @throws TypeError when there are none, or one is not 32 bytes.
 */
export function checkedKeys(given: readonly SealingKey[]): readonly Uint8Array<ArrayBuffer>[] {
  if (!Array.isArray(given) || given.length === 0) throw new TypeError('sealing keys must be a list of at least one');
  return given.map(sealingKeyOf);
}
