import type { Attributes } from '@opentelemetry/api';
import type { ServiceEvent } from '../server/runtime/events/service-event.ts';
import type { ServiceWatcher } from '../server/runtime/events/watching.ts';
import { isLater } from '../storage/maybe-promise.ts';
import { StoreError } from '../storage/store.ts';
import type { LevelName, ServiceInstruments } from './service-instruments.ts';

const none: Attributes = {};

/** Numbers of a service: what `use` tells of it beside messages. */
export class Service implements ServiceWatcher {
  readonly #instruments: () => ServiceInstruments;
  /** The levels as they are, since a program may register a provider when some are not zero any more. */
  readonly #levels = new Map<string, { readonly name: LevelName; readonly attributes: Attributes; value: number }>();

  /** @param instruments Those of the provider that there is now. */
  constructor(instruments: () => ServiceInstruments) {
    this.#instruments = instruments;
  }

  /** Tells instruments that are new where the levels are. */
  catchUp({ levels }: ServiceInstruments): void {
    for (const { name, attributes, value } of this.#levels.values())
      if (value !== 0) levels[name].add(value, attributes);
  }

  /** A request is run, or has been. */
  runs(by: 1 | -1): void {
    this.#add('running', by);
  }

  event(event: ServiceEvent): void {
    switch (event.type) {
      case 'session-opened':
      case 'session-adopted':
        return this.#add('sessions', 1, attributesOf(event));
      case 'session-ended':
        return this.#add('sessions', -1, attributesOf(event));
      case 'stream-opened':
        return this.#add('streams', 1);
      case 'stream-ended':
        return this.#add('streams', -1);
      case 'stream-cut':
        return this.#instruments().streamsCut.add(1, { reason: event.reason });
      case 'request-refused':
        return this.#instruments().refused.add(1, { reason: event.reason });
      case 'bus-gap':
        return this.#instruments().busGaps.add(1);
      default:
    }
  }

  parked(by: 1 | -1): void {
    this.#add('parked', by);
  }

  replayed(count: number): void {
    this.#instruments().eventsReplayed.add(count);
  }

  *telling(work: Iterator<unknown>): Generator<void> {
    let to = 0;
    for (; work.next().done !== true; to++) yield;
    this.#instruments().fanoutSize.record(to);
  }

  asked<T>(operation: string, ask: () => T): T {
    const begun = performance.now();
    const over = (failure?: string): void => {
      const { storeDuration, storeErrors } = this.#instruments();
      storeDuration.record((performance.now() - begun) / 1000, { op: operation });
      if (failure !== undefined) storeErrors.add(1, { op: operation, 'error.type': failure });
    };
    const failed = (error: unknown): void => over(error instanceof StoreError ? error.reason : 'other');
    try {
      const value = ask();
      if (isLater(value)) Promise.resolve(value).then(() => over(), failed);
      else over();
      return value;
    } catch (error) {
      failed(error);
      throw error;
    }
  }

  #add(name: LevelName, by: number, attributes: Attributes = none): void {
    // Before it is changed: instruments that are new have been told of all that was.
    const instrument = this.#instruments().levels[name];
    const key = attributes === none ? name : `${name} ${JSON.stringify(attributes)}`;
    const level = this.#levels.get(key);
    if (level === undefined) this.#levels.set(key, { name, attributes, value: by });
    else level.value += by;
    instrument.add(by, attributes);
  }
}

/** Attributes of a session, which have few values. */
function attributesOf({
  revision,
  transport,
}: {
  readonly revision: string;
  readonly transport: string | undefined;
}): Attributes {
  return { 'mcp.protocol.version': revision, ...(transport !== undefined && { 'network.transport': transport }) };
}
