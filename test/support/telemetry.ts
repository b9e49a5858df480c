/** An SDK of OpenTelemetry that keeps what it gets, and the global parts of one. */

import { setTimeout } from 'node:timers/promises';
import { context, propagation, type SpanKind } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type Histogram,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import type { OtelOptions } from '../../packages/parley/src/otel.ts';
import { stuckAfterMs } from './stuck.ts';

/** One point of a histogram. */
export interface Point {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly sum: number;
  readonly boundaries: readonly number[];
}

/** A metric of Parley's own. */
export interface OwnMetric {
  readonly unit: string;
  /** The values by the attributes, as JSON; of a histogram how often something was recorded. */
  readonly values: Readonly<Record<string, number>>;
}

/** What one process would report. */
export interface Telemetry {
  readonly options: Pick<OtelOptions, 'tracerProvider' | 'meterProvider'>;
  /** The spans that ended, in that order. */
  spans(): readonly ReadableSpan[];
  /** Resolves when a span of a name has ended: the first of a session wait until its id is hashed. */
  ended(name: string, kind?: SpanKind): Promise<void>;
  /** Durations of the conventions that were measured so far. */
  points(): Promise<readonly Point[]>;
  /** Metrics of Parley's own so far, by their names. */
  own(): Promise<ReadonlyMap<string, OwnMetric>>;
}

export function telemetry(): Telemetry {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 31 - 1 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    options: { tracerProvider, meterProvider },
    spans: () => exporter.getFinishedSpans(),
    ended: async (name, kind) => {
      const has = (span: ReadableSpan): boolean => span.name === name && (kind ?? span.kind) === span.kind;
      const until = performance.now() + stuckAfterMs;
      while (!exporter.getFinishedSpans().some(has)) {
        if (performance.now() > until) throw new Error(`no span ${name} ended`);
        await setTimeout(1);
      }
    },
    points: async () => {
      const { resourceMetrics } = await reader.collect();
      return resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
        metrics
          .filter(({ descriptor }) => !isOwn(descriptor.name))
          .flatMap(({ descriptor, dataPoints }) =>
            // All of the conventions are histograms.
            (dataPoints as DataPoint<Histogram>[]).map(({ attributes, value }) => ({
              metric: descriptor.name,
              unit: descriptor.unit,
              attributes,
              count: value.count,
              sum: value.sum ?? 0,
              boundaries: value.buckets.boundaries,
            })),
          ),
      );
    },
    own: async () => {
      const { resourceMetrics } = await reader.collect();
      const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
      return new Map(
        all
          .filter(({ descriptor }) => isOwn(descriptor.name))
          .map(({ descriptor, dataPoints }) => {
            const values = (dataPoints as DataPoint<number | Histogram>[]).map(
              ({ attributes, value }) => [JSON.stringify(attributes), numberOf(value)] as const,
            );
            return [descriptor.name, { unit: descriptor.unit, values: Object.fromEntries(values) }];
          }),
      );
    },
  };
}

function isOwn(name: string): boolean {
  return name.startsWith('parley.');
}

function numberOf(value: number | Pick<Histogram, 'count'>): number {
  return typeof value === 'number' ? value : value.count;
}

/** Registers what is global in every program with an SDK: how contexts follow what runs, and how they travel. */
export function registerContext(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
}

/** Takes it away again. */
export function forgetContext(): void {
  context.disable();
  propagation.disable();
}
