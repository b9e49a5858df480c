/** What happens in one schedule, as data: what is left out of it changes nothing of the rest. */

import { revisions, type RevisionDate } from '../../../src/protocol/revision.ts';
import { chance } from './chance.ts';

/** What a client does. */
export interface Operation {
  readonly at: number;
  readonly client: number;
  readonly kind: 'echo' | 'steps' | 'ask' | 'ask-both' | 'give-up' | 'list' | 'watch' | 'level' | 'long';
  /** Names it: what is called with it comes back. */
  readonly key: number;
}

/** What befalls a process of the service. */
export interface Fault {
  readonly at: number;
  readonly node: number;
  readonly kind: 'kill' | 'stop' | 'drain' | 'clock' | 'change' | 'store away' | 'deaf';
  readonly ms: number;
}

/** One schedule. */
export interface Plan {
  readonly seed: number;
  readonly revision: RevisionDate;
  /** True where the client of that revision goes over HTTP+SSE. */
  readonly pair: boolean;
  /** The revision of the server behind a bridge, where a bridge serves. */
  readonly upstream: RevisionDate | undefined;
  readonly nodes: number;
  readonly clients: number;
  /** How often an exchange goes wrong until all is calm. */
  readonly trouble: number;
  /** True where nothing goes wrong but that answers under way are cut. */
  readonly cutsAlone: boolean;
  /** True where each command of the store takes its time. */
  readonly slowStore: boolean;
  /** When nothing reaches anybody any more, until all is calm; `undefined` where that never is. */
  readonly outAt: number | undefined;
  /** When somebody comes who says what it likes. */
  readonly guestAt: number | undefined;
  readonly calmAt: number;
  readonly operations: readonly Operation[];
  readonly faults: readonly Fault[];
}

const kinds = [
  'echo',
  'echo',
  'steps',
  'steps',
  'ask',
  'ask',
  'ask-both',
  'give-up',
  'list',
  'watch',
  'level',
] as const;
const faultKinds = ['kill', 'kill', 'stop', 'stop', 'drain', 'clock', 'change', 'change'] as const;
const sharedFaultKinds = [...faultKinds, 'store away', 'deaf', 'deaf'] as const;

/** Makes the plan of a seed. */
export function planOf(
  seed: number,
  { nodes = 1, bridge = false }: { readonly nodes?: number; readonly bridge?: boolean } = {},
): Plan {
  const draw = (...name: readonly (string | number)[]): number => chance(seed, ...name);
  const pick = <Member>(list: readonly Member[], ...name: readonly (string | number)[]): Member =>
    list[Math.floor(draw(...name) * list.length)]!;
  const { date, sessions } = pick(revisions, 'revision');
  const clients = 1 + Math.floor(draw('clients') * 2.4);
  const isOut = draw('out') < 0.01;
  const calmAt =
    Math.floor(3_000 + draw('calm') * 25_000) + (isOut ? 60_000 + Math.floor(draw('out for') * 240_000) : 0);
  const operations = Array.from({ length: 2 + Math.floor(draw('operations') * 9) }, (_, key): Operation => ({
    at: Math.floor(draw('at', key) * calmAt),
    client: Math.floor(draw('client', key) * clients),
    kind: draw('long', key) < 0.01 ? 'long' : pick(kinds, 'kind', key),
    key,
  }));
  const cutsAlone = draw('cuts alone') < 0.2;
  const faults = Array.from({ length: Math.floor(draw('faults') * 4) }, (_, number): Fault => {
    const at = Math.floor(draw('fault at', number) * calmAt);
    // What befalls a process is over when all is calm.
    const ms = Math.floor(Math.min(100 + draw('ms', number) ** 3 * 40_000, calmAt - at));
    return {
      at,
      node: Math.floor(draw('node', number) * nodes),
      kind: cutsAlone ? 'change' : pick(nodes > 1 ? sharedFaultKinds : faultKinds, 'fault', number),
      ms,
    };
  });
  const isSteady = faults.every(({ kind }) => kind === 'change') && !isOut;
  const hasSessions = sessions && date !== '2024-11-05';
  return {
    seed,
    slowStore: nodes > 1 && draw('slow store') < 0.08,
    outAt: isOut ? Math.floor(1_000 + draw('out at') * 10_000) : undefined,
    guestAt:
      isSteady && hasSessions && !bridge && draw('guest') < 0.15 ? Math.floor(draw('guest at') * calmAt) : undefined,
    revision: date,
    pair: date === '2024-11-05',
    upstream: bridge ? pick(revisions.slice(1), 'upstream').date : undefined,
    nodes,
    clients,
    trouble: pick([0, 0.02, 0.1, 0.25], 'trouble'),
    cutsAlone,
    calmAt,
    operations: operations.toSorted((one, other) => one.at - other.at),
    faults,
  };
}

/** Everything that a client can do, and nothing that goes wrong. */
export function calmPlan(revision: RevisionDate, nodes: number, upstream?: RevisionDate): Plan {
  const operations = [...new Set(kinds)].map((kind, key): Operation => ({ at: 100 * key, client: 0, kind, key }));
  const change: Fault = { at: 2_000, node: 0, kind: 'change', ms: 0 };
  return {
    seed: 0,
    revision,
    pair: revision === '2024-11-05',
    upstream,
    nodes,
    clients: 1,
    trouble: 0,
    cutsAlone: false,
    slowStore: false,
    outAt: undefined,
    guestAt: undefined,
    calmAt: 3_000,
    operations,
    faults: [change, { ...change, at: 2_500, kind: 'drain' }],
  };
}

/** Tells whether nothing happens in a plan that may make a call fail: a stream that is cut is taken up where it was, in the revision that has ids from the first event on. */
export function isPeaceful({ trouble, cutsAlone, faults, revision, outAt, upstream }: Plan): boolean {
  if (outAt !== undefined) return false;
  const harmless = trouble === 0 || (cutsAlone && revision === '2025-11-25' && upstream === undefined);
  return harmless && faults.every(({ kind }) => kind === 'change');
}
