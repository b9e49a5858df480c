/** A key of 32 bytes, as bytes or in base64. */
export type SealingKey = Uint8Array | string;

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
