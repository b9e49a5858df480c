import { harmless } from '../../mistakes/harmless.ts';
import type { Store } from '../../store/store.ts';
import { toldStore } from './told-store.ts';
import type { OnEvent } from './service-event.ts';

/** Listener to what happens, made harmless, and a store that tells how it fares; both as they are where nobody listens. */
export function toldOf(
  onEvent: OnEvent | undefined,
  store: Store | undefined,
): { readonly onEvent: OnEvent | undefined; readonly store: Store | undefined } {
  if (onEvent === undefined) return { onEvent, store };
  const tell = harmless(onEvent);
  if (store === undefined) return { onEvent: tell, store };
  const listener = {
    lost: () => tell({ type: 'store-lost' }),
    back: (awayMs: number) => tell({ type: 'store-back', awayMs }),
    gap: () => tell({ type: 'bus-gap' }),
  };
  return { onEvent: tell, store: toldStore(store, listener) };
}
