/**
 * HTTP on Node: serving on a port of its own or in an application, a client's requests over kept connections, and opening
 * a page for a user.
 */

export type { Fetch, FetchRequest, FetchResponse } from './jsonrpc/fetch.ts';
export {
  listen,
  toNodeHandler,
  type Listening,
  type ListenOptions,
  type NodeHandler,
  type NodeHttpOptions,
  type WrappedReply,
  type WrappedRequest,
} from './transports/node/server/http.ts';
export type { TrustedProxies } from './transports/node/server/proxies/trusted-proxies.ts';
export { metadataRoutes } from './transports/node/server/metadata-routes.ts';
export { pageRoutes, type NodeRoutes, type BrowserPages } from './transports/node/server/page-routes.ts';
export type { TlsOptions } from './transports/node/client/connection-settings.ts';
export { nodeFetch, type NodeFetch, type NodeFetchOptions } from './transports/node/client/fetch.ts';
export {
  fileCredentialStore,
  type FileCredentialStoreOptions,
} from './transports/node/credentials/file-credentials.ts';
export { loopback, type LoopbackOptions } from './transports/node/login/loopback.ts';
export { guardedFetch, type GuardedFetch, type GuardedFetchOptions } from './transports/node/login/guarded-fetch.ts';
export { openPage, type OpenPageOptions } from './transports/node/open-page.ts';
export type { OpenRedirect, Redirect, RedirectHook, RedirectRequest } from './auth/common/redirect.ts';
export type { NetworkOptions, NetworkRules } from './auth/common/network.ts';
export type { CredentialKey, CredentialStore, CredentialWrite, StoredCredential } from './storage/credentials.ts';
export type { WebKey, WebKeyPair } from './sealing/web-crypto.ts';
export type { ClosingTimes } from './transports/http/server/health/closing.ts';
export type { HealthPaths } from './transports/http/server/exchanges/options.ts';
export type { HttpRefusal, HttpRequest } from './server/runtime/protection.ts';
export type { Authenticate, HttpOptions } from './transports/http/server/exchanges/options.ts';
