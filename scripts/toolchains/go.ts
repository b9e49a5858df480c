import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ran } from './command.ts';
import { folderOf, type Built, type Program } from './program.ts';

/**
 * Builds a program of Go, whose `go.mod` names the module of the peer.
 *
 * @throws Unavailable without a toolchain or a network, or when it does not compile.
 */
export async function buildGo(program: Program, module: string): Promise<Built> {
  const { sources } = program;
  const version = await ran(['go', 'version'], { timeoutMs: 20_000 });
  const folder = await folderOf(program, [version], async (place) => {
    await ran(['go', 'build', '-p', '1', '-o', join(place, 'peer'), '.'], { cwd: sources, timeoutMs: 1_800_000 });
  });
  const pinned = readFileSync(join(sources, 'go.mod'), 'utf8').split(`${module} `)[1]?.split(/\s/)[0];
  return { command: [join(folder, 'peer')], version: `${module} ${pinned ?? ''}` };
}
