import type { RequestMessage, ResponseMessage } from '../jsonrpc/message.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Link } from './endpoint.ts';

/** Attributes of a span, by the names of the OpenTelemetry conventions for MCP. */
export type TraceAttributes = Readonly<Record<string, string | number>>;

/** The W3C trace context that a client sent in `_meta`, where it sent one. (SEP-414.) */
export interface TraceParent {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** One request being served, as tracing sees its beginning. */
export interface TraceStart {
  /**
   * `mcp.method.name`, `jsonrpc.request.id` and, where they are known, `network.transport` and `mcp.session.id`. Nothing of
   * them is verified.
   */
  readonly attributes: TraceAttributes;
  readonly parent: TraceParent;
}

/** A span of a tracing library, as far as it is needed. */
export interface TraceSpan {
  /**
   * The request was answered.
   *
   * @param attributes `mcp.protocol.version` where one was settled; for a failure `rpc.response.status_code` and
   *   `error.type`, which is `cancelled` for a request that was given up.
   */
  end(attributes: TraceAttributes): void;
}

/** Begins a span for a request; what it throws is told to `onError` and changes nothing. */
export type Tracer = (start: TraceStart) => TraceSpan | undefined;

/** Facts of a request when it arrives. */
export function traceStart(message: RequestMessage, link: Link): TraceStart {
  return {
    attributes: {
      'mcp.method.name': message.method.slice(0, 128),
      'jsonrpc.request.id': String(message.id).slice(0, 128),
      ...(link.network === undefined ? {} : { 'network.transport': link.network }),
      ...(link.id === undefined ? {} : { 'mcp.session.id': link.id }),
    },
    parent: parentOf(message.params?.['_meta']),
  };
}

/** Facts of a request when it was answered. */
export function traceEnd(response: ResponseMessage | undefined, revision: Revision | undefined): TraceAttributes {
  const failure: TraceAttributes =
    response === undefined
      ? { 'error.type': 'cancelled' }
      : 'error' in response
        ? { 'rpc.response.status_code': String(response.error.code), 'error.type': String(response.error.code) }
        : {};
  return { ...(revision === undefined ? {} : { 'mcp.protocol.version': revision.date }), ...failure };
}

function parentOf(meta: unknown): TraceParent {
  // Anything but an object with text under these keys is no trace context.
  const { traceparent, tracestate, baggage } = (typeof meta === 'object' && meta !== null ? meta : {}) as JsonObject;
  return {
    ...(typeof traceparent === 'string' && isTraceparent(traceparent) ? { traceparent } : {}),
    ...(typeof tracestate === 'string' ? { tracestate } : {}),
    ...(typeof baggage === 'string' ? { baggage } : {}),
  };
}

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags; all zeros are no id. */
function isTraceparent(text: string): boolean {
  return /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/.test(text);
}
