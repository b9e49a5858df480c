/** Proofs that were used, in the memory of this process. */

import type { ReplayStore } from './options.ts';

/** The most proofs of one store. */
const maxProofs = 100_000;

/**
 * Remembers proofs until they expire. If there is no room, it reports that: a forgotten proof could be used again.
 *
 * @param now The time, in milliseconds since 1970.
 */
export function memoryReplay(now: () => number = Date.now, most: number = maxProofs): ReplayStore {
  // In the order in which they came, which is nearly that in which they expire.
  const proofs = new Map<string, number>();
  const sweep = (all: boolean): void => {
    const time = now();
    for (const [proof, expiresAt] of proofs) {
      if (expiresAt <= time) proofs.delete(proof);
      else if (!all) return;
    }
  };
  let sweptAt = Number.NEGATIVE_INFINITY;
  return {
    add: (proof, expiresAt) => {
      const known = proofs.get(proof);
      if (known !== undefined && known > now()) return false;
      sweep(false);
      // To look at all of them takes long, and is of use once a second at most.
      if (proofs.size >= most && now() - sweptAt >= 1000) {
        sweptAt = now();
        sweep(true);
      }
      if (proofs.size >= most) return 'full';
      proofs.set(proof, expiresAt);
      return true;
    },
  };
}
