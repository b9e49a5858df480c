/**
 * HTTP on Node: serving on a port of its own or in an application, a client's requests over kept connections, and opening
 * a page for a user.
 */

export {
  listen,
  toNodeHandler,
  type Listening,
  type ListenOptions,
  type NodeHandler,
  type NodeHttpOptions,
  type WrappedReply,
  type WrappedRequest,
} from './node/server/http.ts';
export type { TrustedProxies } from './node/server/proxies/trusted-proxies.ts';
export { metadataRoutes, type MetadataRoutes } from './node/server/metadata-routes.ts';
export { pageRoutes, type PageRoutes, type BrowserPages } from './node/server/page-routes.ts';
export type { TlsOptions } from './node/client/connection-settings.ts';
export { nodeFetch, type NodeFetch, type NodeFetchOptions } from './node/client/fetch.ts';
export { fileCredentialStore, type FileCredentialStoreOptions } from './node/credentials/file-credentials.ts';
export { loopback, type LoopbackOptions } from './node/login/loopback.ts';
export {
  guardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type ResolveAddresses,
} from './node/login/guarded-fetch.ts';
export { openPage, type OpenPageOptions } from './node/open-page.ts';
export type { OpenRedirect, Redirect, RedirectHook, RedirectRequest } from './auth/redirect.ts';
export type { AuthorizationFetch, AuthorizationRequest, AuthorizationResponse } from './auth/document.ts';
export type { NetworkOptions, NetworkRules } from './auth/network.ts';
export type { CredentialKey, CredentialStore, CredentialWrite, KeptCredential } from './store/credentials.ts';
export type { WebKey, WebKeyPair } from './seal/web-crypto.ts';
export type { Fetch, FetchRequest, FetchResponse } from './http/client/fetch.ts';
export type { ClosingTimes } from './http/server/health/closing.ts';
export type { HealthPaths } from './http/server/health/health.ts';
export type { HttpRefusal, HttpRequest } from './host/protection.ts';
export type { Authenticate, HttpOptions } from './http/server/options.ts';
