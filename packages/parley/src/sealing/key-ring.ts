import { settledWithin } from '../jsonrpc/timeout.ts';
import { checkedKeys, keyBytes, sealingKeyOf, type SealingKeys } from './sealing-key.ts';

/** Time after which keys are asked for again, and for which old ones are used meanwhile, in milliseconds: who changes keys waits two minutes between two steps. */
const askAgainMs = 60_000;
const oldMs = 90_000;
/** Time after which they are asked for again where that failed, in milliseconds. */
const tryAgainMs = 5_000;
/** Waits for keys, in milliseconds: for the first ones, without which there is nothing, and for newer ones than those that are old. */
const firstMs = 10_000;
const limitMs = 2_000;
/** Length of an hour, in milliseconds. */
const hourMs = 3_600_000;
/** Number of derived keys that are kept for each key. */
const maxDerived = 64;
const idBytes = 4;

/** The hour of what is sealed so that it is the same each time. */
export const noHour = 0;

/** Type that the platform gives a key; its name differs between platforms. */
export type PlatformKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key of 32 bytes, of which those are derived that seal. */
export class RootKey {
  /** Beginning of its hash, by which it is found. */
  readonly id: Uint8Array;
  readonly #base: PlatformKey;
  readonly #purpose: string;
  readonly #derived = new Map<string, Promise<PlatformKey>>();

  constructor(id: Uint8Array, base: PlatformKey, purpose: string) {
    this.id = id;
    this.#base = base;
    this.#purpose = purpose;
  }

  /** The key that seals in an hour; those of an hour long ago open what was sealed then. */
  cipher(hour: number): Promise<PlatformKey> {
    return this.#kept(`seal ${hour}`, (info) =>
      crypto.subtle.deriveKey(derivation(info), this.#base, { name: 'AES-GCM', length: 256 }, false, [
        'encrypt',
        'decrypt',
      ]),
    );
  }

  /** The key of which nonces are made that follow from what they are for. */
  nonces(): Promise<PlatformKey> {
    return this.#kept('nonce', (info) =>
      crypto.subtle.deriveKey(derivation(info), this.#base, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, [
        'sign',
      ]),
    );
  }

  #kept(name: string, derive: (info: string) => Promise<PlatformKey>): Promise<PlatformKey> {
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#derived.keys();
    if (this.#derived.size >= maxDerived && oldest !== undefined) this.#derived.delete(oldest);
    const made = derive(`parley ${JSON.stringify([this.#purpose, name])}`);
    this.#derived.set(name, made);
    return made;
  }
}

/** Keys, the newest first, as they are given: once, or by a function that is asked again. */
export class KeyRing {
  readonly #keys: SealingKeys;
  readonly #purpose: string;
  readonly #now: () => number;
  /** The keys that are known, with their bytes. */
  #known: readonly (readonly [Uint8Array, RootKey])[] = [];
  #asked: Promise<void> | undefined;
  /** Numbers of the last time that keys were asked for, and of the one whose keys are known. */
  #turn = 0;
  #taken = 0;
  /** Times at which keys were asked for, and at which those were that came. */
  #triedAt = 0;
  #askedAt = 0;

  /** @throws TypeError when a key is not 32 bytes. */
  constructor(keys: SealingKeys | undefined, purpose: string, now: () => number) {
    const given = typeof keys === 'function' ? keys : (keys ?? []).map((key) => sealingKeyOf(key));
    // Made when first needed: Node takes milliseconds to load what `crypto` stands for.
    this.#keys =
      typeof given === 'function' || given.length > 0
        ? given
        : () => [this.#known[0]?.[0] ?? crypto.getRandomValues(new Uint8Array(keyBytes))];
    this.#purpose = purpose;
    this.#now = now;
  }

  /** The hour in which something is sealed now. */
  get hour(): number {
    return Math.floor(this.#now() / hourMs);
  }

  /** The keys that are good now, the newest first; there is one at least. */
  async roots(): Promise<readonly RootKey[]> {
    const now = this.#now();
    // The clock may have been set back.
    const [age, pause] = [this.#askedAt, this.#triedAt].map((at) => Math.abs(now - at)) as [number, number];
    const isDue = typeof this.#keys === 'function' && age >= askAgainMs && pause >= tryAgainMs;
    if (this.#known.length === 0) await this.#first(this.#asking(now));
    else if (isDue || this.#asked !== undefined) {
      const asked = this.#asking(now);
      // What failed, or hangs, is told by who gives the keys; those that were good before go on.
      if (age >= oldMs) await settledWithin(limitMs - Math.abs(now - this.#triedAt), asked);
    }
    return this.#known.map(([, root]) => root);
  }

  /** Asks for keys; all who ask meanwhile wait for one answer, and for another one once that did not come for as long as keys are good. */
  #asking(now: number): Promise<void> {
    if (this.#asked !== undefined && Math.abs(now - this.#triedAt) < askAgainMs) return this.#asked;
    this.#triedAt = now;
    const asked = this.#ask().finally(() => {
      if (this.#asked === asked) this.#asked = undefined;
    });
    asked.catch(() => undefined);
    return (this.#asked = asked);
  }

  async #first(asked: Promise<void>): Promise<void> {
    if (!(await settledWithin(firstMs, asked)))
      throw new Error(`the sealing keys did not come within ${firstMs / 1000} seconds`);
    await asked;
  }

  async #ask(): Promise<void> {
    const [began, turn] = [this.#now(), ++this.#turn];
    const given = typeof this.#keys === 'function' ? await this.#keys() : this.#keys;
    const all = checkedKeys(given);
    const made = await Promise.all(
      all.map(
        async (bytes) =>
          this.#known.find(([known]) => isSame(known, bytes)) ?? ([bytes, await this.#root(bytes)] as const),
      ),
    );
    // Newer ones came meanwhile.
    if (turn < this.#taken) return;
    [this.#known, this.#taken, this.#askedAt] = [made, turn, began];
  }

  async #root(bytes: Uint8Array<ArrayBuffer>): Promise<RootKey> {
    const base = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']);
    const digest = await crypto.subtle.digest('SHA-256', bytes);
    return new RootKey(new Uint8Array(digest, 0, idBytes), base, this.#purpose);
  }
}

/** RFC 5869; the salt may be empty, since the keys are random. */
function derivation(info: string): {
  readonly name: 'HKDF';
  readonly hash: 'SHA-256';
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly info: Uint8Array<ArrayBuffer>;
} {
  return {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(0),
    info: Uint8Array.from(new TextEncoder().encode(info)),
  };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
