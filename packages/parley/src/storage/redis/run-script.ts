import type { RedisScripting } from './connection.ts';
import { redisScripts, type RedisScript } from './scripts.ts';

/** Runs scripts by their digests, so that a text is sent only to a server that does not know it. */
export class ScriptRunner {
  readonly #connection: RedisScripting;
  readonly #key: string;
  readonly #digests = new Map<RedisScript, Promise<string>>();

  /** @param key The one key of every script. */
  constructor(connection: RedisScripting, key: string) {
    this.#connection = connection;
    this.#key = key;
  }

  async run(name: RedisScript, ...values: readonly (string | number)[]): Promise<unknown> {
    const script = redisScripts[name];
    const digest = this.#digests.get(name) ?? sha1(script);
    this.#digests.set(name, digest);
    const texts = values.map(String);
    try {
      return await this.#connection.evalSha(await digest, this.#key, texts);
    } catch (error) {
      // It did not run: a restarted server knows no scripts.
      if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
        return await this.#connection.eval(script, this.#key, texts);
      throw error;
    }
  }
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
