/** Sealing of what travels through a client and must come back as it was: AES-256-GCM under a ring of keys. */

import { fromBase64, keyBytes, sealingKeyOf, type SealingKey } from './sealing-key.ts';

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
}

const version = 1;
const idBytes = 4;
const nonceBytes = 12;
const headBytes = 1 + idBytes + nonceBytes;

/**
 * Types that the platform gives a key and the parameters of the cipher; the names of these types differ between
 * platforms.
 */
type PlatformKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
type Cipher = {
  readonly name: 'AES-GCM';
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly additionalData: Uint8Array<ArrayBuffer>;
};

interface RingKey {
  readonly id: Uint8Array;
  readonly key: PlatformKey;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Makes a seal.
 *
 * @param keys The newest first: it seals, and any of them opens. Without keys one is made that only this process
 *   knows, so that what it sealed opens nowhere else.
 * @throws TypeError when a key is not 32 bytes.
 */
export function createSeal(keys?: readonly SealingKey[]): Seal {
  const given = (keys ?? []).map(sealingKeyOf);
  let ring: Promise<readonly RingKey[]> | undefined;
  // Made when first needed: Node takes milliseconds to load what `crypto` stands for.
  const bytes = (): readonly Uint8Array<ArrayBuffer>[] =>
    given.length > 0 ? given : [crypto.getRandomValues(new Uint8Array(keyBytes))];
  const keyRing = (): Promise<readonly RingKey[]> => (ring ??= Promise.all(bytes().map(imported)));
  const newestKey = async (): Promise<RingKey> => {
    const [newest] = await keyRing();
    if (newest === undefined) throw new TypeError('a seal needs a key');
    return newest;
  };
  return {
    async seal(text, boundTo) {
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
      return await sealedUnder(await newestKey(), nonce, { text, boundTo });
    },
    async sealAlike(text, boundTo) {
      const newest = await newestKey();
      return await sealedUnder(newest, await nonceOf(newest, { text, boundTo }), { text, boundTo });
    },
    async open(sealed, boundTo) {
      const packed = fromBase64Url(sealed);
      if (packed === undefined || packed.length <= headBytes || packed[0] !== version) return undefined;
      const id = packed.subarray(1, 1 + idBytes);
      const nonce = packed.slice(1 + idBytes, headBytes);
      for (const candidate of await keyRing()) {
        if (!candidate.id.every((byte, at) => byte === id[at])) continue;
        const text = await opened(candidate.key, algorithm(nonce, boundTo), packed.slice(headBytes));
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
}

/** Text, with what it is bound to. */
interface Sealable {
  readonly text: string;
  readonly boundTo: string;
}

async function sealedUnder(
  { id, key }: RingKey,
  nonce: Uint8Array<ArrayBuffer>,
  { text, boundTo }: Sealable,
): Promise<string> {
  const sealed = await crypto.subtle.encrypt(algorithm(nonce, boundTo), key, encode(text));
  return toBase64Url(Uint8Array.of(version, ...id, ...nonce), new Uint8Array(sealed));
}

/** Nonce that follows from what is sealed under it, so that no two texts have the same: a part of their HMAC. */
async function nonceOf({ bytes }: RingKey, { text, boundTo }: Sealable): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', key, encode(JSON.stringify(['nonce', boundTo, text])));
  return new Uint8Array(digest.slice(0, nonceBytes));
}

async function opened(key: PlatformKey, how: Cipher, sealed: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await crypto.subtle.decrypt(how, key, sealed));
  } catch {
    // Whatever the reason, it is not what was sealed.
    return undefined;
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, boundTo: string): Cipher {
  return { name: 'AES-GCM', iv, additionalData: encode(boundTo) };
}

async function imported(bytes: Uint8Array<ArrayBuffer>): Promise<RingKey> {
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return { key, bytes, id: new Uint8Array(digest, 0, idBytes) };
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
