import type { Counter, Histogram, Meter, UpDownCounter } from '@opentelemetry/api';

/** Boundaries of the buckets of calls of a store, in seconds: it gives up after two. */
const storeBoundaries: number[] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];

/** Boundaries of the buckets of listeners. */
const fanoutBoundaries: number[] = [0, 1, 10, 100, 1_000, 10_000, 100_000];

/** Names of what goes up and down. */
export const levelNames = ['sessions', 'streams', 'running', 'parked'] as const;

/** Something that goes up and down. */
export type LevelName = (typeof levelNames)[number];

/** The metrics of Parley's own, whose names begin with `parley.`. */
export interface ServiceInstruments {
  readonly levels: Readonly<Record<LevelName, UpDownCounter>>;
  readonly refused: Counter;
  readonly streamsCut: Counter;
  readonly eventsReplayed: Counter;
  readonly busGaps: Counter;
  readonly storeDuration: Histogram;
  readonly storeErrors: Counter;
  readonly fanoutSize: Histogram;
}

/** Makes them at a meter. */
export function serviceInstrumentsOf(meter: Meter): ServiceInstruments {
  const level = (name: LevelName, unit: string, description: string): UpDownCounter =>
    meter.createUpDownCounter(`parley.${name}`, { unit, description });
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(`parley.${name}`, { unit, description });
  const histogram = (
    name: string,
    { unit, boundaries }: { readonly unit: string; readonly boundaries: number[] },
    description: string,
  ): Histogram =>
    meter.createHistogram(`parley.${name}`, { unit, description, advice: { explicitBucketBoundaries: boundaries } });
  return {
    levels: {
      sessions: level('sessions', '{session}', 'Sessions that are open in this process.'),
      streams: level('streams', '{stream}', 'Event streams over HTTP that are open in this process.'),
      running: level('running', '{request}', 'Requests with a running handler, without subscriptions/listen.'),
      parked: level('parked', '{call}', 'Calls that wait at a bridge for their clients to come back.'),
    },
    refused: counter('refused', '{request}', 'Requests that were rejected before they were handled.'),
    streamsCut: counter('streams.cut', '{stream}', 'Event streams that were broken off here.'),
    eventsReplayed: counter('events.replayed', '{event}', 'Events that were sent again on a stream that was resumed.'),
    busGaps: counter('bus.gaps', '{gap}', 'Times that texts of other processes may have been missed.'),
    storeDuration: histogram(
      'store.duration',
      { unit: 's', boundaries: storeBoundaries },
      'Time until the store answered or failed.',
    ),
    storeErrors: counter('store.errors', '{error}', 'Calls of the store that failed.'),
    fanoutSize: histogram(
      'fanout.size',
      { unit: '{client}', boundaries: fanoutBoundaries },
      'Clients that were notified of one change, in this process.',
    ),
  };
}
