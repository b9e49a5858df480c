import { randomBytes } from 'node:crypto';
import { link, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOwn, ownFolder } from './folder.ts';

/** One version of a text. */
export interface Version {
  /** Unique for each version, even after a file was deleted and created again. */
  readonly generation: string;
  /** `undefined` for a text that was deleted. */
  readonly text: string | undefined;
}

/**
 * A text that several processes change, each by comparing and writing in one step. Every version is a separate file,
 * named by its number. It is created by a hard link, which fails if another process was first. So there is no lock that
 * a dead process could keep, and a reader never sees half of a version.
 */
export class Versions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest version; `undefined` when there never was one. */
  async newest(): Promise<Version | undefined> {
    return (await this.#newest())?.version;
  }

  /**
   * Writes a version.
   *
   * @param ifGeneration The generation that must be the newest; `null` if there must be no text; by default any.
   * @returns Its generation; `undefined` if another process was first.
   */
  async write(text: string | undefined, ifGeneration?: string | null): Promise<string | undefined> {
    for (let tries = 0; tries < maxTries; tries++) {
      const newest = await this.#newest();
      const there = newest?.version.text === undefined ? null : newest.version.generation;
      if (ifGeneration !== undefined && there !== ifGeneration) return undefined;
      if (text === undefined && newest !== undefined && there === null) return newest.version.generation;
      const number = (newest?.number ?? 0) + 1;
      const generation = `${number}-${randomBytes(9).toString('base64url')}`;
      if (await this.#add(number, { generation, text })) {
        await this.#forget(number);
        return generation;
      }
    }
    throw new Error(`${this.#folder} changes all the time; the new version was not written`);
  }

  /**
   * Tells whether the text was deleted a while ago.
   *
   * @param ms How long ago at least, in milliseconds.
   */
  async isGoneFor(ms: number): Promise<boolean> {
    const newest = await this.#newest();
    if (newest === undefined || newest.version.text !== undefined) return false;
    return await isOlder(join(this.#folder, String(newest.number)), ms);
  }

  async #newest(): Promise<{ readonly number: number; readonly version: Version } | undefined> {
    for (let tries = 0; tries < maxTries; tries++) {
      const number = Math.max(0, ...(await this.#numbers()));
      if (number === 0) return undefined;
      const path = join(this.#folder, String(number));
      try {
        await checkOwn(path);
        return { number, version: versionOf(await readFile(path, 'utf8'), path) };
      } catch (error) {
        // A newer one has taken its place meanwhile.
        if (!hasCode(error, 'ENOENT')) throw error;
      }
    }
    throw new Error(`${this.#folder} changes all the time and cannot be read`);
  }

  async #numbers(): Promise<readonly number[]> {
    try {
      const names = await readdir(this.#folder);
      return names.filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** @returns False when there is such a version already, or a newer one. */
  async #add(number: number, version: Version): Promise<boolean> {
    await ownFolder(this.#folder);
    const beside = join(this.#folder, `.${version.generation}`);
    const file = await open(beside, 'wx', 0o600).catch((error: unknown) => {
      // Another process deleted the empty folder.
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (file === undefined) return false;
    try {
      await file.writeFile(JSON.stringify(version));
      // After a refresh token was used, losing the new one would lose the grant.
      await file.sync();
    } finally {
      await file.close();
    }
    try {
      await link(beside, join(this.#folder, String(number)));
      // A process that stood still may have recreated a version that others wrote and deleted since. Then it was never
      // the newest.
      return Math.max(...(await this.#numbers())) === number;
    } catch (error) {
      if (hasCode(error, 'EEXIST') || hasCode(error, 'ENOENT')) return false;
      throw error;
    } finally {
      await rm(beside, { force: true });
    }
  }

  /** Deletes older versions, and files that dead processes left behind. */
  async #forget(newest: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const old = name.startsWith('.') ? await isOlder(path, orphanMs) : Number(name) < newest;
      if (old) await rm(path, { force: true });
    }
  }
}

/** Number of tries of a step that others may interrupt. Each interruption means that another process succeeded. */
const maxTries = 1000;

/** The age at which a file that was never linked counts as abandoned, in milliseconds. */
const orphanMs = 3_600_000;

async function isOlder(path: string, ms: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ms;
  } catch {
    return false;
  }
}

function versionOf(content: string, path: string): Version {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    // Its text may be a secret: the error does not show it.
  }
  const { generation, text } = Object(value) as { readonly generation?: unknown; readonly text?: unknown };
  if (typeof generation !== 'string' || (text !== undefined && typeof text !== 'string'))
    throw new Error(`${path} is damaged; remove it, and sign in again`);
  return { generation, text };
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
