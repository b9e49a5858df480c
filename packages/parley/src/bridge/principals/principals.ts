/** One endpoint of which each principal has a bridge of their own: nothing is in it that another's requests could reach. */

import type { AuthInfo, ClientConnection, RequestHandler, ReplyChannel } from '../../server/runtime/request-handler.ts';
import type { ServerCore } from '../../server/runtime/server-core.ts';
import { createEndpoint } from '../../server/runtime/conversation/serve.ts';
import { McpError } from '../../protocol/error.ts';
import type { UpstreamStanding } from '../merged/backend.ts';
import type { Settings } from '../options.ts';
import type { ConnectionLimit, Holder } from '../upstream/connection-limit.ts';
import { EndedSessions } from '../upstream/ended-sessions.ts';
import { ownerOf } from '../../auth/common/owner.ts';
import { PrincipalEntry, type OfPrincipal } from './entry.ts';
import { unknownOffer } from './deferred-upstream.ts';
import { DeferredConversation } from './deferred-conversation.ts';

/** Parts that the bridges of principals are made of. */
export interface PrincipalsOptions {
  readonly settings: Settings;
  readonly places: ConnectionLimit;
  /**
   * Makes the bridge of a principal. Settles when it is ready for requests.
   *
   * @param auth The first caller.
   * @param signal Aborts it.
   */
  open(auth: AuthInfo, signal: AbortSignal): Promise<OfPrincipal>;
}

/** Limit of principals that have a bridge at once. */
const maxPrincipals = 1_000;

/**
 * The bridges of principals. Beyond the limit, the least recently used one is closed. A bridge that was not used for
 * long is closed too.
 */
export class Principals {
  readonly endpoint: RequestHandler;
  readonly #options: PrincipalsOptions;
  readonly #entries = new Map<string, PrincipalEntry>();
  readonly #closing = new Set<Promise<void>>();
  readonly #ended: EndedSessions;
  #isClosed = false;

  constructor(options: PrincipalsOptions) {
    this.#options = options;
    const { settings } = options;
    this.#ended = new EndedSessions((message) => settings.onWarning(message));
    options.places.join(this.#holder);
    this.endpoint = {
      revisions: settings.revisions,
      exactNumbers: true,
      openConnection: (link) => this.#openConnection(link),
      headerParameters: (tool, auth) =>
        (auth === undefined ? undefined : this.#entries.get(auth.principal)?.bridge)?.endpoint.headerParameters(
          tool,
          auth,
        ) ?? [],
      close: () => this.close(),
    };
  }

  /** State of each server for a principal; empty if the principal has no bridge now. */
  standings(principal: string): readonly UpstreamStanding[] {
    return this.#entries.get(principal)?.bridge?.standings() ?? [];
  }

  /** Ends the sessions and the connections of a principal. The next request starts with new ones. */
  async end(principal: string): Promise<void> {
    this.#giveUp(principal);
    await Promise.all(this.#closing);
  }

  /** Ends the bridge of every principal. Closing twice is fine. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const principal of this.#entries.keys()) this.#forget(principal);
    this.#options.places.leave(this.#holder);
    await Promise.all(this.#closing);
  }

  #openConnection(link: ReplyChannel): ClientConnection {
    const { settings } = this.#options;
    const { auth } = link;
    const refusing = (error: McpError): RequestHandler => createEndpoint(refusingHost(settings, error));
    if (auth === undefined) return refusing(nobody()).openConnection(link);
    const entry = this.#entry(auth);
    if (entry === undefined) return refusing(tooMany()).openConnection(link);
    entry.entered(link);
    return new DeferredConversation(link, {
      opening: entry.opening,
      ready: entry.bridge,
      refusing,
      during: (by, work) => entry.during(by, work),
      left: () => entry.left(link),
    });
  }

  #entry(auth: AuthInfo): PrincipalEntry | undefined {
    const { principal } = auth;
    const known = this.#entries.get(principal);
    if (known !== undefined) return known;
    if (this.#isClosed) return undefined;
    if (this.#entries.size >= maxPrincipals) {
      const idlest = this.#idlest(() => true);
      if (idlest === undefined) return undefined;
      this.#ended.add(this.#giveUp(idlest), `all ${maxPrincipals} places for clients that are known by name`);
    }
    const { open, places } = this.#options;
    const entry = new PrincipalEntry({
      open: (signal) => open(auth, signal),
      tick: () => places.tick(),
      onRested: () => this.#forget(principal),
    });
    this.#entries.set(principal, entry);
    // Waiting callers get the error. The next caller starts again.
    entry.opening.catch(() => this.#entries.get(principal) === entry && this.#entries.delete(principal));
    return entry;
  }

  /** Gives the number of sessions that end with it. */
  #giveUp(principal: string): number {
    const ended = this.#entries.get(principal)?.dismiss() ?? 0;
    this.#forget(principal);
    return ended;
  }

  #forget(principal: string): void {
    const entry = this.#entries.get(principal);
    if (entry === undefined) return;
    this.#entries.delete(principal);
    const closing = entry.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** The least recently used of the matching, unused bridges. */
  #idlest(fits: (principal: string) => boolean): string | undefined {
    let idlest: string | undefined;
    let since = Number.POSITIVE_INFINITY;
    for (const [principal, entry] of this.#entries) {
      if (entry.usedAt >= since || !fits(principal) || !entry.isIdle) continue;
      idlest = principal;
      since = entry.usedAt;
    }
    return idlest;
  }

  /** The least recently used one with a connection, so that closing it makes room. */
  #idlestHolding(owner: string | undefined): string | undefined {
    const { places } = this.#options;
    return this.#idlest((principal) => {
      const own = ownerOf(principal, undefined);
      return (owner === undefined || owner === own) && places.holds(own);
    });
  }

  readonly #holder: Holder = {
    idleSince: (owner) => {
      const idlest = this.#idlestHolding(owner);
      return idlest === undefined ? undefined : this.#entries.get(idlest)?.usedAt;
    },
    giveUp: (owner) => {
      const idlest = this.#idlestHolding(owner);
      if (idlest !== undefined) this.#options.places.endedSessions(this.#giveUp(idlest), owner);
    },
  };
}

function nobody(): McpError {
  return new McpError('invalidRequest', 'this bridge serves only authenticated callers');
}

function tooMany(): McpError {
  return new McpError('busy', 'the bridge has too many clients now; try again later');
}

/** A host that refuses all that it is asked. */
function refusingHost({ info, revisions, onError }: Settings, error: McpError): ServerCore {
  const refuse = (): never => {
    throw error;
  };
  return {
    info,
    instructions: undefined,
    revisions,
    discoverHint: { ttlMs: 0, cacheScope: 'private' },
    requestTimeoutMs: 1,
    maxRounds: 1,
    capabilities: () => unknownOffer,
    handler: () => refuse,
    unknown: refuse,
    headerParameters: () => [],
    onError,
    admit: refuse,
  };
}
