import { isLater } from '../../store/now-or-later.ts';
import type { Store } from '../../store/store.ts';

/** Listener to how a store fares. */
export interface StoreListener {
  /** A call failed since the store could not be used; told once until `back`. */
  lost(): void;
  /** A call went well again. */
  back(awayMs: number): void;
  /** The bus may have lost texts. */
  gap(): void;
}

/** The same store, with somebody who hears when it cannot be used. Its streams and tasks are used as they are. */
export function toldStore(store: Store, listener: StoreListener): Store {
  let awaySince: number | undefined;
  const well = (): void => {
    if (awaySince === undefined) return;
    const awayMs = performance.now() - awaySince;
    awaySince = undefined;
    listener.back(awayMs);
  };
  const failed = (error: unknown): void => {
    const { reason } = (error ?? {}) as { readonly reason?: unknown };
    if (reason !== 'unavailable' || awaySince !== undefined) return;
    awaySince = performance.now();
    listener.lost();
  };
  const heard = <T>(run: () => T): T => {
    try {
      const value = run();
      if (isLater(value)) Promise.resolve(value).then(well, failed);
      else well();
      return value;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  const { records, bus, limits, tasks } = store;
  return {
    records: {
      add: (...given) => heard(() => records.add(...given)),
      get: (...given) => heard(() => records.get(...given)),
      put: (...given) => heard(() => records.put(...given)),
      touch: (...given) => heard(() => records.touch(...given)),
      delete: (...given) => heard(() => records.delete(...given)),
    },
    events: store.events,
    bus: {
      publish: (...given) => heard(() => bus.publish(...given)),
      subscribe: (channel, hear, onGap) =>
        heard(() =>
          bus.subscribe(channel, hear, () => {
            listener.gap();
            onGap();
          }),
        ),
    },
    limits: { take: (...given) => heard(() => limits.take(...given)) },
    ...(tasks && { tasks }),
    shared: store.shared,
    check: () => heard(() => store.check()),
    close: () => store.close(),
  };
}
