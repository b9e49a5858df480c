/** Serving over HTTP on Node: on a port of its own, or in an application. */

export {
  listen,
  toNodeHandler,
  type Listening,
  type ListenOptions,
  type NodeHandler,
  type NodeHttpOptions,
} from './node/http.ts';
export type { Authenticate, HttpOptions, HttpRefusal } from './http/options.ts';
export type { Body, HeaderFields, HttpRequest } from './http/shape.ts';
