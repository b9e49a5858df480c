/**
 * Opens the connections of each principal. Only bridges whose clients have their own identities at a server load it.
 */

import type { Authorization } from '../../auth/common/authorizer.ts';
import type { AuthInfo } from '../../server/runtime/request-handler.ts';
import { latestOf } from './callers.ts';
import { createEndpoint } from '../../server/runtime/conversation/serve.ts';
import type { ServerCore } from '../../server/runtime/server-core.ts';
import type { Settings } from '../options.ts';
import { standingOf, type UpstreamStanding } from '../merged/backend.ts';
import { openSingle, type Single, type SingleOptions } from '../single/single.ts';
import type { ConnectionLimit } from '../upstream/connection-limit.ts';
import type { UpstreamIdentity } from '../upstream-auth.ts';
import type { ExchangeUpstream } from './exchange-options.ts';
import { LoginAsking } from './login-question.ts';
import { exchanged } from './exchanged.ts';
import { deferredSingle } from './deferred-upstream.ts';
import type { OfPrincipal } from './entry.ts';
import { Principals } from './principals.ts';
import type { UpstreamSignIn } from './sign-in.ts';

/** One principal, as its bridge knows it. */
export interface Principal {
  readonly name: string;
  /** The caller of the last request. */
  latest: AuthInfo;
}

/** Part of a bridge that belongs to one principal. */
export interface OwnBridge {
  readonly host: ServerCore;
  /** Standing of each server behind it. */
  readonly upstreams: readonly UpstreamStanding[];
  readonly idle: boolean;
  stop(): void;
  close(): Promise<void>;
}

/** Makes one endpoint of the bridges of all principals. */
export function principalsOf(
  settings: Settings,
  places: ConnectionLimit,
  open: (principal: Principal, signal: AbortSignal) => Promise<OwnBridge>,
): Principals {
  return new Principals({
    settings,
    places,
    open: async (auth, signal): Promise<OfPrincipal> => {
      const principal: Principal = { name: auth.principal, latest: auth };
      const behind = await open(principal, signal);
      const endpoint = createEndpoint(settings.rates?.within(behind.host) ?? behind.host, () => behind.stop());
      return {
        endpoint,
        get idle() {
          return behind.idle;
        },
        standings: () => behind.upstreams,
        heard: (by) => void (principal.latest = latestOf(principal.latest, by)),
        close: async () => {
          await endpoint.close();
          await behind.close();
        },
      };
    },
  });
}

/**
 * Opens the bridge of one principal before one server.
 *
 * @param name Name of the server in its standing.
 */
export async function openOwn(name: string, ...given: Parameters<typeof openFor>): Promise<OwnBridge> {
  const single = await openFor(...given);
  return {
    host: single.host,
    get upstreams() {
      return [standingOf(name, single)];
    },
    get idle() {
      return single.idle;
    },
    stop: () => single.stop(),
    close: () => single.close(),
  };
}

/**
 * Opens one server for one principal: with the principal's own identity if that was chosen, otherwise with the shared
 * one.
 */
export async function openFor(
  principal: Principal,
  identity: UpstreamIdentity,
  options: SingleOptions,
): Promise<Single> {
  const own = { ...options, principal: principal.name };
  if (identity.kind === 'per-principal') return await signedIn(principal, identity.signIn(), own);
  if (identity.kind !== 'exchange') return await openSingle({ ...own, auth: identity.auth });
  const auth = await exchangedFor(principal, identity.options, options.suspended.now);
  return await deferredSingle({
    settings: options,
    signal: options.signal,
    open: (signal) => openSingle({ ...own, auth, keepsNothing: true, signal }),
  });
}

async function exchangedFor(
  principal: Principal,
  options: ExchangeUpstream,
  now: () => number,
): Promise<Authorization> {
  const { enterprise } = options;
  if (enterprise === undefined) return exchanged(options, principal, now);
  const { asserted } = await import('./asserted.ts');
  return asserted(enterprise, options, principal);
}

/** Opens a server at which the principal has a grant of their own, or gets one. */
async function signedIn(principal: Principal, signIn: UpstreamSignIn, options: SingleOptions): Promise<Single> {
  const { name } = principal;
  const person = signIn.person(name);
  const { seal, ttlMs, now } = options.suspended;
  const closed = new AbortController();
  const asking = new LoginAsking({ signIn, principal: name, person, seal, ttlMs, now, closed: closed.signal });
  return await deferredSingle({
    settings: options,
    signal: options.signal,
    open: (signal) => openSingle({ ...options, auth: person.authorization, signal }),
    login: { signIn, person, asking, onGranted: (run) => signIn.onGranted(name, run) },
    onClose: () => closed.abort(new Error('the bridge is closed')),
  });
}
