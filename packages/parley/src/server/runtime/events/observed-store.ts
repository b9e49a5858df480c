import { harmless } from '../../../options/harmless.ts';
import { mapMaybe, isLater } from '../../../storage/maybe-promise.ts';
import type { Store } from '../../../storage/store.ts';
import type { StreamLog, StreamWriter } from '../../../storage/stream-log.ts';
import { StoreGeneration } from './generation.ts';
import { Fullness } from './fullness.ts';
import type { ServiceListeners } from './listeners.ts';

type Run = <T>(operation: string, ask: () => T) => T;

/**
 * The same store, with listeners that learn when it fails and which operations run. Its tasks are passed through.
 * Failures of stream logs are no event, since their writers handle them.
 */
export function toldStore(store: Store, listeners: ServiceListeners): Store {
  const watched: Run = (operation, ask) =>
    listeners.watchers.reduce((run, watcher) => () => watcher.asked(operation, run), ask)();
  const { records, bus, limits, tasks } = store;
  const gaps = new Set<() => void>();
  const generation = new StoreGeneration(records, () => {
    listeners.tell?.({ type: 'store-emptied' });
    // Data that this process cached from the store is read again, as after a gap.
    for (const onGap of gaps) harmless(onGap)();
  });
  const look = (): void => void (store.shared && generation.look());
  const told = telling(listeners, watched, look);
  return {
    records: through(told, 'records', records, ['add', 'get', 'put', 'touch', 'delete']),
    events: { open: (session) => toldLog(store.events.open(session), watched) },
    bus: {
      ...through(told, 'bus', bus, ['publish']),
      // An ordinary subscriber of a bus needs no gap notice.
      subscribe: (channel, hear, onGap: (() => void) | undefined) => {
        const missed = (): void => onGap?.();
        const subscribed = told('bus.subscribe', () =>
          bus.subscribe(channel, hear, () => {
            listeners.tell?.({ type: 'bus-gap' });
            look();
            missed();
          }),
        );
        return mapMaybe(subscribed, (end) => {
          gaps.add(missed);
          return () => {
            gaps.delete(missed);
            return end();
          };
        });
      },
    },
    limits: through(told, 'limits', limits, ['take']),
    ...(tasks && { tasks }),
    shared: store.shared,
    check: () =>
      mapMaybe(
        told('check', () => store.check()),
        look,
      ),
    close: () => store.close(),
  };
}

function toldLog(log: StreamLog, watched: Run): StreamLog {
  const toldWriter = (writer: StreamWriter): StreamWriter => ({
    ...through(watched, 'events', writer, ['append']),
    get mark() {
      return writer.mark;
    },
  });
  return {
    ...through(watched, 'events', log, ['read', 'clear']),
    write: (stream, about, mark) =>
      mapMaybe(
        watched('events.write', () => log.write(stream, about, mark)),
        toldWriter,
      ),
  };
}

/** Functions of a part of the store, each wrapped. */
function through<Part extends object, Name extends keyof Part & string>(
  run: Run,
  name: string,
  part: Part,
  functions: readonly Name[],
): Pick<Part, Name> {
  const through = functions.map((which) => {
    const ask = (...given: unknown[]): unknown =>
      run(`${name}.${which}`, () => (part as Record<string, (...args: unknown[]) => unknown>)[which]?.(...given));
    return [which, ask];
  });
  // They have the names and the signatures of the originals.
  return Object.fromEntries(through) as Pick<Part, Name>;
}

/** Wraps another runner. Reports when the store fails or is full, and when it recovers. */
function telling(listeners: ServiceListeners, ask: Run, back: () => void): Run {
  const fullness = new Fullness((event) => listeners.tell?.(event));
  let awaySince: number | undefined;
  const well = (operation: string): void => {
    fullness.went(operation);
    if (awaySince === undefined) return;
    const awayMs = performance.now() - awaySince;
    awaySince = undefined;
    listeners.tell?.({ type: 'store-back', awayMs });
    back();
  };
  const failed = (operation: string, error: unknown): void => {
    const { reason } = (error ?? {}) as { readonly reason?: unknown };
    if (reason === 'full') fullness.refused(operation);
    if (reason !== 'unavailable' || awaySince !== undefined) return;
    awaySince = performance.now();
    listeners.tell?.({ type: 'store-lost' });
  };
  return (...asked) => {
    if (listeners.tell === undefined) return ask(...asked);
    const [operation] = asked;
    try {
      const value = ask(...asked);
      if (isLater(value))
        Promise.resolve(value).then(
          () => well(operation),
          (error: unknown) => failed(operation, error),
        );
      else well(operation);
      return value;
    } catch (error) {
      failed(operation, error);
      throw error;
    }
  };
}
