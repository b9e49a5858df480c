import type { Middleware } from '../../../connection/middleware/middleware.ts';
import type { ServiceEvent } from './service-event.ts';

/** Hears events, and of what is too much for a log. It does not throw. */
export interface ServiceWatcher {
  event(event: ServiceEvent): void;
  /** A call of a stateless client at a bridge began to wait for that client to come back (1), or waits no more (-1). */
  parked(by: 1 | -1): void;
  /** Events were sent again, to a client that took its stream up. */
  replayed(count: number): void;
  /** The same work, of which each step tells a client of one change. */
  telling(work: Iterator<unknown>): Iterator<unknown>;
  /** Asks the store something, and passes on what comes of it. */
  asked<T>(operation: string, ask: () => T): T;
}

/** Middleware whose watcher `use` has hear what happens. */
export interface WatchingMiddleware extends Middleware {
  readonly watcher?: ServiceWatcher;
}
