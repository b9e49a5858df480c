import { refuseUnknown, type Names } from '../options/known-names.ts';
import { checkImplementation } from '../server/definition/mistakes.ts';
import type { BridgeBehavior, BridgeOptions, BridgeRounds, MergedBridgeOptions, UpstreamOptions } from './options.ts';
import type { BridgeRates } from './rates.ts';

const behaviour: Names<BridgeBehavior> = {
  revisions: 1,
  upstreamRevisions: 1,
  info: 1,
  maxUpstreams: 1,
  maxUpstreamsPerClient: 1,
  store: 1,
  rounds: 1,
  rateLimits: 1,
  taskOnly: 1,
  tasks: 1,
  onError: 1,
  onEvent: 1,
  onWarning: 1,
  probeTimeoutMs: 1,
  signal: 1,
};
const before: { readonly one: Names<BridgeOptions>; readonly several: Names<MergedBridgeOptions> } = {
  one: { ...behaviour, upstream: 1, sharing: 1, auth: 1, upstreamAuth: 1, login: 1 },
  several: { ...behaviour, upstreams: 1, prefix: 1, serverTimeoutMs: 1 },
};
const upstream: Names<UpstreamOptions> = { upstream: 1, revisions: 1, sharing: 1, auth: 1, upstreamAuth: 1, login: 1 };
const rounds: Names<BridgeRounds> = { keys: 1, ttlMs: 1, bus: 1 };
const rates: Names<BridgeRates> = {
  requests: 1,
  initialize: 1,
  tools: 1,
  byTool: 1,
  completions: 1,
  lost: 1,
  now: 1,
};

/** @throws TypeError for unknown options of a bridge, at any depth, and for an invalid `info`. */
export function checkNames(options: BridgeOptions | MergedBridgeOptions): void {
  const several = 'upstreams' in options ? options.upstreams : {};
  refuseUnknown('createBridge', options, 'upstreams' in options ? before.several : before.one);
  refuseUnknown('rounds', options.rounds, rounds);
  refuseUnknown('rateLimits', options.rateLimits, rates);
  if (options.info !== undefined) checkImplementation('info', options.info);
  for (const [name, one] of Object.entries(several)) refuseUnknown(`upstream ${JSON.stringify(name)}`, one, upstream);
}
