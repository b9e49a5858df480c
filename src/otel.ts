/** Spans and metrics by the OpenTelemetry conventions for MCP. */

export { otel, type OtelOptions } from './otel/otel.ts';
export type { Middleware, Passing, PassingAuth, PassingSession } from './peer/middleware/middleware.ts';
