import { createHash } from 'node:crypto';

/** The most names whose hashes are remembered. */
const mostRemembered = 10_000;

/**
 * Names of what a store has in Redis. Whatever belongs together has one tag, the part in braces by which a cluster says where a key is: 128 bits of
 * SHA-256, so that nobody who sees a key learns what it was made of.
 */
export class RedisKeys {
  readonly #base: string;
  readonly #tags = new Map<string, string>();

  /**
   * @param prefix What the user's client puts before all keys.
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
    if (this.#tags.size >= mostRemembered) {
      const [oldest] = this.#tags.keys();
      if (oldest !== undefined) this.#tags.delete(oldest);
    }
    this.#tags.set(name, tag);
    return tag;
  }
}

/** Number of the places of a cluster. */
const slots = 16_384;

/** Place of a key in a cluster: CRC-16 (XMODEM) of what stands in its first braces, or of all of it. */
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
