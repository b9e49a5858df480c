/** Streamable HTTP on any runtime: serving with `Request` and `Response`, and reaching servers by `fetch`. */

export type { ByteStream, Fetch, FetchRequest, FetchResponse } from './jsonrpc/fetch.ts';
export { httpTransport } from './transports/http/client/transport.ts';
export type { HttpTransportOptions } from './transports/http/client/request.ts';
export type { TokenSource } from './transports/http/client/token.ts';
export { ssePairTransport } from './transports/http/client/sse-pair.ts';
export { createHandler, type FetchHandler } from './transports/http/server/fetch.ts';
export type { ClosingTimes } from './transports/http/server/health/closing.ts';
export type { HealthPaths } from './transports/http/server/exchanges/options.ts';
export type { HttpRefusal, HttpRequest } from './server/runtime/protection.ts';
export type { Authenticate, HttpOptions, SsePairPaths } from './transports/http/server/exchanges/options.ts';
