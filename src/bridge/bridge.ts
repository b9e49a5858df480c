import type { Client } from '../client/client.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Served } from '../peer/endpoint.ts';
import type { Host, Settled } from '../peer/host.ts';
import { createEndpoint } from '../peer/serve.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/common.ts';
import { methodOf } from '../protocol/method.ts';
import { chosenRevisions, type RevisionDate } from '../protocol/revision.ts';
import { Changes, isListChange, ownWords } from './changes.ts';
import { wordsOf } from './failure.ts';
import { revisionFor } from './forward.ts';
import { handlersOf, type BridgeParts } from './handlers.ts';
import { KnownTools } from './known-tools.ts';
import { tellUpstream } from './notices.ts';
import { offerOf } from './offer.ts';
import { opener, type ConnectUpstream } from './opener.ts';
import { Pool } from './pool.ts';
import type { OpenClient, UpstreamEvents } from './upstream.ts';
import { Watches } from './watches.ts';

/** What a bridge stands in front of, and how it behaves. */
export interface BridgeOptions {
  /** The server behind the bridge: a transport, or a URL. */
  readonly upstream: Transport | URL | string;
  /** The revisions spoken to clients; all of them by default. */
  readonly revisions?: readonly RevisionDate[];
  /** The revisions spoken to the upstream server; all of them by default. */
  readonly upstreamRevisions?: readonly RevisionDate[];
  /** What the bridge calls itself where it does not pass its client's name on. */
  readonly info?: Implementation;
  /**
   * How many upstream connections (child processes, sessions) may be open at once; 64 by default. Beside the one that
   * stateless clients share, each client of a handshake revision needs one, and so does each listen stream that
   * watches resources.
   */
  readonly maxUpstreams?: number;
  /** Hears errors that are masked from clients; by default they go to the console's error stream. */
  readonly onError?: (error: unknown, where: string) => void;
  /** Hears what was ignored or could not be delivered; by default it goes to the console's error stream. */
  readonly onWarning?: (message: string) => void;
  /** How long an upstream on stdio may take to answer the first question before it is taken for an older one; 2000 ms. */
  readonly probeTimeoutMs?: number;
  /** Gives up connecting; once the bridge stands it has no effect. */
  readonly signal?: AbortSignal;
}

/** One endpoint in front of one server, for clients of every revision; serve it like a server. */
export interface Bridge extends Served {
  /** What was found behind the bridge. */
  readonly upstream: UpstreamFacts;
  /** Ends every conversation and every upstream connection. */
  close(): Promise<void>;
}

/** What is known of the server behind a bridge. */
export interface UpstreamFacts {
  /** Its URL or command line. */
  readonly description: string;
  readonly revision: RevisionDate;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
}

/** Makes `createBridge` of a way to connect; the entry point gives it one that knows HTTP. */
export function bridgeOver(connect: ConnectUpstream): (options: BridgeOptions) => Promise<Bridge> {
  return (options) => createBridge(options, connect);
}

async function createBridge(options: BridgeOptions, connect: ConnectUpstream): Promise<Bridge> {
  const settings = settingsOf(options);
  const tools = new KnownTools();
  const parts = partsOf(settings, tools, opener({ ...options, ...settings, connect, tools }));
  const { pool, changes } = parts;
  const first = await firstClient(pool, options.signal);
  // A connection that failed for good is replaced; what was known of the upstream stays known meanwhile.
  const client = (): Client => pool.main.latest ?? first;
  await learn(parts, settings);
  void changes.follow(pool.main);
  const endpoint = createEndpoint(hostOf(parts, settings, client), () => changes.stop());
  return {
    endpoint,
    get upstream() {
      const { description, revision, server, capabilities } = client();
      return { description, revision, server, capabilities };
    },
    close: async () => {
      await endpoint.close();
      await pool.close();
    },
  };
}

interface Settings {
  readonly info: Implementation;
  readonly revisions: Host['revisions'];
  readonly maxUpstreams: number;
  readonly onError: (error: unknown, where: string) => void;
  readonly onWarning: (message: string) => void;
}

function settingsOf(options: BridgeOptions): Settings {
  const maxUpstreams = options.maxUpstreams ?? 64;
  if (!Number.isSafeInteger(maxUpstreams) || maxUpstreams < 1)
    throw new TypeError(`maxUpstreams must be a positive integer, not ${maxUpstreams}`);
  return {
    info: options.info ?? { name: 'parley-bridge', version: '0.1.0' },
    revisions: chosenRevisions(options.revisions),
    maxUpstreams,
    onError: options.onError ?? ((error, where) => console.error(`${where}:`, error)),
    onWarning: options.onWarning ?? ((message) => console.error(message)),
  };
}

function partsOf(settings: Settings, tools: KnownTools, open: OpenClient): BridgeParts {
  const { onWarning, maxUpstreams } = settings;
  const changes: Changes = new Changes({
    capabilities: () => (pool.main.latest === undefined ? {} : offerOf(pool.main.latest)),
    stale: (method, params) => pool.changed(method, params),
    hearsItself: (session) => tellsUnasked(pool.ownOf(session)?.latest),
    onWarning,
  });
  const pool: Pool = new Pool({
    open,
    limit: maxUpstreams,
    main: {
      onNotification: (method, params) => {
        if (method === 'notifications/tools/list_changed') void learn(parts, settings);
        changes.heard(method, params);
      },
      // A server that was started again may be another version of itself.
      onReconnect: () => void learn(parts, settings),
      onWarning,
    },
    eventsOf: (session) => sessionEvents(session, changes, onWarning),
  });
  const watches = new Watches(pool, changes, onWarning);
  const parts: BridgeParts = { pool, tools, changes, watches };
  return parts;
}

/** Handshake upstreams tell every session of changes. */
function tellsUnasked(client: Client | undefined): boolean {
  return client !== undefined && revisionFor(client).era === 'handshake';
}

/** What the own connection of a session tells is the session's. */
function sessionEvents(session: Settled, changes: Changes, onWarning: (message: string) => void): UpstreamEvents {
  return {
    onLog: (message) => session.notify('notifications/message', { ...message }),
    onNotification: (method, params) => {
      if (isListChange(method) || isOfSession(method)) session.notify(method, ownWords(params));
    },
    onRequest: (method, params, { signal, running }) => session.ask(method, params, signal, running.at(-1)),
    onReconnect: () => changes.everythingFor(session),
    onWarning,
  };
}

/** What a server tells the client of one session, and what nobody but the two of them understands. */
function isOfSession(method: string): boolean {
  return (
    method === 'notifications/resources/updated' ||
    method === 'notifications/elicitation/complete' ||
    methodOf(method) === undefined
  );
}

/** The first connection shows whether there is a server at all: its error is the caller's, as it came. */
async function firstClient(pool: Pool, signal: AbortSignal | undefined): Promise<Client> {
  try {
    signal?.throwIfAborted();
    return await pool.main.client();
  } catch (error) {
    await pool.close();
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  }
}

/** Fetches the tools, whose definitions say how calls travel over HTTP. */
async function learn({ pool, tools }: BridgeParts, { onWarning }: Settings): Promise<void> {
  try {
    tools.learn(await (await pool.main.client()).listTools());
  } catch (error) {
    onWarning(`the upstream's tools could not be listed: ${wordsOf(error)}`);
  }
}

function hostOf(parts: BridgeParts, settings: Settings, client: () => Client): Host {
  const { pool, tools, changes } = parts;
  const handlers = handlersOf(parts);
  return {
    get info() {
      return client().server ?? settings.info;
    },
    get instructions() {
      return client().instructions;
    },
    get discoverHint() {
      const { ttlMs = 0, cacheScope = 'private' } = client().verdict.discovered ?? {};
      return { ttlMs, cacheScope };
    },
    revisions: settings.revisions,
    askTimeoutMs: 600_000,
    maxRounds: 32,
    capabilities: () => offerOf(client()),
    handler: (method) => handlers.get(method),
    unknown: (params, call) => pool.carry(params, call),
    notified: (method, params, from) =>
      void tellUpstream({ method, params }, from, { pool, onWarning: settings.onWarning }),
    headerParameters: (tool) => tools.headerParameters(tool),
    onError: settings.onError,
    opened: (session) => changes.opened(session),
    closed: (session) => {
      changes.closed(session);
      pool.release(session);
    },
  };
}
