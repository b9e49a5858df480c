import { settledWithin } from '../../jsonrpc/timeout.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { Call } from '../../host/call.ts';
import type { Host } from '../../host/host.ts';
import { Catalogue } from './catalogue.ts';
import { listChanges } from '../../protocol/catalogue.ts';
import { MergedListen } from './listen.ts';
import { mergedLists, type MergedList } from './lists.ts';
import { frontHandlers } from './handlers.ts';
import { MergedSessions } from './sessions.ts';
import { askForUnknown, frontCapabilities, joinedHint, joinedInstructions } from './offer.ts';
import type { Single } from '../single/single.ts';
import { labelsOf } from './names.ts';
import type { PrefixMode, Settings } from '../options.ts';
import { Routes } from './routes.ts';
import { Slot, type UpstreamStanding } from './slot.ts';

/** Several servers as one host. Whoever opened it stops and closes it. */
export interface Merged {
  readonly host: Host;
  /** Standing of each server, in order. */
  readonly upstreams: readonly UpstreamStanding[];
  /** Ends every listen stream in good order. */
  stop(): void;
  /** Ends every connection to every server. */
  close(): Promise<void>;
}

/** Parts that a merged bridge is made of. */
export interface MergedParts {
  readonly settings: Settings;
  readonly prefix: PrefixMode;
  readonly patienceMs: number;
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
  const { settings, patienceMs, random } = parts;
  const { onWarning } = settings;
  const sessions = new MergedSessions(onWarning);
  const seats = seatsOf(parts, joined);
  const catalogue = new Catalogue({ ...parts, seats, onWarning, onChange });
  const routes = new Routes(seats, catalogue);
  const listens = new MergedListen({
    seats,
    patienceMs,
    random,
    onWarning,
    ownersOf: (uris, call) => routes.ownersOf(uris, call),
    honored: (asked) => {
      const offered = frontCapabilities(seats);
      const flags = listChanges.filter(({ list, flag }) => asked[flag] === true && offered[list] !== undefined);
      return Object.fromEntries(flags.map(({ flag }) => [flag, true]));
    },
  });

  /** Tells everybody of a server that came: its lists are new to all. */
  function joined(seat: Slot, member: Single, first: boolean): void {
    if (first) sessions.joined(member);
    listens.joined(seat, member);
    const offered = member.host.capabilities();
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

  await firstOf(seats, patienceMs);
  const handlers = frontHandlers({ seats, catalogue, routes, sessions, listens });
  return {
    host: hostOf({ parts, seats, catalogue, sessions, handlers }),
    get upstreams() {
      return seats.map((seat) => seat.standing);
    },
    stop: () => {
      listens.stop();
      for (const { member } of seats) member?.stop();
    },
    close: async () => void (await Promise.all(seats.map((seat) => seat.close()))),
  };
}

function seatsOf(
  { servers, settings, patienceMs, random }: MergedParts,
  onJoin: (seat: Slot, member: Single, first: boolean) => void,
): readonly Slot[] {
  const labels = labelsOf(servers.map(([name]) => name));
  return servers.map(([name, open], at) => {
    const seat: Slot = new Slot({
      name,
      label: labels[at] ?? name,
      patienceMs,
      open: (signal) => open(signal, (message) => settings.onWarning(`${name}: ${message}`)),
      onJoin: (member, first) => onJoin(seat, member, first),
      onWarning: settings.onWarning,
      random,
    });
    return seat;
  });
}

/** Waits for all servers, but not for long; that not one of them is there is a failure. */
async function firstOf(seats: readonly Slot[], patienceMs: number): Promise<void> {
  const attempts = seats.map((seat) => seat.start());
  await settledWithin(patienceMs, Promise.allSettled(attempts));
  if (seats.some(({ standing }) => standing.state !== 'failing')) return;
  await Promise.all(seats.map((seat) => seat.close()));
  const failures = seats.map(({ standing: { name, failure } }) => `${name}: ${failure}`);
  throw new ConnectionError('refused', `none of the servers is reached: ${failures.join('; ')}`);
}

interface HostParts {
  readonly parts: MergedParts;
  readonly seats: readonly Slot[];
  readonly catalogue: Catalogue;
  readonly sessions: MergedSessions;
  readonly handlers: ReturnType<typeof frontHandlers>;
}

function hostOf({ parts: { settings }, seats, catalogue, sessions, handlers }: HostParts): Host {
  const [only, another] = seats;
  const single = another === undefined ? only : undefined;
  return {
    get info() {
      return single?.member?.host.info ?? settings.info;
    },
    get instructions() {
      return single === undefined ? joinedInstructions(seats) : single.member?.host.instructions;
    },
    get discoverHint() {
      return joinedHint(seats);
    },
    revisions: settings.revisions,
    exactNumbers: true,
    relays: true,
    askTimeoutMs: 600_000,
    maxRounds: 32,
    capabilities: () => frontCapabilities(seats),
    handler: (method) => handlers.get(method),
    unknown: async (params, call) => await askForUnknown(seats, params, call),
    notified: (method, params, from) => {
      for (const { member } of seats) member?.host.notified?.(method, params, from);
    },
    headerParameters: (tool) => {
      const found = catalogue.tool(tool);
      if (found !== undefined) return found.owner.member?.host.headerParameters(found.name) ?? [];
      // Nobody listed anything yet: whoever knows the tool knows its parameters.
      for (const { member } of seats) {
        const parameters = member?.host.headerParameters(tool) ?? [];
        if (parameters.length > 0) return parameters;
      }
      return [];
    },
    onError: settings.onError,
    admit: (from) => {
      for (const { member } of seats) member?.host.admit?.(from);
    },
    opened: (session) => sessions.opened(session, seats),
    closed: (session) => sessions.closed(session, seats),
  };
}
