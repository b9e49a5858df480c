/** A person who sits at a machine: what opens pages there is a program that goes through them, and counts. */

import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fileCredentialStore } from '../../packages/parley/src/transports/node/credentials/file-credentials.ts';

/** A machine with a person, and nothing kept on it yet. */
export interface Machine {
  /** The environment of programs that run there. */
  readonly env: Readonly<Record<string, string>>;
  /** Where credentials are kept. */
  readonly state: string;
  /** The pages that were opened, in order. */
  opened(): Promise<readonly string[]>;
  /** Has what was granted end at a time from now on, in milliseconds, whatever the authorization server said; it may be changed beside. */
  grantsEnd(inMs: number, changes?: object): Promise<void>;
  /** Deletes what was granted. */
  grantsGo(): Promise<void>;
}

/** What the person does. */
export interface PersonOptions {
  readonly consent?: 'allow' | 'deny';
  /** Nobody looks at the page. */
  readonly absent?: boolean;
  /** Nobody looks at the first page. */
  readonly absentFirst?: boolean;
  /** Nobody looks at any page but the first. */
  readonly absentLater?: boolean;
  /** How long each page is looked at, in milliseconds. */
  readonly takesMs?: number;
}

async function grantsEnd(folder: string, inMs: number, changes: object): Promise<void> {
  const store = fileCredentialStore({ folder });
  for (const key of await store.keys('grant')) {
    const kept = await store.read(key);
    assert.ok(kept);
    const grant = JSON.parse(kept.text) as Readonly<Record<string, unknown>>;
    const times = { obtainedAt: Date.now() - 3_600_000, expiresAt: Date.now() + inMs };
    assert.ok(
      await store.write(key, JSON.stringify({ ...grant, ...times, ...changes }), { ifGeneration: kept.generation }),
    );
  }
}

async function grantsGo(folder: string): Promise<void> {
  const store = fileCredentialStore({ folder });
  for (const key of await store.keys('grant')) await store.write(key, undefined);
}

const person = fileURLToPath(new URL('./person.ts', import.meta.url));

/** Makes a machine whose person does what is said; its files are deleted at the end of the test. */
export async function machineWithPerson(t: Pick<TestContext, 'after'>, options: PersonOptions = {}): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-person-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const [bin, state, pages] = [join(folder, 'bin'), join(folder, 'state'), join(folder, 'pages')];
  await mkdir(bin);
  const program = join(bin, 'xdg-open');
  const words = [process.execPath, person, pages, JSON.stringify(options)].map((word) => `'${word}'`);
  await writeFile(program, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  await chmod(program, 0o755);
  return {
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, XDG_STATE_HOME: state },
    state,
    async opened() {
      try {
        return (await readFile(pages, 'utf8')).split('\n').filter((line) => line !== '');
      } catch {
        return [];
      }
    },
    grantsEnd: (inMs, changes = {}) => grantsEnd(join(state, 'parley', 'credentials'), inMs, changes),
    grantsGo: () => grantsGo(join(state, 'parley', 'credentials')),
  };
}
