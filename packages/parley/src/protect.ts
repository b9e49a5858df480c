/** Protecting a server over HTTP: tokens of authorization servers, their scopes, and the metadata that clients sign in by. */

export type { Fetch, FetchRequest, FetchResponse } from './jsonrpc/fetch.ts';
export { protect, type Guarded } from './auth/server/protect.ts';
export type { Claims, FailureLimit, ProtectOptions, VerifyToken } from './auth/server/options.ts';
export type { IntrospectionOptions, IssuerOptions } from './auth/server/issuer-options.ts';
export type { ClientSecret } from './auth/server/introspection.ts';
export type { DpopOptions, ReplayStore } from './auth/server/dpop/options.ts';
export type { ExchangeOptions } from './auth/server/exchange/exchange.ts';
export type { Revoked } from './auth/server/stored-tokens.ts';
export { memoryReplay } from './auth/server/dpop/replay.ts';
export { AuthorizationError, type AuthorizationReason } from './auth/common/errors.ts';
export type { NetworkOptions } from './auth/common/network.ts';
export type {
  UpstreamIdentityPolicy,
  AuthInfo,
  RequestHandler,
  ExchangedToken,
  Servable,
  Exposure,
  TokenExchangeRequest,
} from './server/runtime/request-handler.ts';
export type { HttpRefusal, HttpRequest } from './server/runtime/protection.ts';
