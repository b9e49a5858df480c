import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseNoNumber, refuseOther } from '../../options/known-values.ts';
import { maxBusTextLength, type CountingBus } from '../bus.ts';
import { StoreError, type Store } from '../store.ts';
import { Subscribers } from '../subscribers.ts';
import { MemoryLimits } from './limits.ts';
import { MemoryRecords } from './records.ts';
import { MemoryStreams } from './streams.ts';

/** Limits of a store in memory. */
export interface MemoryStoreOptions {
  /** The most records; 250,000. One more is refused as `full`. */
  readonly maxRecords?: number;
  /** The most bytes of all records together, about; 128 MiB. A write that needs more is refused as `full`. */
  readonly maxRecordBytes?: number;
  /** The most events of one session; 1000. The oldest go first, of the stream that was not written for the longest. */
  readonly maxEvents?: number;
  /** The most characters that the events of one session have together; 1 Mi. The oldest go first. */
  readonly maxSessionLength?: number;
  /** The most characters that all events have together; 64 Mi. The oldest go first. */
  readonly maxEventsLength?: number;
  /** Lifetime of a stream after its last write, in milliseconds; 5 minutes. */
  readonly maxStreamAgeMs?: number;
  /** The most rate counters; 10,000. The one that was unused for the longest is dropped first. */
  readonly maxMeasures?: number;
  /** The clock, in milliseconds; one that never jumps by default. */
  readonly now?: () => number;
}

const optionNames: Names<MemoryStoreOptions> = {
  maxRecords: 1,
  maxRecordBytes: 1,
  maxEvents: 1,
  maxSessionLength: 1,
  maxEventsLength: 1,
  maxStreamAgeMs: 1,
  maxMeasures: 1,
  now: 1,
};

const mebi = 1024 * 1024;

/**
 * Makes a store in the memory of this process. It answers at once, never fails as `unavailable`, and ends with the
 * process. Closing it does nothing. Servers that get the same store share its data.
 *
 * @throws TypeError for unknown or invalid options.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  refuseUnknown('memoryStore', options, optionNames);
  const { now = () => performance.now(), ...numbers } = options;
  for (const [name, value] of Object.entries(numbers)) refuseNoNumber(name, value);
  refuseOther('function', 'now', now);
  const { maxRecords = 250_000, maxRecordBytes = 128 * mebi, maxMeasures = 10_000 } = options;
  const { maxEvents = 1_000, maxSessionLength = mebi, maxEventsLength = 64 * mebi } = options;
  const records = new MemoryRecords({ maxRecords, maxBytes: maxRecordBytes, now });
  const maxAgeMs = options.maxStreamAgeMs ?? 5 * 60_000;
  const streams = new MemoryStreams({ maxEvents, maxSessionLength, maxLength: maxEventsLength, maxAgeMs, now });
  const limits = new MemoryLimits({ maxMeasures, now });
  // Plain objects, so that who wraps a facet can spread it.
  return {
    records: {
      add: (key, text, ttlMs) => records.add(key, text, ttlMs),
      get: (key) => records.get(key),
      put: (key, text, ttlMs, version) => records.put(key, text, ttlMs, version),
      touch: (key, ttlMs) => records.touch(key, ttlMs),
      delete: (key) => records.delete(key),
    },
    events: { open: (session) => streams.open(session) },
    bus: memoryStoreBus(),
    limits: { take: (key, rate, cost) => limits.take(key, rate, cost) },
    shared: false,
    check: () => undefined,
    close: () => undefined,
  };
}

/** A text arrives on a later turn, as from a bus between processes. */
function memoryStoreBus(): CountingBus {
  const subscribers = new Subscribers();
  return {
    publish(channel, text) {
      if (text.length > maxBusTextLength)
        throw new StoreError(
          'too-large',
          `a text on the bus has up to ${maxBusTextLength} characters, not ${text.length}`,
        );
      return subscribers.tell(channel, text);
    },
    subscribe: (channel, hear) => subscribers.add(channel, hear),
  };
}
