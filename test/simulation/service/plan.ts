/** What happens in one schedule, as data: what is left out of it changes nothing of the rest. */

import { revisions, type RevisionDate } from '../../../packages/parley/src/protocol/revision.ts';
import { chance } from './chance.ts';
import { lossesOf } from './losses.ts';
import { restFaults, restMsOf } from './resting.ts';
import { sizeOf } from './size.ts';

/** What a client does. */
export interface Operation {
  readonly at: number;
  readonly client: number;
  readonly kind: (typeof kinds)[number] | (typeof moreKinds)[number] | 'long';
  /** Names it: what is called with it comes back. */
  readonly key: number;
}

/**
 * What is particular about a service: sessions that are forgotten soon, few of them in a process, no events to resume from or few, states of rounds that are
 * good for one request and wait in the store, no sessions at all, room for few at once, little room for what a slow reader has not read, or a store
 * with little room.
 */
export const serviceKinds = [
  'plain',
  'idle',
  'crowded',
  'eventless',
  'forgetful',
  'once',
  'sessionless',
  'tight',
  'slow readers',
  'full store',
] as const;

export type ServiceKind = (typeof serviceKinds)[number];

/** What befalls a process of the service. */
export interface Fault {
  readonly at: number;
  readonly node: number;
  readonly kind:
    | (typeof faultKinds)[number]
    | 'store away'
    | 'deaf'
    | 'news'
    | 'take back'
    | 'garble'
    | 'spoil'
    | 'falter'
    | 'empty'
    | 'take over';
  readonly ms: number;
}

/** One schedule. */
export interface Plan {
  readonly seed: number;
  /** True for a plan of the first kind, in which less can happen. */
  readonly isFirst: boolean;
  /** True where no stream for what belongs to no request can be read until all is calm. */
  readonly isUnreadable: boolean;
  readonly revision: RevisionDate;
  /** True where the client of that revision goes over HTTP+SSE. */
  readonly pair: boolean;
  /** The revision of the server behind a bridge, where a bridge serves. */
  readonly upstream: RevisionDate | undefined;
  readonly nodes: number;
  readonly clients: number;
  /** How often an exchange goes wrong until all is calm. */
  readonly trouble: number;
  /** How often something is said wrong until all is calm. */
  readonly wrong: number;
  /** True where nothing goes wrong but that answers under way are cut. */
  readonly cutsAlone: boolean;
  /** True where each command of the store takes its time. */
  readonly slowStore: boolean;
  /** When nothing reaches anybody any more, until all is calm; `undefined` where that never is. */
  readonly outAt: number | undefined;
  /** True where clients answer questions by tasks of their own, if they are asked for such. */
  readonly hostsTasks: boolean;
  /** When somebody comes who says what it likes. */
  readonly guestAt: number | undefined;
  /** When somebody comes who takes offence soon. */
  readonly impatientAt: number | undefined;
  /** True where the service knows its clients by a header. */
  readonly knowsClients: boolean;
  /** When somebody comes who uses the store of the service up to its limits. */
  readonly keeperAt?: number | undefined;
  /** When somebody comes whose server is a process of its own. */
  readonly pipedAt?: number | undefined;
  /** When somebody comes whose peers are by hand, and say what peers seldom say. */
  readonly handAt?: number | undefined;
  /** How long the tokens are good by which the service knows its clients, in milliseconds; it has none where that is left out. */
  readonly tokenMs?: number | undefined;
  /** How long clients rest between two calls, for more than an hour from when all is calm, in milliseconds; they leave then where that is left out. */
  readonly restMs?: number | undefined;
  /** What is particular about the service. */
  readonly service: ServiceKind;
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
/** What clients do as well, where a plan is not of the first kind. */
const moreKinds = [
  'watch-news',
  'watch-news',
  'unwatch',
  'form',
  'form',
  'large',
  'log',
  'poll',
  'poll',
  'burst',
  'burst',
  'hand',
  'odd',
  'odd',
  'odd',
] as const;
const faultKinds = ['kill', 'kill', 'stop', 'stop', 'drain', 'clock', 'change', 'change'] as const;
const sharedFaultKinds: readonly Fault['kind'][] = [...faultKinds, 'store away', 'deaf', 'deaf'];

/** By when a bridge has reached its server, where nothing goes wrong: before, nobody is there for a guest. */
const bridgeBeginsMs = 20_000;

export interface PlanOptions {
  readonly nodes?: number;
  readonly bridge?: boolean;
  /** True for a plan of the first kind, in which less could happen; seeds that failed once were of that. */
  readonly isFirst?: boolean;
}

/** Makes the plan of a seed. */
export function planOf(seed: number, { nodes = 1, bridge = false, isFirst = false }: PlanOptions = {}): Plan {
  const draw = (...name: readonly (string | number)[]): number => chance(seed, ...name);
  const pick = <Member>(list: readonly Member[], ...name: readonly (string | number)[]): Member =>
    list[Math.floor(draw(...name) * list.length)]!;
  const { date, sessions } = pick(revisions, 'revision');
  // A client can be shown forms from 2025-06-18 on.
  const upstream = bridge ? pick(revisions.slice(1), 'upstream').date : undefined;
  const hasForms = [date, upstream].every((one) => one !== '2024-11-05' && one !== '2025-03-26');
  const operationOf = (key: number): Operation['kind'] => {
    if (draw('long', key) < 0.01) return 'long';
    const kind = pick(moreKinds, 'more of', key);
    const isMore = !isFirst && draw('more', key) < 0.35 && (kind !== 'form' || hasForms);
    return isMore ? kind : pick(kinds, 'kind', key);
  };
  // The pair has sessions always.
  const isPlain = isFirst || bridge || date === '2024-11-05';
  const service = isPlain || draw('service') < 0.7 ? 'plain' : pick(serviceKinds.slice(1), 'service of');
  const size = sizeOf(isFirst ? 0 : draw('size'));
  const clients = 1 + Math.floor(draw('clients') * size.clients);
  const isOut = draw('out') < (isFirst ? 0.01 : 0.03);
  const calmAt =
    Math.floor(3_000 + draw('calm') * size.calmMs) + (isOut ? 60_000 + Math.floor(draw('out for') * 240_000) : 0);
  const outAt = isOut ? Math.floor(1_000 + draw('out at') * 10_000) : undefined;
  // Nobody but who only listens may be there while nothing reaches anybody.
  const isQuiet = !isFirst && outAt !== undefined && draw('quiet') < 0.5;
  const isUnreadable = !isPlain && service === 'plain' && sessions && draw('unreadable') < 0.04;
  const operations = Array.from(
    { length: size.least + Math.floor(draw('operations') * size.operations) },
    (_, key): Operation => ({
      // What nothing reaches any more for long has begun before, as often as not.
      at: Math.floor(draw('at', key) * (!isFirst && outAt !== undefined && draw('before', key) < 0.5 ? outAt : calmAt)),
      client: Math.floor(draw('client', key) * clients),
      kind: isQuiet || isUnreadable ? pick(['watch', 'watch-news'], 'watches', key) : operationOf(key),
      key,
    }),
  );
  const trouble = pick([0, 0.02, 0.1, 0.25], 'trouble');
  const cutsAlone = draw('cuts alone') < 0.2;
  const befalling = Array.from({ length: Math.floor(draw('faults') * size.faults) }, (_, number): Fault => {
    const at = Math.floor(draw('fault at', number) * calmAt);
    // What befalls a process is over when all is calm.
    const ms = Math.floor(Math.min(100 + draw('ms', number) ** 3 * 40_000, calmAt - at));
    const isNews = !isFirst && draw('news', number) < 0.3;
    const engine = isFirst || nodes === 1 ? 1 : draw('engine', number);
    const befalls = pick(nodes > 1 ? sharedFaultKinds : faultKinds, 'fault', number);
    const trouble = engine < 0.05 ? 'garble' : engine < 0.08 ? 'spoil' : engine < 0.18 ? 'falter' : befalls;
    return {
      at,
      node: Math.floor(draw('node', number) * nodes),
      kind: isNews || ((isQuiet || isUnreadable) && number === 0) ? 'news' : cutsAlone ? 'change' : trouble,
      ms,
    };
  });
  const lost = lossesOf(!isFirst && nodes > 1 && !cutsAlone, {
    key: operations.length,
    clients,
    calmAt,
    mayChange: !isQuiet && !isUnreadable,
    draw,
  });
  const faults = [...befalling, ...lost.faults];
  const isWrong = !isFirst && (isUnreadable || draw('wrong') <= 0.15);
  const wrong = isWrong ? pick([0.05, 0.2], 'how often wrong') : 0;
  const isSteady = faults.every(isHarmless) && !isOut && service === 'plain';
  const isStill =
    faults.every(isHarmless) && !isOut && (service === 'plain' || service === 'once' || service === 'sessionless');
  // What a bridge cannot reach it says so, and a guest tries nothing again.
  const canBeGuest = !bridge || (date !== '2024-11-05' && trouble === 0 && wrong === 0);
  const isGuarded = !isFirst && !bridge && draw('guarded') < 0.04;
  // A record that makes no sense any more is a session that is lost, whenever that is found out.
  const isSound = wrong === 0 && faults.every(({ kind }) => !['spoil', 'garble', 'empty', 'take over'].includes(kind));
  const mayRest = !isFirst && !isGuarded && !isOut && isSound && service === 'plain';
  const restMs = mayRest ? restMsOf(draw) : undefined;
  const hasSessions = sessions && date !== '2024-11-05';
  return {
    seed,
    isFirst,
    isUnreadable,
    service,
    knowsClients: !isFirst && draw('knows clients') < (service === 'tight' ? 0.8 : 0.25),
    hostsTasks: !isFirst && draw('hosts tasks') < 0.2,
    slowStore: nodes > 1 && draw('slow store') < 0.08,
    outAt,
    guestAt:
      (isFirst ? isSteady && hasSessions : isStill) &&
      canBeGuest &&
      draw('guest') < (isGuarded || service === 'sessionless' ? 0.6 : bridge ? 0.4 : 0.1)
        ? Math.floor(draw('guest at') * calmAt) + (bridge ? bridgeBeginsMs : 0)
        : undefined,
    impatientAt: !isFirst && draw('impatient') < 0.02 ? Math.floor(draw('impatient at') * calmAt) : undefined,
    revision: date,
    pair: date === '2024-11-05',
    upstream,
    nodes,
    clients,
    trouble,
    cutsAlone,
    wrong,
    calmAt,
    operations: [...operations, ...lost.operations].toSorted((one, other) => one.at - other.at),
    ...(!isFirst && draw('keeper') < 0.01 && { keeperAt: Math.floor(draw('keeper at') * calmAt) }),
    ...(!isFirst && draw('piped') < 0.01 && { pipedAt: Math.floor(draw('piped at') * calmAt) }),
    ...(!isFirst && draw('by hand') < 0.0015 && { handAt: Math.floor(draw('by hand at') * calmAt) }),
    ...(isGuarded && { tokenMs: pick([2_000, 6_000, 20_000], 'token'), knowsClients: false }),
    ...(restMs !== undefined && { restMs }),
    faults: [
      ...(isGuarded ? faults.map(ofTokens) : faults),
      ...restFaults(restMs, { calmAt, nodes, mayMove: hasSessions && !bridge, draw }),
    ],
  };
}

/** Who knows clients by tokens goes by one clock: others would take what is good for over. */
function ofTokens(fault: Fault): Fault {
  return fault.kind === 'clock' ? { ...fault, kind: 'take back' } : fault;
}

/** Everything that a client can do, and nothing that goes wrong. */
export function calmPlan(
  revision: RevisionDate,
  nodes: number,
  {
    upstream,
    service = 'plain',
    tokenMs,
  }: { readonly upstream?: RevisionDate; readonly service?: ServiceKind; readonly tokenMs?: number } = {},
): Plan {
  const operations = [...new Set([...kinds, ...moreKinds])].map((kind, key): Operation => ({
    at: 100 * key,
    client: 0,
    kind,
    key,
  }));
  const change: Fault = { at: 2_000, node: 0, kind: 'change', ms: 0 };
  return {
    seed: 0,
    isFirst: false,
    isUnreadable: false,
    service,
    knowsClients: tokenMs === undefined,
    tokenMs,
    revision,
    pair: revision === '2024-11-05',
    upstream,
    nodes,
    clients: 1,
    trouble: 0,
    wrong: 0,
    cutsAlone: false,
    hostsTasks: true,
    slowStore: false,
    outAt: undefined,
    guestAt: undefined,
    impatientAt: 1_500,
    calmAt: 3_000,
    operations,
    faults: [change, { ...change, at: 2_100, kind: 'news' }, { ...change, at: 2_500, kind: 'drain' }],
  };
}

/** Tells whether nothing happens in a plan that may make a call fail: a stream that is cut is taken up where it was, in the revision that has ids from the first event on. */
export function isPeaceful({
  operations,
  trouble,
  wrong,
  cutsAlone,
  faults,
  revision,
  outAt,
  upstream,
  service,
  tokenMs,
  pair,
}: Plan): boolean {
  // A pair ends with its token, and takes nothing more meanwhile.
  if (tokenMs !== undefined && pair) return false;
  // Before a server of sessions a question that came while a call is given up may have been that call's, and is given up too.
  if (upstream !== undefined && operations.some(({ kind }) => kind === 'give-up')) return false;
  // Who has no session cannot be asked, who finds no room is sent away.
  if (outAt !== undefined || wrong > 0 || isNarrow(service)) return false;
  // A tool may end the connection of its stream, and has its client come back for events that are not there.
  if (losing.includes(service) && operations.some(({ kind }) => kind === 'poll' || kind === 'burst')) return false;
  const isResumed = cutsAlone && revision === '2025-11-25' && upstream === undefined && !losing.includes(service);
  return (trouble === 0 || isResumed) && faults.every(isHarmless);
}

/** Tells whether a service has no place for everybody or everything, even where nothing goes wrong. */
export function isNarrow(service: ServiceKind): boolean {
  return ['sessionless', 'crowded', 'tight', 'full store'].includes(service);
}

/** Services of which a client may come back for events that are not there. */
const losing: readonly ServiceKind[] = ['eventless', 'forgetful', 'slow readers'];

/** Tells whether whatever a client has seen of a stream is there to go on from, as long as its session is. */
export function isKept({ service, nodes, faults, outAt, restMs }: Plan): boolean {
  return (
    service === 'plain' &&
    // What a stream said is kept for five minutes.
    restMs === undefined &&
    nodes > 1 &&
    outAt === undefined &&
    faults.every(({ kind }) => !['store away', 'spoil', 'falter', 'empty', 'take over'].includes(kind))
  );
}

/** The longest that a client takes to know the newest when all is calm, in milliseconds. */
export function newestMsOf({ trouble, wrong, outAt, faults }: Plan): number {
  // A client that met with refusals for long tries again after 30 s at most, and the slowest answers take 3 s.
  const isShort = ({ kind, ms }: Fault): boolean => isHarmless({ kind }) || (kind === 'kill' && ms < 1_000);
  const isHard = trouble > 0 || wrong > 0 || outAt !== undefined || !faults.every(isShort);
  return isHard ? 40_000 : 15_000;
}

/** Services whose streams break, and are not always there to go on from, even where nothing goes wrong. */
const mayLose: readonly ServiceKind[] = ['tight', 'slow readers', 'full store'];

/** Tells whether what is said of a call comes in its order: what a stream has no place for goes over another one, which may be faster. */
export function isOrdered(plan: Plan): boolean {
  const { service } = plan;
  return isToldOnce(plan) && service !== 'eventless' && !mayLose.includes(service);
}

/**
 * Tells whether a client is told everything once. What a store did not keep within seconds is told all the same; where it was kept without an answer, and who knows
 * that is not heard of any more, whoever goes on with the stream tells it again.
 */
export function isToldOnce({ faults }: Plan): boolean {
  const falters = faults.some(({ kind }) => kind === 'falter');
  return !falters || !faults.some(({ kind }) => ['kill', 'drain', 'stop', 'deaf', 'store away'].includes(kind));
}

/** Tells whether sessions of a plan cannot move: its balancer then sends each client to the same process. */
export function isSticky({ pair, upstream, revision }: Plan): boolean {
  return pair || (upstream !== undefined && revision !== '2026-07-28');
}

/** Tells whether nothing of what is sent on the stream of an answer may be missing: one that breaks is taken up. */
export function isLossless({ pair, upstream, trouble, wrong, service }: Plan): boolean {
  // Streams of 2024-11-05 are not taken up.
  return (
    !pair &&
    wrong === 0 &&
    !mayLose.includes(service) &&
    (trouble === 0 || (upstream === undefined && (service === 'plain' || service === 'once')))
  );
}

function isHarmless({ kind }: Pick<Fault, 'kind'>): boolean {
  return ['change', 'news', 'take back', 'garble'].includes(kind);
}
