/** The surroundings of everything about the authorization at one MCP server. */

import type { Fetch } from '../../jsonrpc/fetch.ts';
import type { BoundServer } from '../common/authorizer.ts';
import type { FetchContext } from '../common/document.ts';
import { AuthorizationError } from '../common/errors.ts';
import { networkRules, type NetworkRules } from '../common/network.ts';
import { after } from '../../jsonrpc/timeout.ts';
import { harmless } from '../../options/harmless.ts';
import type { OAuthEvent } from './events.ts';
import type { AuthorizationOptions } from './options.ts';

/** One MCP server, from the view of its authorization. */
export interface Site {
  readonly server: URL;
  readonly atRoot: BoundServer['atRoot'];
  readonly options: AuthorizationOptions;
  readonly rules: NetworkRules;
  readonly fetch: Fetch;
  now(): number;
  tell(event: OAuthEvent): void;
}

/** Combines the known facts about a server. */
export function siteOf(bound: BoundServer, options: AuthorizationOptions): Site {
  const { onEvent, now = Date.now } = options;
  const rules = networkRules(bound.url, options.network);
  const given = options.fetch ?? bound.fetch;
  return {
    server: bound.url,
    atRoot: bound.atRoot,
    options,
    rules,
    fetch: heldTo(rules, given),
    now,
    tell: onEvent === undefined ? () => {} : harmless(onEvent),
  };
}

/** A `fetch` that chooses the addresses to which it connects chooses them by the rules of the server. */
function heldTo(rules: NetworkRules, fetch: Fetch): Fetch {
  const { within } = fetch as { readonly within?: (rules: NetworkRules) => Fetch };
  return within === undefined ? fetch : within(rules);
}

/** The way to fetch documents for a server, until a signal ends it. */
export function fetching({ fetch, rules }: Site, signal: AbortSignal): FetchContext {
  return { fetch, rules, signal };
}

/**
 * Runs work with a time limit.
 *
 * @param late Error if the time is over.
 */
export async function limited<Result>(
  { ms, signal, late }: { readonly ms: number; readonly signal: AbortSignal; late(): AuthorizationError },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const stop = after(ms, () => controller.abort(late()), true);
  try {
    return await work(controller.signal);
  } finally {
    stop();
    signal.removeEventListener('abort', abort);
  }
}

/** Waits for a time. If a signal aborts the wait, it rejects with the signal's reason. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      signal.removeEventListener('abort', aborted);
      resolve();
    };
    const stop = after(ms, over, true);
    const aborted = (): void => {
      stop();
      // The reason comes from the owner of the signal.
      reject(signal.reason as Error);
    };
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
  });
}

/** The error of an authorization that a signal ended; the signal's own error if it has one. */
export function endedBy(signal: AbortSignal, words: string): Error {
  const reason: unknown = signal.reason;
  return reason instanceof AuthorizationError ? reason : new AuthorizationError('timeout', words, { cause: reason });
}
