/** HTTP on Node: serving on a port of its own or in an application, and a client's requests over kept connections. */

export {
  listen,
  toNodeHandler,
  type Listening,
  type ListenOptions,
  type NodeHandler,
  type NodeHttpOptions,
} from './node/http.ts';
export { nodeFetch, type NodeFetch, type NodeFetchOptions } from './node/fetch.ts';
export type { Fetch, FetchRequest, FetchResponse } from './http/client-fetch.ts';
export type { Authenticate, HttpOptions, HttpRefusal } from './http/options.ts';
export type { Body, HeaderFields, HttpRequest } from './http/shape.ts';
