import type { Fetch } from '../http/client/fetch.ts';
import { nodeFetch } from '../node/client/fetch.ts';

/** Function that sends the requests of a command. Whoever told Node to use a proxy gets the `fetch` that does. */
export const sharedFetch: Fetch =
  process.env['NODE_USE_ENV_PROXY'] === '1' ? (url, request) => fetch(url, request) : nodeFetch();
