import { InFlightList } from './in-flight-list.ts';

/** All that run when one signal is aborted. */
interface Hub {
  readonly crowd: InFlightList<Waiting>;
  readonly abort: () => void;
}

interface Waiting {
  readonly run: () => void;
  isGone: boolean;
}

/**
 * A signal has one listener of ours, however many wait for it: many calls may share one, and runtimes warn of a leak where
 * more than ten listen.
 */
const hubs = new WeakMap<AbortSignal, Hub>();

/**
 * Runs something once when a signal is aborted; where it was aborted before, nothing runs. What throws stops no other.
 *
 * @returns Function that ends the wait. Somebody has to call it: nothing else forgets it as long as the signal lives.
 */
export function runOnAbort(signal: AbortSignal, run: () => void): () => void {
  const hub = hubs.get(signal) ?? openHub(signal);
  const waiting: Waiting = { run, isGone: false };
  const membership = hub.crowd.add(waiting);
  return () => {
    if (waiting.isGone) return;
    waiting.isGone = true;
    membership.leave();
    // A runtime may keep signals that are listened to.
    if (hub.crowd.size === 0) closeHub(signal, hub);
  };
}

function openHub(signal: AbortSignal): Hub {
  const crowd = new InFlightList<Waiting>();
  const hub: Hub = {
    crowd,
    abort: () => {
      for (const waiting of crowd.all()) if (!waiting.isGone) runApart(waiting.run);
    },
  };
  hubs.set(signal, hub);
  signal.addEventListener('abort', hub.abort, { once: true });
  return hub;
}

function closeHub(signal: AbortSignal, hub: Hub): void {
  if (hubs.get(signal) === hub) hubs.delete(signal);
  signal.removeEventListener('abort', hub.abort);
}

function runApart(run: () => void): void {
  try {
    run();
  } catch (error) {
    // It is told as what a listener of an event throws.
    queueMicrotask(() => {
      throw error;
    });
  }
}
