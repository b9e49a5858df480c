import type { Middleware } from '../../../connection/middleware/middleware.ts';
import type { ServiceEvent } from './service-event.ts';

/** Receives events, and measurements that are too frequent for a log. It does not throw. */
export interface ServiceWatcher {
  event(event: ServiceEvent): void;
  /**
   * At a bridge, a call of a stateless client began to wait for the client's next request (1), or stopped waiting (-1).
   */
  parked(by: 1 | -1): void;
  /** Events were sent again to a client that resumed its stream. */
  replayed(count: number): void;
  /** The same work. Each step notifies a client of one change. */
  telling(work: Iterator<unknown>): Iterator<unknown>;
  /** Runs a store operation and passes on its outcome. */
  asked<T>(operation: string, ask: () => T): T;
}

/** Middleware with a watcher, which `use` adds to the listeners. */
export interface WatchingMiddleware extends Middleware {
  readonly watcher?: ServiceWatcher;
}
