import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { ServerCore } from '../../server/runtime/server-core.ts';
import { mostOf } from './begin.ts';
import { MergedCatalogue } from './merged-catalogue.ts';
import { listChanges } from '../../protocol/catalogue.ts';
import { MergedListen } from './listen.ts';
import { mergedLists, type MergedList } from './lists.ts';
import { mergedHandlers } from './handlers.ts';
import { MergedSessions } from './sessions.ts';
import { askForUnknown, mergedCapabilities, mergedExtensions, joinedHint, joinedInstructions } from './offer.ts';
import type { Single } from '../single/single.ts';
import { deferredTaskRoutes } from './deferred-routes.ts';
import { labelsOf } from './names.ts';
import type { PrefixMode, Settings } from '../options.ts';
import { Routes } from './routes.ts';
import { Backend, type UpstreamStanding } from './backend.ts';

/** Several servers as one host. The creator stops and closes it. */
export interface Merged {
  readonly host: ServerCore;
  /** Standing of each server, in order. */
  readonly upstreams: readonly UpstreamStanding[];
  /** Tells whether no caller waits for any server. */
  readonly idle: boolean;
  /** Ends every listen stream in good order. */
  stop(): void;
  /** Ends every connection to every server. */
  close(): Promise<void>;
}

/** Parts that a merged bridge is made of. */
export interface MergedParts {
  readonly settings: Settings;
  readonly prefix: PrefixMode;
  readonly serverTimeoutMs: number;
  /** Ways to reach each server, by its name, the first in order first. */
  readonly servers: readonly (readonly [string, OpenServer])[];
  random(): number;
}

/** Connects to one server. */
export type OpenServer = (signal: AbortSignal, onWarning: (message: string) => void) => Promise<Single>;

/**
 * Makes one host of several servers; those that are not there yet, or not any more, join when they are.
 *
 * @throws ConnectionError when not one of them is reached.
 */
export async function openMerged(parts: MergedParts): Promise<Merged> {
  const { settings, serverTimeoutMs, random } = parts;
  const { onWarning } = settings;
  const sessions = new MergedSessions(onWarning);
  const backends = slotsOf(parts, joined);
  const catalogue = new MergedCatalogue({ ...parts, backends, onWarning, onChange });
  const routes = new Routes(backends, catalogue);
  const tasks = deferredTaskRoutes(backends, routes, settings.suspended.seal);
  const listens = new MergedListen({
    backends,
    tasksOf: async (ids, call) => (await tasks()).ownersOf(ids, call),
    serverTimeoutMs,
    random,
    onWarning,
    ownersOf: (uris, call) => routes.ownersOf(uris, call),
    honored: (asked) => {
      const offered = mergedCapabilities(backends);
      const flags = listChanges.filter(({ list, flag }) => asked[flag] === true && offered[list] !== undefined);
      return Object.fromEntries(flags.map(({ flag }) => [flag, true]));
    },
  });

  /** Tells everybody of a server that came: its lists are new to all. */
  function joined(backend: Backend, single: Single, first: boolean): void {
    if (first) sessions.joined(single);
    listens.joined(backend, single);
    const offered = single.host.capabilities();
    for (const { list, method } of listChanges) {
      if (offered[list] === undefined) continue;
      sessions.tell(method);
      listens.changed(method);
    }
  }

  function onChange(kind: MergedList, { session }: Call): void {
    const method = listChanges.find(({ list }) => list === mergedLists[kind].needs)?.method;
    if (method === undefined) return;
    if (session === undefined) listens.changed(method);
    else session.notify(method, {});
  }

  // A single server delays no other.
  await firstOf(backends, backends.length === 1 ? serverTimeoutMs : firstMs);
  const handlers = mergedHandlers({ backends, catalogue, routes, sessions, listens, tasks });
  return {
    host: hostOf({ parts, backends, catalogue, sessions, handlers }),
    get upstreams() {
      return backends.map((backend) => backend.standing);
    },
    get idle() {
      return backends.every(({ single }) => single?.idle !== false);
    },
    stop: () => {
      listens.stop();
      for (const { single } of backends) single?.stop();
    },
    close: async () => void (await Promise.all(backends.map((backend) => backend.close()))),
  };
}

function slotsOf(
  { servers, settings, serverTimeoutMs, random }: MergedParts,
  onJoin: (backend: Backend, single: Single, first: boolean) => void,
): readonly Backend[] {
  const labels = labelsOf(servers.map(([name]) => name));
  return servers.map(([name, open], at) => {
    const backend: Backend = new Backend({
      name,
      label: labels[at] ?? name,
      serverTimeoutMs,
      open: (signal) => open(signal, (message) => settings.onWarning(`${name}: ${message}`)),
      onJoin: (single, first) => onJoin(backend, single, first),
      onWarning: settings.onWarning,
      random,
    });
    return backend;
  });
}

/**
 * Longest wait for the first server. Clients take a bridge that does not answer for an older server, or for a dead one.
 */
const firstMs = 1_000;

/** Waits for the first server, and a moment for the others. @throws ConnectionError when each of them has failed. */
async function firstOf(backends: readonly Backend[], limitMs: number): Promise<void> {
  await mostOf(
    backends.map((backend) => backend.start()),
    limitMs,
  );
  // A server that wants its person to sign in first is there too.
  if (backends.some(({ single, standing }) => single !== undefined || standing.failure === undefined)) return;
  await Promise.all(backends.map((backend) => backend.close()));
  const failures = backends.map(({ standing: { name, failure } }) => `${name}: ${failure}`);
  throw new ConnectionError('refused', `no server could be reached: ${failures.join('; ')}`);
}

interface HostParts {
  readonly parts: MergedParts;
  readonly backends: readonly Backend[];
  readonly catalogue: MergedCatalogue;
  readonly sessions: MergedSessions;
  readonly handlers: ReturnType<typeof mergedHandlers>;
}

function hostOf({ parts: { settings }, backends, catalogue, sessions, handlers }: HostParts): ServerCore {
  const [only, another] = backends;
  const lone = another === undefined ? only : undefined;
  return {
    get info() {
      return lone?.single?.host.info ?? settings.info;
    },
    get instructions() {
      return lone === undefined ? joinedInstructions(backends) : lone.single?.host.instructions;
    },
    get discoverHint() {
      return joinedHint(backends);
    },
    revisions: settings.revisions,
    exactNumbers: true,
    relays: true,
    undeclared: (feature, method) => backends.some(({ single }) => single?.host.undeclared?.(feature, method)),
    listeners: settings.listeners,
    chain: settings.chain,
    requestTimeoutMs: 600_000,
    maxRounds: 32,
    capabilities: () => mergedCapabilities(backends),
    extensions: () => mergedExtensions(backends),
    handler: (method) => handlers.get(method),
    unknown: async (params, call) => await askForUnknown(backends, params, call),
    notified: (method, params, from) => {
      for (const { single } of backends) single?.host.notified?.(method, params, from);
    },
    headerParameters: (tool, auth) => {
      const found = catalogue.tool(tool);
      if (found !== undefined) return found.owner.single?.host.headerParameters(found.name, auth) ?? [];
      // Before the first list, the server that knows the tool knows its parameters.
      for (const { single } of backends) {
        const parameters = single?.host.headerParameters(tool, auth) ?? [];
        if (parameters.length > 0) return parameters;
      }
      return [];
    },
    onError: settings.onError,
    admit: (from) => {
      for (const { single } of backends) single?.host.admit?.(from);
    },
    opened: (session) => sessions.opened(session, backends),
    closed: (session) => sessions.closed(session, backends),
  };
}
