/** Installs the packages of `peers/` before a run that needs them. */

import { filesNeedingPeers } from '../check/peer-imports.ts';
import { repositoryOnDisk } from '../check/repository.ts';
import { installPeers, peersAreHere } from '../peers.ts';
import type { TestFile, Tier } from './files.ts';

/**
 * The files that can be run. The fast tier leaves out those whose packages cannot be installed, and says so.
 *
 * @throws Error when another run needs packages that cannot be installed.
 */
export function withPeers(files: readonly TestFile[], tier: Tier | undefined): readonly TestFile[] {
  if (peersAreHere()) return files;
  const needing = filesNeedingPeers(repositoryOnDisk(), { types: false });
  const left = files.filter(({ path }) => needing.has(path));
  if (left.length === 0) return files;
  try {
    installPeers();
    return files;
  } catch (error) {
    if (tier !== 'fast') throw error;
    console.error(`${String(error)} Left out: ${left.map(({ path }) => path).join(', ')}`);
    return files.filter(({ path }) => !needing.has(path));
  }
}
