/** SDK of OpenTelemetry that a program has registered. */

import { createNoopMeter, metrics, ProxyTracerProvider, trace } from '@opentelemetry/api';
import { settledWithin } from '../jsonrpc/timeout.ts';

/** Time that what was not sent yet may take at the end, in milliseconds. */
const lastMs = 3_000;

/** Tells whether spans or metrics go anywhere. */
export function isSdkRegistered(): boolean {
  const nowhere = new ProxyTracerProvider().getDelegate();
  return tracerProvider() !== nowhere || metrics.getMeterProvider().getMeter('parley-mcp') !== createNoopMeter();
}

/** Has the SDK send what it has gathered; it gives up after three seconds, and does not fail. */
export async function flushSdk(): Promise<void> {
  const providers = [tracerProvider(), metrics.getMeterProvider()] as readonly Flushable[];
  const flushed = providers.map(async (provider) => await provider.forceFlush?.());
  await settledWithin(lastMs, Promise.allSettled(flushed));
}

/** A provider of an SDK; the API itself knows nothing of flushing. */
interface Flushable {
  forceFlush?(): Promise<void>;
}

function tracerProvider(): object {
  const provider = trace.getTracerProvider();
  return provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
}
