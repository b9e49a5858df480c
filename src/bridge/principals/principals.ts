/** One endpoint of which each principal has a bridge of their own: nothing is in it that another's requests could reach. */

import type { AuthInfo, Conversation, Endpoint, Link } from '../../host/endpoint.ts';
import type { Host } from '../../host/host.ts';
import { createEndpoint } from '../../host/serve.ts';
import { McpError } from '../../protocol/error.ts';
import type { Settings } from '../options.ts';
import type { ConnectionLimit, Holder } from '../upstream/connection-limit.ts';
import { ownerOf } from '../upstream/wanted.ts';
import { unknownOffer } from './late-single.ts';
import { LateConversation } from './late-conversation.ts';

/** The bridge of one principal. */
export interface OfPrincipal {
  readonly endpoint: Endpoint;
  /** Tells whether nobody waits for anything of it. */
  readonly idle: boolean;
  /** Hears who sends a request now: the same principal, by a newer token perhaps. */
  heard(auth: AuthInfo): void;
  close(): Promise<void>;
}

/** Parts that the bridges of principals are made of. */
export interface PrincipalsOptions {
  readonly settings: Settings;
  readonly places: ConnectionLimit;
  /**
   * Makes the bridge of a principal; settles when it is ready to be asked.
   *
   * @param auth By whom it is wanted first.
   */
  open(auth: AuthInfo): Promise<OfPrincipal>;
}

/** Limit of principals that have a bridge at once. */
const mostPrincipals = 1_000;

/** The bridge of one principal, from the moment that it is wanted. */
interface Entry {
  readonly auth: AuthInfo;
  readonly opening: Promise<OfPrincipal>;
  /** Once it is there. */
  bridge: OfPrincipal | undefined;
  conversations: number;
  usedAt: number;
}

/** The bridges of principals. Where there are too many, the one that was used least recently gives way. */
export class Principals {
  readonly endpoint: Endpoint;
  readonly #options: PrincipalsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: PrincipalsOptions) {
    this.#options = options;
    const { settings } = options;
    options.places.join(this.#holder);
    this.endpoint = {
      revisions: settings.revisions,
      exactNumbers: true,
      converse: (link) => this.#converse(link),
      headerParameters: (tool, auth) =>
        (auth === undefined ? undefined : this.#entries.get(auth.principal)?.bridge)?.endpoint.headerParameters(
          tool,
          auth,
        ) ?? [],
      close: () => this.close(),
    };
  }

  /** Ends the bridge of every principal. Closing twice is fine. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const principal of this.#entries.keys()) this.#forget(principal);
    this.#options.places.leave(this.#holder);
    await Promise.all(this.#closing);
  }

  #converse(link: Link): Conversation {
    const { settings, places } = this.#options;
    const { auth } = link;
    const refusing = (error: McpError): Endpoint => createEndpoint(refusingHost(settings, error));
    if (auth === undefined) return refusing(nobody()).converse(link);
    const entry = this.#entry(auth);
    if (entry === undefined) return refusing(tooMany()).converse(link);
    entry.conversations++;
    return new LateConversation(link, {
      opening: entry.opening,
      ready: entry.bridge,
      refusing,
      heard: (by) => {
        entry.usedAt = places.tick();
        entry.bridge?.heard(by);
      },
      left: () => {
        entry.conversations--;
        entry.usedAt = places.tick();
      },
    });
  }

  #entry(auth: AuthInfo): Entry | undefined {
    const { principal } = auth;
    const known = this.#entries.get(principal);
    if (known !== undefined) return known;
    if (this.#isClosed) return undefined;
    if (this.#entries.size >= mostPrincipals) {
      const idlest = this.#idlest();
      if (idlest === undefined) return undefined;
      this.#forget(idlest[0]);
    }
    const { open, places } = this.#options;
    const entry: Entry = { auth, opening: open(auth), bridge: undefined, conversations: 0, usedAt: places.tick() };
    this.#entries.set(principal, entry);
    entry.opening.then(
      (bridge) => void (entry.bridge = bridge),
      // Whoever waits for it hears why; the next one begins anew.
      () => void (this.#entries.get(principal) === entry && this.#entries.delete(principal)),
    );
    return entry;
  }

  #forget(principal: string): void {
    const entry = this.#entries.get(principal);
    this.#entries.delete(principal);
    const closing = (async (): Promise<void> => {
      try {
        await (await entry?.opening)?.close();
      } catch {
        // What never opened needs not be closed.
      }
    })().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** The one that was used least recently, of those that nobody uses. */
  #idlest(owner?: string): readonly [principal: string, entry: Entry] | undefined {
    const idle = [...this.#entries].filter(
      ([principal, { bridge, conversations }]) =>
        conversations === 0 &&
        bridge?.idle === true &&
        (owner === undefined || owner === ownerOf(principal, undefined)),
    );
    return idle.toSorted(([, one], [, other]) => one.usedAt - other.usedAt)[0];
  }

  readonly #holder: Holder = {
    idleSince: (owner) => this.#idlest(owner)?.[1].usedAt,
    giveUp: (owner) => {
      const idlest = this.#idlest(owner);
      if (idlest !== undefined) this.#forget(idlest[0]);
    },
  };
}

function nobody(): McpError {
  return new McpError('invalidRequest', 'nobody is served here of whom it is not known who they are');
}

function tooMany(): McpError {
  return new McpError('busy', 'the bridge has too many clients now; try again later');
}

/** A host that refuses all that it is asked. */
function refusingHost({ info, revisions, onError }: Settings, error: McpError): Host {
  const refuse = (): never => {
    throw error;
  };
  return {
    info,
    instructions: undefined,
    revisions,
    discoverHint: { ttlMs: 0, cacheScope: 'private' },
    askTimeoutMs: 1,
    maxRounds: 1,
    capabilities: () => unknownOffer,
    handler: () => refuse,
    unknown: refuse,
    headerParameters: () => [],
    onError,
    admit: refuse,
  };
}
