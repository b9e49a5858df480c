import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ran } from './command.ts';
import { folderOf, type Built, type Program } from './program.ts';

/** The profiles of Cargo: `debug` builds sooner, `release` runs faster. */
export type Profile = 'debug' | 'release';

/**
 * Builds a program of Rust, whose `Cargo.toml` names the crate of the peer.
 *
 * @throws Unavailable without a toolchain or a network, or when it does not compile.
 */
export async function buildRust(program: Program, crate: string, profile: Profile = 'debug'): Promise<Built> {
  const { sources, cache } = program;
  const manifest = readFileSync(join(sources, 'Cargo.toml'), 'utf8');
  const version = await ran(['cargo', '--version'], { timeoutMs: 20_000 });
  const folder = await folderOf(program, [version], async (place) => {
    // What it is built of takes long, and stays for the next time that only the program changed.
    const target = join(cache, `${crate}-target`);
    const how = profile === 'release' ? ['--release'] : [];
    // Cargo takes another program of the same name for this one, unless its sources are newer.
    await ran(['cargo', 'clean', '--locked', '-p', crateIn(manifest), ...how, '--target-dir', target], {
      cwd: sources,
      timeoutMs: 60_000,
    });
    await ran(['cargo', 'build', '--locked', '-j', '2', ...how, '--target-dir', target], {
      cwd: sources,
      timeoutMs: 1_800_000,
    });
    copyFileSync(join(target, profile, crateIn(manifest)), join(place, 'peer'));
  });
  const pinned = manifest.split(`${crate} = { version = "=`)[1]?.split('"')[0];
  return { command: [join(folder, 'peer')], version: `${crate} ${pinned ?? ''}` };
}

/** The name of the program's own crate, by which programs that share a folder are told apart. */
function crateIn(manifest: string): string {
  return /^name = "([^"]+)"$/m.exec(manifest)?.[1] ?? 'peer';
}
