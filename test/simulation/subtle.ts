/** Digests and ciphers that answer at once: those of the platform answer from other threads, in an order of their own. */

import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';

const tagBytes = 16;

/** A key of which the bytes are known here; every other key is the platform's. */
class KnownKey {
  readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes);
  }
}

interface Cipher {
  readonly name: string;
  readonly iv: Uint8Array;
  readonly additionalData?: Uint8Array;
}

interface Derivation {
  readonly name: string;
  readonly salt: Uint8Array;
  readonly info: Uint8Array;
}

const known: ReadonlySet<string> = new Set(['AES-GCM', 'HMAC', 'HKDF']);

/** Functions to stand in for those of `crypto.subtle`. */
export function digestSubtle(): Readonly<Record<string, unknown>> {
  const { subtle } = crypto;
  const real = {
    importKey: subtle.importKey.bind(subtle) as (...values: readonly unknown[]) => Promise<unknown>,
    encrypt: subtle.encrypt.bind(subtle) as (...values: readonly unknown[]) => Promise<unknown>,
    decrypt: subtle.decrypt.bind(subtle) as (...values: readonly unknown[]) => Promise<unknown>,
    sign: subtle.sign.bind(subtle) as (...values: readonly unknown[]) => Promise<unknown>,
  };
  return {
    digest: async (_: unknown, bytes: Uint8Array) => arrayOf(createHash('sha256').update(bytes).digest()),
    importKey: async (...values: readonly [string, Uint8Array, string | { readonly name: string }]) => {
      const [format, bytes, algorithm] = values;
      const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
      return format === 'raw' && known.has(name) ? new KnownKey(bytes) : await real.importKey(...values);
    },
    encrypt: async (...values: readonly [Cipher, unknown, Uint8Array]) => {
      const [{ iv, additionalData = new Uint8Array() }, key, text] = values;
      if (!(key instanceof KnownKey)) return await real.encrypt(...values);
      const cipher = createCipheriv('aes-256-gcm', key.bytes, iv).setAAD(additionalData);
      return arrayOf(Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]));
    },
    decrypt: async (...values: readonly [Cipher, unknown, Uint8Array]) => {
      const [{ iv, additionalData = new Uint8Array() }, key, sealed] = values;
      if (!(key instanceof KnownKey)) return await real.decrypt(...values);
      const cipher = createDecipheriv('aes-256-gcm', key.bytes, iv).setAAD(additionalData);
      cipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
      return arrayOf(Buffer.concat([cipher.update(sealed.subarray(0, sealed.length - tagBytes)), cipher.final()]));
    },
    sign: async (...values: readonly [unknown, unknown, Uint8Array]) => {
      const [, key, bytes] = values;
      if (!(key instanceof KnownKey)) return await real.sign(...values);
      return arrayOf(createHmac('sha256', key.bytes).update(bytes).digest());
    },
    deriveKey: async ({ salt, info }: Derivation, key: KnownKey, { length }: { readonly length: number }) =>
      new KnownKey(new Uint8Array(hkdfSync('sha256', key.bytes, salt, info, length / 8))),
    deriveBits: async ({ salt, info }: Derivation, key: KnownKey, bits: number) =>
      hkdfSync('sha256', key.bytes, salt, info, bits / 8),
  };
}

function arrayOf(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
