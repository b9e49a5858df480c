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
export { metadataRoutes, type MetadataRoutes } from './node/server/metadata-routes.ts';
export type { TlsOptions } from './node/client/connection-settings.ts';
export { nodeFetch, type NodeFetch, type NodeFetchOptions } from './node/client/fetch.ts';
export { openPage, type OpenPageOptions } from './node/open-page.ts';
export type { Fetch, FetchRequest, FetchResponse } from './http/client/fetch.ts';
export type { HttpRefusal } from './host/protection.ts';
export type { Authenticate, HttpOptions } from './http/server/options.ts';
export type { Body, HeaderFields, HttpRequest } from './http/server/universal.ts';
