import type { Fetch } from '../../../parley/src/jsonrpc/fetch.ts';
import { nodeFetch } from '../../../parley/src/transports/node/client/fetch.ts';
import { noteSecrets } from './sent-secrets.ts';

/** Function that sends. If Node is set to use a proxy, it is Node's own `fetch`. */
const send: Fetch = process.env['NODE_USE_ENV_PROXY'] === '1' ? (url, request) => fetch(url, request) : nodeFetch();

/** Function that sends the requests of a command. Their secrets are never printed, even if a server repeats them. */
export const sharedFetch: Fetch = (url, request) => {
  noteSecrets(request);
  return send(url, request);
};
