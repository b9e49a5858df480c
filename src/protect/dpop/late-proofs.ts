import type { DpopSettings } from './options.ts';
import type { DpopProofs } from './proofs.ts';

/** Check of proofs. */
export type ProofCheck = Pick<DpopProofs, 'check' | 'nonceHeader'>;

/** Makes the check of proofs, which is loaded by the first of them: most servers see none. */
export function lateProofs(settings: DpopSettings, now: () => number): ProofCheck {
  let loading: Promise<DpopProofs> | undefined;
  const proofs = (): Promise<DpopProofs> => {
    if (loading !== undefined) return loading;
    loading = import('./proofs.ts').then((loaded) => new loaded.DpopProofs(settings, now));
    // What could not be loaded may be loaded for the next.
    loading.catch(() => (loading = undefined));
    return loading;
  };
  return {
    check: async (...about) => await (await proofs()).check(...about),
    nonceHeader: async (...about) => await (await proofs()).nonceHeader(...about),
  };
}
