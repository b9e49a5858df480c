/** Limits of how often the clients of a bridge may ask, whatever it stands in front of. */

import type { Host } from '../server/runtime/host.ts';
import { checkRates } from '../server/mistakes.ts';
import { askedRates, lateRates, type Rated, type RateLimits } from '../server/rate-limit.ts';
import { withinRates } from '../server/rates/within.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { Settings } from './options.ts';

/**
 * Limits of how often clients may ask, as those of a server: each principal has measures of its own; of clients without one each session has, and each
 * address where there is no session. They hold over all processes that share a `store`. Each round of a call counts, since its state is the server's.
 */
export type BridgeRates = Omit<RateLimits, 'tasks'>;

/** Limits of one bridge, for all that it serves. */
export interface RatesOfBridge {
  /** Makes a host whose clients ask within the limits. */
  within(host: Host): Host;
}

/**
 * Makes the limits of a bridge. It is loaded by those that have some.
 *
 * @throws TypeError for rates that nothing can pass.
 */
export function ratesOf(
  limits: BridgeRates,
  { info, store, onError }: Pick<Settings, 'info' | 'store' | 'onError'>,
): RatesOfBridge {
  checkRates(limits);
  const rated = lateRates({ limits, shared: store?.limits, name: info.name, onError });
  return { within: (host) => hostWithin(host, rated) };
}

function hostWithin(host: Host, rated: Rated): Host {
  const handler: Host['handler'] = (method) => {
    const run = host.handler(method);
    if (run === undefined || (method !== 'tools/call' && method !== 'completion/complete')) return run;
    return (params: JsonObject, call) =>
      withinRates({ method, name: params['name'], call }, rated, () => run(params, call));
  };
  // What a host says of itself may change: what works it out is taken over, and not what it gives now.
  const descriptors = Object.getOwnPropertyDescriptors(host);
  const own = { rates: askedRates(rated), handler };
  return Object.defineProperties({}, { ...descriptors, ...Object.getOwnPropertyDescriptors(own) }) as Host;
}
