import { harmless } from '../../../options/harmless.ts';
import type { OnEvent } from './service-event.ts';
import type { ServiceWatcher, WatchingMiddleware } from './watching.ts';

/** Listeners of the owner of a server or bridge to what goes wrong, where it gave some. */
export interface OwnersListeners {
  readonly onError?: ((error: unknown, where: string) => void) | undefined;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Listeners to what happens to a server or a bridge: its option `onEvent`, and middleware that watches. Some may come at any time, so that who tells asks
 * each time whether somebody listens.
 */
export class ServiceListeners {
  /** Tells of an event; `undefined` while nobody listens. */
  tell: OnEvent | undefined;
  /** Those who hear of more than events. */
  readonly watchers: ServiceWatcher[] = [];

  /** Listeners to what goes wrong, for an edge that was given none of its own. */
  readonly owner: OwnersListeners;

  constructor(onEvent?: OnEvent, { onError, onWarning }: OwnersListeners = {}) {
    this.owner = { onError, onWarning };
    this.tell = onEvent && harmless(onEvent);
  }

  /** Has what was given to `use` listen too, where it watches. */
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

  /** The same work, of which each step tells a client of one change, with those who hear how many they are. */
  watched(telling: Iterator<unknown>): Iterator<unknown> {
    return this.watchers.reduce((work, watcher) => watcher.telling(work), telling);
  }
}
