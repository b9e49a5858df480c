/** Limits of how often the clients of a bridge may ask, whatever it stands in front of. */

import type { ServerCore } from '../server/runtime/server-core.ts';
import { checkRates } from '../server/definition/mistakes.ts';
import { askedRates, lateRates, type Rated, type RateLimits } from '../server/rates/rate-limit.ts';
import { withinRates } from '../server/parts/within.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import type { Settings } from './options.ts';

/**
 * Rate limits of clients, as those of a server. Each principal has its own limits. Without a principal, each session
 * has, or each address if there is no session. All processes that share a `store` share the limits. Each round of a
 * call counts, since its state belongs to the server.
 */
export type BridgeRates = Omit<RateLimits, 'tasks'>;

/** Limits of one bridge, for all that it serves. */
export interface RatesOfBridge {
  /** Makes a host whose clients are limited. */
  within(host: ServerCore): ServerCore;
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

function hostWithin(host: ServerCore, rated: Rated): ServerCore {
  const handler: ServerCore['handler'] = (method) => {
    const run = host.handler(method);
    if (run === undefined || (method !== 'tools/call' && method !== 'completion/complete')) return run;
    return (params: JsonObject, call) =>
      withinRates({ method, name: params['name'], call }, rated, () => run(params, call));
  };
  // The properties of a host may change, so this copies the getters, not their current values.
  const descriptors = Object.getOwnPropertyDescriptors(host);
  const own = { rates: askedRates(rated), handler };
  return Object.defineProperties({}, { ...descriptors, ...Object.getOwnPropertyDescriptors(own) }) as ServerCore;
}
