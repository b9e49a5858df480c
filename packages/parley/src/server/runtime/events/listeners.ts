import { harmless } from '../../../options/harmless.ts';
import type { OnEvent } from './service-event.ts';
import type { ServiceWatcher, WatchingMiddleware } from './watching.ts';

/** The error listeners of the owner of a server or bridge, if there are any. */
export interface OwnersListeners {
  readonly onError?: ((error: unknown, where: string) => void) | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Listeners to what happens to a server or a bridge: its option `onEvent`, and middleware that watches. A listener may
 * be added at any time. So each sender of an event checks whether there is one.
 */
export class ServiceListeners {
  /** Sends an event; `undefined` while there is no listener. */
  tell: OnEvent | undefined;
  /** Listeners that receive more than events. */
  readonly watchers: ServiceWatcher[] = [];

  /** Error listeners for an edge that has none of its own. */
  readonly owner: OwnersListeners;

  constructor(onEvent?: OnEvent, { onError, onWarning }: OwnersListeners = {}) {
    this.owner = { onError, onWarning };
    this.tell = onEvent && harmless(onEvent);
  }

  /** Adds middleware that was given to `use` as a listener, if it watches. */
  follow(used: unknown): void {
    const { watcher } = used as WatchingMiddleware;
    if (watcher === undefined || this.watchers.includes(watcher)) return;
    this.watchers.push(watcher);
    const { tell } = this;
    this.tell = (event) => {
      tell?.(event);
      watcher.event(event);
    };
  }

  /** The same work, watched by the listeners that count notified clients. Each step notifies a client of one change. */
  watched(telling: Iterator<unknown>): Iterator<unknown> {
    return this.watchers.reduce((work, watcher) => watcher.telling(work), telling);
  }
}
