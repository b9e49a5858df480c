import type { Histogram, Meter } from '@opentelemetry/api';

/** Boundaries of the buckets of durations, in seconds. (OpenTelemetry conventions for MCP, Metrics.) */
const boundaries: number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The histograms of the conventions. */
export interface Instruments {
  /** Requests and notifications, by who sent them. */
  readonly sent: Histogram;
  /** Requests and notifications, by who received them. */
  readonly received: Histogram;
  /** Sessions, by their side. */
  readonly sessions: Readonly<Record<'client' | 'server', Histogram>>;
}

/** Makes the histograms of a meter. */
export function instrumentsOf(meter: Meter): Instruments {
  const duration = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: boundaries } });
  return {
    sent: duration(
      'mcp.client.operation.duration',
      'Time from sending a request or notification until it is answered.',
    ),
    received: duration(
      'mcp.server.operation.duration',
      'Time from receiving a request or notification until its answer is ready.',
    ),
    sessions: {
      client: duration('mcp.client.session.duration', 'Time that a session lasts, as its client sees it.'),
      server: duration('mcp.server.session.duration', 'Time that a session lasts, as its server sees it.'),
    },
  };
}
