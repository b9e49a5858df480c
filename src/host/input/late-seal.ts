import type { Seal } from './seal.ts';
import { sealingKeyOf, type SealingKey } from './sealing-key.ts';

/**
 * A seal that is loaded and made when it is first used, which most servers never do; the keys are looked at now.
 *
 * @throws TypeError when a key is not 32 bytes.
 */
export function lateSeal(keys: readonly SealingKey[] = []): Seal {
  const bytes = keys.map(sealingKeyOf);
  let made: Promise<Seal> | undefined;
  const seal = (): Promise<Seal> => (made ??= import('./seal.ts').then(({ createSeal }) => createSeal(bytes)));
  return {
    seal: async (text, boundTo) => (await seal()).seal(text, boundTo),
    open: async (sealed, boundTo) => (await seal()).open(sealed, boundTo),
  };
}
