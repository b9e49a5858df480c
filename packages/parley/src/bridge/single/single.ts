import type { Client } from '../../client/api/client.ts';
import { monotonicNow } from '../../jsonrpc/timeout.ts';
import type { Transport } from '../../jsonrpc/transport.ts';
import { factsOf, httpFacts, type SettledFacts } from '../../jsonrpc/transport-facts.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { Handler, ServerCore, ServerSession } from '../../server/runtime/server-core.ts';
import type { ServerCapabilities } from '../../protocol/capability.ts';
import type { Implementation, JsonObject } from '../../protocol/features/common.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { declaredExtensions } from '../../protocol/extension.ts';
import type { RevisionDate } from '../../protocol/revision.ts';
import { Changes, isListChange, ownWords } from '../changes.ts';
import { closingQuietly } from '../upstream/closing.ts';
import { wordsOf } from '../failure.ts';
import { asksUndeclared, revisionFor } from '../forward.ts';
import type { KnownUpstream, UpstreamLogin } from '../upstream-login.ts';
import type { SignInForwarder } from './sign-in-forwarder.ts';
import { bridgeHandlers, type BridgeParts } from './handlers.ts';
import { UpstreamTools } from '../known-tools.ts';
import { isOfClientTask, keepsTasks, relatedTaskOf, taskFormBehind } from '../tasks/task-forms.ts';
import type { FollowTasks } from '../tasks/extension/reported-tasks.ts';
import { lateKept } from '../tasks/stored/deferred-stored.ts';
import { lateTasks } from '../tasks/deferred-tasks.ts';
import { Notices } from './notices.ts';
import { keptOfferedTo, offerOf } from './offer.ts';
import { relayedQuestion } from './question-progress.ts';
import { opener, type ConnectUpstream } from '../upstream/opener.ts';
import type { Settings, Sharing } from '../options.ts';
import type { ConnectionLimit } from '../upstream/connection-limit.ts';
import { Pool } from '../upstream/pool.ts';
import { restartLimited } from '../upstream/restart-limit.ts';
import type { OpenClient, UpstreamEvents } from '../upstream/upstream-options.ts';
import type { UpstreamCredentials } from '../upstream-auth.ts';
import { UpstreamWatches } from './watches.ts';

/** The facts of the server behind a bridge. */
export interface UpstreamFacts {
  /** Its URL or command line. */
  readonly description: string;
  /** `undefined` where each client is itself at the server, so that there is no one connection. */
  readonly revision: RevisionDate | undefined;
  /** The name and version of the upstream server. */
  readonly server: Implementation | undefined;
  /** The capabilities that the upstream declares. */
  readonly capabilities: ServerCapabilities;
}

/** One server behind a bridge, as a host for its clients. The creator stops and closes it. */
export interface Single {
  readonly host: ServerCore;
  /** Description of the server. */
  readonly facts: UpstreamFacts | undefined;
  /** Reason why it was not reached yet, or not the last time; for those that are opened before they are reached. */
  readonly failure?: string | undefined;
  /** Tells whether no caller waits for it. */
  readonly idle: boolean;
  /** Name of the tool that signs the person of a call in, if the server wants that before it shows anything. */
  signInTool?(call: Call): string | undefined;
  /** Tells whether this server keeps a task for the client of a request. */
  keeps(taskId: string, call: Call): Promise<boolean>;
  /**
   * Checks that the server answers, and opens the shared connection if needed.
   *
   * @throws McpError if it does not answer.
   */
  reach(): Promise<void>;
  /** Ends every listen stream in order; no more changes are sent. */
  stop(): void;
  /** Stops, and ends every connection to the server. */
  close(): Promise<void>;
}

/** Options of one server beside the behavior of its bridge. */
export interface SingleOptions extends Settings {
  readonly upstream: Transport | URL | string;
  readonly connect: ConnectUpstream;
  /** Bounds its connections, together with those of the other servers. */
  readonly places: ConnectionLimit;
  readonly sharing?: Sharing | undefined;
  /** The single principal of all calls. */
  readonly principal?: string | undefined;
  /** Authorization of every connection, if the upstream is a URL. */
  readonly auth?: UpstreamCredentials | undefined;
  /** True if answers depend on the caller, so that nothing is cached. */
  readonly keepsNothing?: boolean | undefined;
  readonly login?: UpstreamLogin | undefined;
  readonly upstreamRevisions?: readonly RevisionDate[] | undefined;
  readonly probeTimeoutMs?: number | undefined;
  /** Methods whose failures the caller reports to the operator. */
  readonly silent?: ReadonlySet<string> | undefined;
  /** True if it is one of several servers that are offered as one. */
  readonly ofPart?: boolean | undefined;
  /** Name of it among several; left out for the only one. */
  readonly member?: string | undefined;
  /** Aborts the first connection. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects to one server.
 *
 * @throws ConnectionError when it is not reached or answers nothing that is MCP.
 */
export async function openSingle(options: SingleOptions): Promise<Single> {
  const tools = new UpstreamTools();
  const parts = partsOf(options, tools, opener({ ...options, wayOf: waysTo(options), tools }));
  const { pool, changes, watches, kept } = parts;
  const standing = await standingOf(parts, options);
  // Tasks from an earlier run continue.
  if (options.tasks.store !== undefined && taskFormBehind(pool) === 'extension') await kept.load();
  if (options.signal?.aborted === true) {
    standing.signInForwarder?.close();
    await pool.close();
    throw options.signal.reason;
  }
  const stop = (): void => {
    standing.signInForwarder?.close();
    changes.stop();
    watches.stop();
  };
  return {
    host: hostOf(parts, options, standing),
    get facts() {
      const { revision, server, capabilities } = standing.known();
      return { description: standing.description, revision, server, capabilities };
    },
    get idle() {
      return pool.idle && kept.idle;
    },
    keeps: async (taskId, call) =>
      keepsTasks(call.facts, taskFormBehind(pool)) && (await (await kept.load()).has(taskId, call)),
    reach: async () => await (await pool.main.client()).ping(),
    stop,
    close: async () => {
      stop();
      await kept.close();
      parts.tasks.loaded?.close();
      await pool.close();
    },
  };
}

/** A server as it is currently known, reached or not. */
interface Standing {
  known(): Pick<KnownUpstream, 'revision' | 'server' | 'capabilities' | 'instructions'>;
  hint(): KnownUpstream['hint'];
  readonly description: string;
  /** The doorway of requests to a server that may want a login. */
  readonly signInForwarder: SignInForwarder | undefined;
}

/** Reaches the server. It replaces a connection that failed permanently, and keeps the known facts meanwhile. */
async function standingOf(parts: BridgeParts, options: SingleOptions): Promise<Standing> {
  const { pool } = parts;
  const { login, signal, onWarning } = options;
  let first: Client | KnownUpstream | undefined;
  const latest = (): Client | KnownUpstream => {
    // No code calls this before one of them is set.
    return pool.main.latest ?? (first as Client | KnownUpstream);
  };
  const learned = async (): Promise<void> => {
    await learn(parts, options, signal);
    // Closing the bridge here also ends the subscription.
    if (signal?.aborted !== true) void parts.changes.follow(pool.main);
  };
  let signInForwarder: SignInForwarder | undefined;
  if (login === undefined) {
    first = await firstClient(pool, signal);
    await learned();
  } else {
    const late = await import('./sign-in-forwarder.ts');
    const opened = await late.openSignInForwarder({
      login,
      pool,
      learned,
      onWarning,
      signal,
      changed: () => parts.changes.everything(),
    });
    ({ known: first, signInForwarder } = opened);
  }
  return {
    known: latest,
    hint: () => hintOf(latest()),
    get description() {
      const one = latest();
      return 'description' in one ? one.description : factsOfUpstream(options.upstream).description;
    },
    signInForwarder,
  };
}

function hintOf(known: Client | KnownUpstream): KnownUpstream['hint'] {
  return 'negotiated' in known ? known.negotiated.discovered : known.hint;
}

/** Dead children are started again, but not in a loop. A failure to close is reported, and the work is over. */
function waysTo({ upstream, onError }: SingleOptions): (isMain: boolean) => SingleOptions['upstream'] {
  if (!isTransport(upstream)) return () => upstream;
  const closing = closingQuietly(upstream, onError);
  return closing.ownsProcess === true
    ? restartLimited(closing, { now: monotonicNow, random: Math.random })
    : () => closing;
}

function factsOfUpstream(upstream: SingleOptions['upstream']): SettledFacts {
  return factsOf(isTransport(upstream) ? upstream : { ...httpFacts, description: 'http' });
}

function isTransport(upstream: SingleOptions['upstream']): upstream is Transport {
  return typeof upstream === 'object' && 'open' in upstream;
}

function partsOf(settings: SingleOptions, tools: UpstreamTools, open: (isMain: boolean) => OpenClient): BridgeParts {
  const { onWarning, places, sharing, suspended } = settings;
  const changes: Changes = new Changes({
    capabilities: () => (pool.main.latest === undefined ? {} : offerOf(pool.main.latest, tellsApart(settings))),
    stale: (method, params) => pool.changed(method, params),
    hearsItself: (session) => tellsUnasked(pool.ownOf(session)?.latest),
    tellsUnasked: () => tellsUnasked(pool.main.latest),
    ofPart: settings.ofPart,
    watched: (telling) => settings.listeners.watched(telling),
    onWarning,
  });
  const taskSaid = (...said: readonly [string, string]): void => tasks.hear((own) => own.said(...said));
  const pool: Pool = new Pool({
    open,
    places,
    facts: factsOfUpstream(settings.upstream),
    shared: sharing === 'shared',
    principal: settings.principal,
    suspended,
    waiting: tools.waiting(settings),
    silent: settings.silent,
    main: {
      onNotification: (method, params) => {
        if (method === 'notifications/tools/list_changed') void learnAnew();
        changes.heard(method, params);
        tasks.loaded?.heard(method, params, pool.main);
        if (method === 'notifications/resources/updated') watches.heard(params, pool.main);
      },
      // A server that was started again may be another version of itself.
      onMissed: () => {
        void learnAnew();
        changes.renewed();
      },
      taskSaid,
      onWarning,
    },
    eventsOf: (session) => sessionEvents(session, { pool, changes, tasks, onWarning }),
    eventsBy: (principal, upstream) => ({
      onNotification: (method, params) => {
        changes.heard(method, params, { principal: principal ?? settings.principal });
        tasks.loaded?.heard(method, params, upstream());
        if (method === 'notifications/resources/updated') watches.heard(params, upstream());
      },
      onMissed: () => changes.everything({ principal: principal ?? settings.principal }),
      taskSaid,
      onWarning,
    }),
  });
  const watches: UpstreamWatches = new UpstreamWatches(pool, changes, onWarning);
  const learnAnew = oneByOne(() => learn({ pool, tools }, settings));
  const member = settings.member ?? '';
  const { principal, onError } = settings;
  const tasks = lateTasks({ ...suspended, pool, member, onWarning });
  const follow: FollowTasks = async (...wanted) => await (await tasks.load()).streams.follow(...wanted);
  const own = { pool, member, principal, tasks: settings.tasks };
  const kept = lateKept({ ...own, tools, seal: suspended.seal, follow, onError });
  return { pool, tools, changes, watches, tasks, kept, asked: settings.asked };
}

/** Tells whether the server can tell the clients of the bridge apart: by sessions, unless all share one. */
function tellsApart({ upstream, sharing, principal, auth }: SingleOptions): boolean {
  const isOne = auth !== undefined || (isTransport(upstream) && upstream.authorization !== undefined);
  return sharing !== 'shared' && (principal !== undefined || !isOne);
}

/** Runs something once at a time: however often it is asked for meanwhile, it runs once more. */
function oneByOne(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    running = run().finally(() => (running = undefined));
    return running;
  };
  return () => next ?? (running === undefined ? begin() : (next = running.then(begin)));
}

/** An upstream without listen streams sends changes without a request. */
function tellsUnasked(client: Client | undefined): boolean {
  return client !== undefined && revisionFor(client).subscribing === 'session';
}

/** Events of the own connection of a session, which belong to that session. */
function sessionEvents(
  session: ServerSession,
  { pool, changes, tasks, onWarning }: Pick<BridgeParts, 'pool' | 'changes' | 'tasks'> & Pick<Settings, 'onWarning'>,
): UpstreamEvents {
  return {
    onLog: (message) => session.notify('notifications/message', { ...message }),
    related: (params, tell) => tasks.hear(({ notices }) => notices.related(params, session, tell)),
    onNotification: (method, params) => {
      if (method === 'notifications/tasks/status') tasks.hear((own) => own.status(ownWords(params), session));
      else if (isListChange(method) || isOfSession(method, params)) session.notify(method, ownWords(params));
    },
    onRequest: async (method, params, { signal, on }) => {
      if (isOfClientTask(method, params))
        return await (await tasks.load()).clientSideTasks.ask({ method, params, session, signal, on });
      const question = relayedQuestion(session, { method, params }, pool);
      const ask = (named: JsonObject): Promise<JsonObject> => session.ask(method, named, signal, on);
      try {
        if (relatedTaskOf(params) === undefined) return await ask(question.params);
        return await (await tasks.load()).notices.asked(question.params, session, ask);
      } finally {
        question.done();
      }
    },
    onMissed: () => changes.everythingFor(session),
    onWarning,
  };
}

/** Tells whether a notification is for the client of one session. Its method or its params show that. */
function isOfSession(method: string, params: JsonObject): boolean {
  if (method === 'notifications/resources/updated') return typeof params['uri'] === 'string';
  if (method === 'notifications/elicitation/complete') return typeof params['elicitationId'] === 'string';
  return methodOf(method) === undefined;
}

/** The first connection shows whether there is a server at all: its error goes to the caller unchanged. */
async function firstClient(pool: Pool, signal: AbortSignal | undefined): Promise<Client> {
  try {
    signal?.throwIfAborted();
    return await pool.main.client();
  } catch (error) {
    await pool.close();
    throw error instanceof Error && error.cause instanceof Error ? error.cause : error;
  }
}

/** Fetches the tools, whose definitions control how calls are sent over HTTP. */
async function learn(
  { pool, tools }: Pick<BridgeParts, 'pool' | 'tools'>,
  { onWarning }: Settings,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const client = await pool.main.client();
    // A server that does not declare tools is asked if a client asks.
    if (client.supports('tools')) tools.learn(await client.listTools({ signal }));
  } catch (error) {
    if (signal?.aborted !== true) onWarning(`the upstream's tools could not be listed: ${wordsOf(error)}`);
  }
}

function hostOf(parts: BridgeParts, settings: SingleOptions, { known, hint, signInForwarder }: Standing): ServerCore {
  const { pool, tools, changes, watches } = parts;
  const own = bridgeHandlers(parts);
  const handlers =
    signInForwarder === undefined
      ? own
      : new Map([...own].map(([method, handler]) => [method, signInForwarder.within(handler)] as const));
  const unknown: Handler = (params, call) => pool.carry(params, call);
  const notices = new Notices(pool, parts.tasks, settings.onWarning);
  return {
    get info() {
      return known().server ?? settings.info;
    },
    get instructions() {
      return known().instructions;
    },
    get discoverHint() {
      const { ttlMs = 0, cacheScope = 'private' } = hint() ?? {};
      return { ttlMs, cacheScope };
    },
    revisions: settings.revisions,
    exactNumbers: true,
    relays: true,
    undeclared: (feature, method) => asksUndeclared(known().capabilities, feature, method),
    listeners: settings.listeners,
    chain: settings.chain,
    requestTimeoutMs: 600_000,
    maxRounds: 32,
    capabilities: (link) => keptOfferedTo(link, offerOf(known(), tellsApart(settings)), settings),
    extensions: () => declaredExtensions(revisionFor(known()), offerOf(known(), tellsApart(settings))),
    handler: (method) => handlers.get(method),
    unknown: signInForwarder === undefined ? unknown : signInForwarder.within(unknown),
    notified: (method, params, from) => void notices.tell({ method, params }, from),
    headerParameters: (tool) => tools.headerParameters(tool),
    onError: settings.onError,
    admit: (from) => pool.admit(from),
    opened: (session) => changes.opened(session),
    closed: (session) => {
      changes.closed(session);
      watches.closed(session);
      pool.release(session);
    },
  };
}
