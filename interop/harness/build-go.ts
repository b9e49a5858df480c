import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, made, ran, sourcesOf } from './cache.ts';
import type { Built } from './peer.ts';

/** Builds a program of Go, whose `go.mod` names the module of the peer. */
export async function buildGo(name: string, module: string): Promise<Built> {
  const sources = sourcesOf(name);
  const version = await ran(['go', 'version'], { timeoutMs: 20_000 });
  const folder = await made(`${name}-${digestOf(name, version)}`, async (place) => {
    await ran(['go', 'build', '-p', '1', '-o', join(place, 'peer'), '.'], { cwd: sources, timeoutMs: 600_000 });
  });
  const pinned = readFileSync(join(sources, 'go.mod'), 'utf8').split(`${module} `)[1]?.split(/\s/)[0];
  return { command: [join(folder, 'peer')], version: `${module} ${pinned ?? ''}` };
}
