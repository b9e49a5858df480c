import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache, digestOf, made, ran, sourcesOf } from './cache.ts';
import type { Built } from './peer.ts';

/** Builds a program of Rust, whose `Cargo.toml` names the crate of the peer. */
export async function buildRust(name: string, crate: string): Promise<Built> {
  const sources = sourcesOf(name);
  const version = await ran(['cargo', '--version'], { timeoutMs: 20_000 });
  const folder = await made(`${name}-${digestOf(name, version)}`, async (place) => {
    // What it is built of takes long, and stays for the next time that only the program changed.
    const target = join(cache, `${name}-target`);
    await ran(['cargo', 'build', '--locked', '-j', '1', '--target-dir', target], {
      cwd: sources,
      timeoutMs: 1_800_000,
    });
    copyFileSync(join(target, 'debug', 'peer'), join(place, 'peer'));
  });
  const pinned = readFileSync(join(sources, 'Cargo.toml'), 'utf8').split(`${crate} = { version = "=`)[1]?.split('"')[0];
  return { command: [join(folder, 'peer')], version: `${crate} ${pinned ?? ''}` };
}
