/** The client and the bridge, put together with HTTP. */

import { bridgeOver, type CreateBridge } from '../bridge/bridge.ts';
import { createConnect, type Connect } from '../client/connect.ts';
import { httpTransport } from '../http/client/transport.ts';
import { transportOptionNames, type HttpTransportOptions } from '../http/client/request.ts';
import { sharedFetch } from './fetch.ts';

/** Connects to a server. */
export const connect: Connect<HttpTransportOptions> = createConnect<HttpTransportOptions>({
  http: (url, options) => httpTransport(url, { fetch: sharedFetch, ...options }),
  options: transportOptionNames,
});

/** Puts a bridge in front of a server, or of several. */
export const createBridge: CreateBridge = bridgeOver(connect);
