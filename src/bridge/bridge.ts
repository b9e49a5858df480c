import type { Client } from '../client/client.ts';
import type { ConnectOptions } from '../client/options.ts';
import type { Transport } from '../jsonrpc/transport.ts';
import type { Served } from '../peer/endpoint.ts';
import type { Handler, Host } from '../peer/host.ts';
import { createEndpoint } from '../peer/serve.ts';
import type { ServerCapabilities } from '../protocol/capability.ts';
import type { Implementation } from '../protocol/common.ts';
import { chosenRevisions, type RevisionDate } from '../protocol/revision.ts';
import type { ListKind } from '../server/subscriptions.ts';
import { Changes } from './changes.ts';
import { Pool } from './pool.ts';
import { ToolHeaders } from './tool-headers.ts';
import type { OpenClient } from './upstream.ts';

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
  /** How many upstream connections (child processes, sessions) may be open at once; 64 by default. */
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

/** Opens a client to the upstream server. */
export type ConnectUpstream = (target: Transport | URL | string, options: ConnectOptions) => Promise<Client>;

/** Makes `createBridge` of a way to connect; the entry point gives it one that knows HTTP. */
export function bridgeOver(connect: ConnectUpstream): (options: BridgeOptions) => Promise<Bridge> {
  return (options) => createBridge(options, connect);
}

async function createBridge(options: BridgeOptions, connect: ConnectUpstream): Promise<Bridge> {
  const settings = settingsOf(options);
  const changes = new Changes(settings.onWarning);
  const headers = new ToolHeaders();
  const pool = new Pool(opener(options, connect, { settings, headers }), {
    onNotification: (method, params, session) => {
      if (method === 'notifications/tools/list_changed') void learn();
      changes.heard(method, params, session);
    },
    onUnattributedLog: ({ level }) => settings.onWarning(`a ${level} message of the upstream names no call; it was sent to nobody`),
  }, settings.maxUpstreams);
  const learn = async (): Promise<void> => {
    try {
      headers.learn(await (await pool.main.client()).listTools());
    } catch (error) {
      settings.onWarning(`the upstream's tools could not be listed: ${error instanceof Error ? error.message : 'unknown failure'}`);
    }
  };
  const client = await firstClient(pool, options.signal);
  await learn();
  changes.follow(() => pool.main.client(), client);
  const facts = factsOf(client);
  const endpoint = createEndpoint(hostOf({ facts, client, settings, changes, headers, pool }), () => changes.stop());
  return {
    endpoint,
    upstream: facts,
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
  return {
    info: options.info ?? { name: 'parley-bridge', version: '0.1.0' },
    revisions: chosenRevisions(options.revisions),
    maxUpstreams: options.maxUpstreams ?? 64,
    onError: options.onError ?? ((error, where) => console.error(`${where}:`, error)),
    onWarning: options.onWarning ?? ((message) => console.error(message)),
  };
}

function opener(options: BridgeOptions, connect: ConnectUpstream, { settings, headers }: Pick<HostParts, 'settings' | 'headers'>): OpenClient {
  let prior: Client['verdict'] | undefined;
  return async ({ onLog, onNotification }) => {
    const client = await connect(options.upstream, {
      info: settings.info,
      capabilities: {},
      ...(options.upstreamRevisions === undefined ? {} : { revisions: options.upstreamRevisions }),
      ...(prior === undefined ? {} : { prior }),
      ...(options.probeTimeoutMs === undefined ? {} : { probeTimeoutMs: options.probeTimeoutMs }),
      // Later connections are opened for calls, which have signals of their own.
      ...(prior !== undefined || options.signal === undefined ? {} : { signal: options.signal }),
      // The result goes to somebody else, who checks it: a bridge changes and refuses nothing.
      validateOutput: false,
      onLog,
      onNotification,
      onWarning: settings.onWarning,
    });
    prior = client.verdict;
    client.learnTools(headers.tools);
    return client;
  };
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

function factsOf(client: Client): UpstreamFacts {
  return { description: client.description, revision: client.revision, server: client.server, capabilities: client.capabilities };
}

/** What the bridge can carry of what the upstream offers. */
function carried({ tasks: _, resources, extensions, ...rest }: ServerCapabilities): ServerCapabilities {
  const { 'io.modelcontextprotocol/tasks': __, ...others } = extensions ?? {};
  const { subscribe: ___, ...reading } = resources ?? {};
  return {
    ...rest,
    ...(resources === undefined ? {} : { resources: reading }),
    ...(Object.keys(others).length === 0 ? {} : { extensions: others }),
  };
}

interface HostParts {
  readonly facts: UpstreamFacts;
  readonly client: Client;
  readonly settings: Settings;
  readonly changes: Changes;
  readonly headers: ToolHeaders;
  readonly pool: Pool;
}

function hostOf({ facts, client, settings, changes, headers, pool }: HostParts): Host {
  const capabilities = carried(facts.capabilities);
  const handlers = handlersOf(pool, changes, headers, capabilities);
  return {
    info: facts.server ?? settings.info,
    instructions: client.instructions,
    revisions: settings.revisions,
    capabilities: () => capabilities,
    handler: (method) => handlers.get(method),
    discoverHint: { ttlMs: 0, cacheScope: 'private' },
    headerParameters: (tool) => headers.of(tool),
    onError: settings.onError,
    opened: (session) => changes.opened(session),
    closed: (session) => {
      changes.closed(session);
      pool.release(session);
    },
  };
}

const carriedMethods = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const;

function handlersOf(pool: Pool, changes: Changes, headers: ToolHeaders, capabilities: ServerCapabilities): ReadonlyMap<string, Handler> {
  const carry: Handler = (params, call) => pool.carry(params, call);
  const lists = new Set((['tools', 'resources', 'prompts'] satisfies ListKind[]).filter((kind) => capabilities[kind]?.listChanged === true));
  return new Map<string, Handler>([
    ...carriedMethods.map((method) => [method, carry] as const),
    ['tools/list', async (params, call) => headers.seen(await pool.carry(params, call))],
    ['logging/setLevel', async (_, call) => {
      await pool.setLevel(call);
      return {};
    }],
    // The parameters were read by the method's own row.
    ['subscriptions/listen', ({ notifications }, call) => changes.subscriptions.listen(call, notifications as never, lists)],
  ]);
}
