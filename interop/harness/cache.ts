import { join } from 'node:path';
import { userCache } from '../../scripts/made-folder.ts';
import type { Program } from '../../scripts/toolchains/program.ts';

const cache = userCache('parley-interop');

/** The program of a peer, by the name of its folder. */
export function programOf(name: string): Program {
  return { name, sources: join(import.meta.dirname, '../peers', name), cache };
}
