/** Spans and metrics by the OpenTelemetry conventions for MCP. */

export { otel, type OtelOptions } from './telemetry/otel.ts';
export type {
  Middleware,
  MiddlewareContext,
  MiddlewareAuth,
  MiddlewareSession,
} from './connection/middleware/middleware.ts';
