import type { Fetch, FetchRequest, FetchResponse } from '../../../jsonrpc/fetch.ts';
import { loadedOnce } from '../../../options/loaded-once.ts';
import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns';
import type { Agent, fetch as undiciFetch } from 'undici';
import { AuthorizationError } from '../../../auth/common/errors.ts';
import { networkRules, type NetworkOptions, type NetworkRules } from '../../../auth/common/network.ts';

/** A `fetch` whose connections are limited by network rules. */
export interface GuardedFetch extends Fetch {
  /** The same `fetch` with other rules. */
  within(rules: NetworkRules): Fetch;
}

/** Options of a guarded `fetch`; everything has a default. */
export interface GuardedFetchOptions extends NetworkOptions {
  /** Resolves a name to its addresses; the resolver of the system by default. Tests pass another one. */
  readonly resolve?: (
    hostname: string,
    options: LookupOptions & { readonly all: true },
    done: (error: Error | null, addresses?: readonly LookupAddress[]) => void,
  ) => void;
}

/**
 * Makes a `fetch` for requests about authorization. It checks the address that a name resolves to, and connects to
 * exactly that address. So a name that leads into an internal network is rejected, even if it does so only on the
 * second lookup. It uses no proxy and no cookies, follows no redirect, and keeps no connection.
 */
export function guardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const resolve = options.resolve ?? ((hostname, asked, done) => lookUp(hostname, asked, done));
  const within = (rules: NetworkRules): Fetch => {
    const parts = loadedOnce(() => load(rules, resolve));
    return async (url, request) => {
      const { agent, fetch } = await parts();
      return await fetched(fetch, agent, url, request);
    };
  };
  // A host that does not exist, so that no internal network counts as its own.
  return Object.assign(within(networkRules(new URL('https://invalid.invalid'), options)), { within });
}

interface Parts {
  readonly agent: Agent;
  readonly fetch: typeof undiciFetch;
}

async function load(rules: NetworkRules, resolve: NonNullable<GuardedFetchOptions['resolve']>): Promise<Parts> {
  const { Agent: Made, fetch } = await import('undici');
  const agent = new Made({
    // No keep-alive: a connection is for one request.
    pipelining: 0,
    connect: {
      lookup: (hostname, options, done) => {
        // With an error there are no addresses; whatever is thrown here would end the process.
        resolve(hostname, { ...options, all: true }, (error, found = []) => {
          const allowed = found.filter(({ address }) => rules.mayConnect(hostname, address));
          const [first] = allowed;
          if (error !== null) done(error, []);
          else if (first === undefined) done(refused(hostname, found), []);
          else if (options.all === true) done(null, [...allowed]);
          else done(null, first.address, first.family);
        });
      },
    },
  });
  return { agent, fetch };
}

function refused(hostname: string, found: readonly LookupAddress[]): AuthorizationError {
  const address = found[0]?.address ?? 'no address';
  return new AuthorizationError(
    'address-refused',
    `${hostname} leads to ${address}, inside a network where a server elsewhere may not send us; if that is meant, allow it with network: { allow: ['${hostname}'] }`,
  );
}

async function fetched(
  fetch: typeof undiciFetch,
  agent: Agent,
  url: string,
  request: FetchRequest,
): Promise<FetchResponse> {
  try {
    return await fetch(url, { ...request, dispatcher: agent });
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    throw cause instanceof AuthorizationError ? cause : error;
  }
}
