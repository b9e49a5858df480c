/** Protecting a server over HTTP: tokens of authorization servers, their scopes, and the metadata that clients sign in by. */

export { protect, type Guarded } from './protect/protect.ts';
export type { Claims, FailureLimit, ProtectOptions, VerifyToken } from './protect/options.ts';
export type { IntrospectionOptions, IssuerOptions } from './protect/issuer-options.ts';
export type { ClientSecret } from './protect/introspection.ts';
export type { DpopOptions, ReplayStore } from './protect/dpop/options.ts';
export type { ExchangeOptions } from './protect/exchange/exchange.ts';
export type { Revoked } from './protect/kept-tokens.ts';
export { memoryReplay } from './protect/dpop/replay.ts';
export { AuthorizationError, type AuthorizationErrorOptions, type AuthorizationReason } from './auth/errors.ts';
export type { AuthorizationFetch, AuthorizationRequest, AuthorizationResponse } from './auth/document.ts';
export type { NetworkOptions } from './auth/network.ts';
export type {
  ActsBehind,
  AuthInfo,
  Endpoint,
  ExchangedToken,
  Served,
  Serving,
  TokenExchangeRequest,
} from './host/endpoint.ts';
export type { HttpRefusal, HttpRequest } from './host/protection.ts';
