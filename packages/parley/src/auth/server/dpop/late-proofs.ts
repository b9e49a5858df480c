import { loadedOnce } from '../../../options/loaded-once.ts';
import type { DpopSettings } from './options.ts';
import type { DpopProofs } from './proofs.ts';

/** Check of proofs. */
export type ProofCheck = Pick<DpopProofs, 'check' | 'nonceHeader'>;

/** Makes the check of proofs. The first proof loads its code, since most servers see none. */
export function lateProofs(settings: DpopSettings, now: () => number): ProofCheck {
  const proofs = loadedOnce(async () => new (await import('./proofs.ts')).DpopProofs(settings, now));
  return {
    check: async (...about) => await (await proofs()).check(...about),
    nonceHeader: async (...about) => await (await proofs()).nonceHeader(...about),
  };
}
