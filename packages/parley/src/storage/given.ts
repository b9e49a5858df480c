import { refuseOther } from '../options/known-values.ts';
import { shown } from '../options/shown.ts';
import type { Store } from './store.ts';

/** The functions of a store, by their paths. */
const functions =
  'records.add records.get records.put records.touch records.delete events.open bus.publish bus.subscribe limits.take check close';

/**
 * Rejects a value that is not a store, for untyped programs.
 *
 * @param keys The keys that seal shared data; a shared store needs one.
 * @throws TypeError with the missing part.
 */
export function refuseNoStore(store: Store | undefined, keys: readonly unknown[] | (() => unknown) | undefined): void {
  if (store === undefined) return;
  if (typeof store !== 'object' || store === null)
    throw new TypeError(`store must be one that memoryStore or redis makes, not ${shown(store)}`);
  for (const path of functions.split(' ')) {
    const found = path.split('.').reduce((value: unknown, name) => Object(value)[name], store);
    refuseOther('function', `store.${path}`, found ?? null);
  }
  refuseOther('boolean', 'store.shared', store.shared ?? null);
  // What one process seals another one opens: a key of this process alone would break conversations at random.
  if (store.shared && typeof keys !== 'function' && (keys?.length ?? 0) === 0)
    throw new TypeError('a store that processes share needs rounds.keys of 32 bytes, the same in each of them');
}
