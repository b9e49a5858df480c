/** Streamable HTTP on any runtime: serving with `Request` and `Response`, and reaching servers by `fetch`. */

export { httpTransport } from './http/client/transport.ts';
export type { ByteStream, ByteStreamReader, Fetch, FetchRequest, FetchResponse } from './http/client/fetch.ts';
export type { HttpTransportOptions } from './http/client/request.ts';
export type { TokenSource } from './http/client/token.ts';
export { ssePairTransport } from './http/client/sse-pair.ts';
export { createHandler, type FetchHandler } from './http/server/fetch.ts';
export type { ClosingTimes } from './http/server/health/closing.ts';
export type { HealthPaths } from './http/server/health/health.ts';
export type { HttpRefusal, HttpRequest } from './host/protection.ts';
export type { Authenticate, HttpOptions, SsePairPaths } from './http/server/options.ts';
