/** Context of traces in `_meta`. (SEP-414; OpenTelemetry conventions for MCP, Context propagation.) */

import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Link,
  type SpanContext,
  type TextMapGetter,
} from '@opentelemetry/api';
import type { MiddlewareContext } from '../connection/middleware/middleware.ts';
import type { JsonObject } from '../protocol/features/common.ts';

/** Place of a span among others. */
export interface SpanPlace {
  readonly parent: Context;
  readonly links: readonly Link[];
}

/** The longest text that is looked at; a list of `baggage` has 8192 bytes at most. (W3C Baggage, Limits.) */
const longest = 8192;

/** Names under which a context may stand, beside those of the configured propagators. */
const names: readonly string[] = ['traceparent', 'tracestate', 'baggage'];

const reader: TextMapGetter<JsonObject> = {
  keys: (meta) => Object.keys(meta),
  get: (meta, key) => {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === 'string' && value.length <= longest ? value : undefined;
  },
};

/**
 * Place of the span of a message that was received.
 *
 * @param trust Use of what a client says: as the parent, or as a link alone. A server says it of what it was asked for.
 */
export function placeOfReceived({ side, meta }: MiddlewareContext, trust: 'parent' | 'link'): SpanPlace {
  // A client reads its connection in the context of whoever opened it, which says nothing of what comes.
  const ambient = side === 'client' ? ROOT_CONTEXT : context.active();
  if (trust === 'link' && side === 'server')
    return { parent: ambient, links: linksTo(remote(propagation.extract(ROOT_CONTEXT, meta, reader))) };
  const parent = propagation.extract(ambient, meta, reader);
  const around = remote(ambient);
  const isRemote = remote(parent)?.spanId !== around?.spanId;
  return { parent, links: isRemote ? linksTo(around) : [] };
}

/** Place of the span of a message that is sent: within what goes on here, else within what the message says itself, as one does that a bridge carries. */
export function placeOfSent({ meta }: MiddlewareContext): SpanPlace {
  const ambient = context.active();
  return { parent: remote(ambient) === undefined ? propagation.extract(ambient, meta, reader) : ambient, links: [] };
}

/** Parameters that carry a context in place of any that they had; `undefined` where no propagator is configured. */
export function carrying(active: Context, { params, meta }: MiddlewareContext): JsonObject | undefined {
  const carrier: Record<string, string> = {};
  propagation.inject(active, carrier);
  if (Object.keys(carrier).length === 0) return undefined;
  const others = { ...meta };
  for (const name of [...names, ...propagation.fields()]) delete others[name];
  return { ...params, _meta: { ...others, ...carrier } };
}

function remote(within: Context): SpanContext | undefined {
  return trace.getSpanContext(within);
}

function linksTo(span: SpanContext | undefined): readonly Link[] {
  return span === undefined ? [] : [{ context: span }];
}
