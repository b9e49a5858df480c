import { createHash } from 'node:crypto';

/** Limit of cached hashes of names. */
const maxRemembered = 10_000;

/**
 * Keys of a store in Redis. Related keys share one hash tag, the part in braces that decides the slot in a cluster. It
 * is 128 bits of SHA-256, so that a key does not reveal the name that it was made from.
 */
export class RedisKeys {
  readonly #base: string;
  readonly #tags = new Map<string, string>();

  /**
   * @param prefix The user's client's prefix for all keys.
   * @param name Name of the service.
   */
  constructor(prefix: string, name: string) {
    this.#base = `${prefix}p:${name}:`;
  }

  record(key: string): string {
    return `${this.#tagged(key)}r`;
  }

  /** Facts about the streams of a session; the events of one are beside it. */
  session(session: string): string {
    return `${this.#tagged(session)}e`;
  }

  events(session: string, stream: string): string {
    return `${this.session(session)}:${this.tag(stream)}`;
  }

  channel(channel: string): string {
    return `${this.#tagged(channel)}x`;
  }

  measure(key: string): string {
    return `${this.#tagged(key)}l`;
  }

  /** Responses of one server to clients. */
  cache(server: string): string {
    return `${this.#tagged(server)}c`;
  }

  /** RedisKeys by which it is found out whether something can be written, each in another place. */
  probe(number: number): string {
    return `${this.#base}{w${number}}:w`;
  }

  /** Beginning of the keys of all tasks. */
  tasks(): string {
    return `${this.#base}{tasks}`;
  }

  #tagged(name: string): string {
    return `${this.#base}{${this.tag(name)}}:`;
  }

  /** Hash of a name. */
  tag(name: string): string {
    const known = this.#tags.get(name);
    if (known !== undefined) return known;
    const tag = createHash('sha256').update(name).digest().subarray(0, 16).toString('base64url');
    if (this.#tags.size >= maxRemembered) {
      const [oldest] = this.#tags.keys();
      if (oldest !== undefined) this.#tags.delete(oldest);
    }
    this.#tags.set(name, tag);
    return tag;
  }
}

/** Number of the places of a cluster. */
const slots = 16_384;

/** Slot of a key in a cluster: CRC-16 (XMODEM) of the text in its first braces, or of the whole key. */
export function slotOf(key: string): number {
  const opens = key.indexOf('{');
  const closes = opens < 0 ? -1 : key.indexOf('}', opens + 1);
  const hashed = closes > opens + 1 ? key.slice(opens + 1, closes) : key;
  let crc = 0;
  for (const byte of new TextEncoder().encode(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  }
  return (crc & 0xffff) % slots;
}
