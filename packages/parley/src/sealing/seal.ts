/** Sealing of what travels through a client and must come back as it was: AES-256-GCM under a ring of keys. */

import { KeyRing, noHour, type PlatformKey, type RootKey } from './key-ring.ts';
import { fromBase64, type SealingKeys } from './sealing-key.ts';

/** Seals and opens text. What it is bound to (the additional data) must be the same on both occasions. */
export interface Seal {
  /** @returns Text of `A–Z a–z 0–9 - _`. */
  seal(text: string, boundTo: string): Promise<string>;
  /**
   * Seals so that the same text, bound to the same, is the same each time under one key: for what must be told again in the same words.
   * Who sees two of them sees whether they are equal.
   */
  sealAlike(text: string, boundTo: string): Promise<string>;
  /** The text that was sealed; `undefined` for whatever does not open: changed, bound to something else, or under a lost key. */
  open(sealed: string, boundTo: string): Promise<string | undefined>;
  /** Tells whether it was sealed by the key that seals now, as far as its head says. */
  isNewest(sealed: string): Promise<boolean>;
}

const version = 2;
const idBytes = 4;
const hourBytes = 4;
const nonceBytes = 12;
const headBytes = 1 + idBytes + hourBytes + nonceBytes;

/** Parameters of the cipher. */
type Cipher = {
  readonly name: 'AES-GCM';
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly additionalData: Uint8Array<ArrayBuffer>;
};

/** Options of a seal. */
export interface SealOptions {
  /** Name of what is sealed: what was sealed for another purpose under the same keys does not open. */
  readonly purpose?: string;
  /** The time, in milliseconds since 1970, which other processes read in hours; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
}

/**
 * Makes a seal. Each hour has a key of its own, derived from the newest (HKDF with SHA-256, RFC 5869): under one key AES-GCM is good for 2³² texts with random nonces.
 *
 * @param keys The newest first: it seals, and any of them opens. Without keys one is made that only this process
 *   knows, so that what it sealed opens nowhere else.
 * @throws TypeError when a key is not 32 bytes.
 */
export function createSeal(keys?: SealingKeys, { purpose = 'text', now = Date.now }: SealOptions = {}): Seal {
  const ring = new KeyRing(keys, purpose, now);
  const newestKey = async (): Promise<RootKey> => {
    const [newest] = await ring.roots();
    if (newest === undefined) throw new TypeError('a seal needs a key');
    return newest;
  };
  return {
    async seal(text, boundTo) {
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
      return await sealedUnder(await newestKey(), { hour: ring.hour, nonce }, { text, boundTo });
    },
    async sealAlike(text, boundTo) {
      const newest = await newestKey();
      const nonce = await nonceOf(newest, { text, boundTo });
      return await sealedUnder(newest, { hour: noHour, nonce }, { text, boundTo });
    },
    async open(sealed, boundTo) {
      const packed = fromBase64Url(sealed);
      if (packed === undefined || packed.length <= headBytes || packed[0] !== version) return undefined;
      const id = packed.subarray(1, 1 + idBytes);
      const hour = new DataView(packed.buffer).getUint32(1 + idBytes);
      const nonce = packed.slice(headBytes - nonceBytes, headBytes);
      for (const candidate of await ring.roots()) {
        if (!candidate.id.every((byte, at) => byte === id[at])) continue;
        const key = await candidate.cipher(hour);
        const text = await opened(key, algorithm(nonce, boundTo), packed.slice(headBytes));
        if (text !== undefined) return text;
      }
      return undefined;
    },
    async isNewest(sealed) {
      const id = fromBase64Url(sealed)?.subarray(1, 1 + idBytes);
      return (await newestKey()).id.every((byte, at) => byte === id?.[at]);
    },
  };
}

/** Text, with what it is bound to. */
interface Sealable {
  readonly text: string;
  readonly boundTo: string;
}

async function sealedUnder(
  root: RootKey,
  { hour, nonce }: { readonly hour: number; readonly nonce: Uint8Array<ArrayBuffer> },
  { text, boundTo }: Sealable,
): Promise<string> {
  const key = await root.cipher(hour);
  const sealed = await crypto.subtle.encrypt(algorithm(nonce, boundTo), key, encode(text));
  const hours = new Uint8Array(hourBytes);
  new DataView(hours.buffer).setUint32(0, hour);
  return toBase64Url(Uint8Array.of(version, ...root.id, ...hours, ...nonce), new Uint8Array(sealed));
}

/** Nonce that follows from what is sealed under it, so that no two texts have the same: a part of their HMAC. */
async function nonceOf(root: RootKey, { text, boundTo }: Sealable): Promise<Uint8Array<ArrayBuffer>> {
  const digest = await crypto.subtle.sign('HMAC', await root.nonces(), encode(JSON.stringify([boundTo, text])));
  return new Uint8Array(digest.slice(0, nonceBytes));
}

async function opened(key: PlatformKey, how: Cipher, sealed: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      await crypto.subtle.decrypt(how, key, sealed),
    );
  } catch {
    // Whatever the reason, it is not what was sealed.
    return undefined;
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, boundTo: string): Cipher {
  return { name: 'AES-GCM', iv, additionalData: encode(boundTo) };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}

function toBase64Url(...parts: readonly Uint8Array[]): string {
  let binary = '';
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 0x8000) binary += String.fromCharCode(...part.subarray(at, at + 0x8000));
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Only the canonical spelling is accepted, so that no two texts mean the same. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes !== undefined && toBase64Url(bytes) === text ? bytes : undefined;
}
