import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { factsOf } from '../../../../parley/src/jsonrpc/transport-facts.ts';
import { newestRevision, revisions, type Era, type Revision } from '../../../../parley/src/protocol/revision.ts';
import { throughBridge } from '../../compatibility/offered.ts';
import type { Offer } from '../../compatibility/offer.ts';
import type { Explanation, TasksExplained, Try } from './report.ts';
import { tryRevision } from './try.ts';
import { partOf, timeLeft, atMost, type TimeLeft } from './time-left.ts';
import type { Tap } from './wire.ts';
import { beforeAsked, notStartedAgain, timeOver } from './explain-texts.ts';

/** Options of explaining a server. */
export interface ExplainOptions {
  /** A new way to the server. */
  reach(settings: Tap['settings']): Transport;
  /**
   * The longest wait for an answer, in milliseconds. The default is 60 seconds, and less for requests that may never be
   * answered.
   */
  readonly timeoutMs: number | undefined;
  /** Time for all of it; without limit by default. */
  readonly left?: TimeLeft;
  /** True when everything exchanged is kept. */
  readonly wire: boolean;
  readonly signal: AbortSignal;
}

/** The longest waits in milliseconds: for an answer, and where silence is likely. */
const patience = { answer: 60_000, silence: 10_000 };

/**
 * Tries a server in every revision, one after another, and lists what it offers in the newest that works. It calls, reads and gets nothing.
 *
 * @throws what the signal was aborted with.
 */
export async function explainServer(options: ExplainOptions): Promise<Explanation> {
  const { description: target, mayLoseTheProbe, ownsProcess } = factsOf(options.reach({}));
  const tries: Try[] = [];
  const taps: Tap[] = [];
  const tasks: TasksExplained[] = [];
  let offer: Offer | undefined;
  const whole = options.left ?? timeLeft();
  const order = inOrder(ownsProcess === true);
  for (const revision of order) {
    options.signal.throwIfAborted();
    if (isDead(tries)) {
      tries.push(untried(revision, { why: notStartedAgain, over: 'stdio' }));
      continue;
    }
    if (whole() === 0) {
      tries.push(
        untried(revision, { why: timeOver, over: ownsProcess === true ? 'stdio' : 'http', reason: 'timeout' }),
      );
      continue;
    }
    // The lists come with the first that works, so that it may take more.
    const left = partOf(whole, tries.length === 0 ? 2 : order.length - tries.length);
    const timeoutMs = atMost(left, options.timeoutMs ?? limitFor(revision, mayLoseTheProbe, tries));
    const isFirst = tries.length === 0;
    const list = offer === undefined || revision === newestRevision;
    const tried = await tryRevision(revision, { ...options, left, timeoutMs, isFirst, list });
    tries.push(withRestart(tried.attempt, tries));
    taps.push(tried.tap);
    offer = tried.offer ?? offer;
    if (tried.tasks !== undefined) tasks.push(tried.tasks);
  }
  const newestFirst = (one: Dated, other: Dated): number => placeOf(other) - placeOf(one);
  const spoken = revisions.filter(({ date }) =>
    tries.some(({ revision, outcome }) => revision === date && outcome === 'spoken'),
  );
  const newest = spoken.at(-1);
  const authorization = await authorizationAt(taps, { ...options, left: whole });
  return {
    target,
    transport: ownsProcess ? 'stdio' : 'http',
    works: newest !== undefined,
    eras: erasOf(spoken),
    revisions: spoken.map(({ date }) => date),
    tries: tries.toSorted(newestFirst),
    ...(authorization === undefined ? {} : { authorization }),
    ...(offer === undefined ? {} : { offer }),
    ...(tasks.length === 0 ? {} : { tasks: tasks.toSorted(newestFirst) }),
    ...(newest === undefined || offer === undefined ? {} : { bridge: throughBridge(newest, served(offer)) }),
  };
}

/** The offer with the features that the server did not declare: they work through a bridge too. */
function served(offer: Offer): Offer {
  const undeclared = Object.fromEntries((offer.undeclared ?? []).map((feature) => [feature, {}]));
  return { ...offer, capabilities: { ...undeclared, ...offer.capabilities } };
}

/** The authorization that a server wants; its part is loaded for those that want some. */
async function authorizationAt(
  taps: readonly Tap[],
  { timeoutMs, left, wire, signal }: ExplainOptions & { readonly left: TimeLeft },
): Promise<Explanation['authorization']> {
  const target = taps.find((tap) => tap.target !== undefined)?.target;
  const refusals = taps.flatMap((tap) => tap.refusals);
  if (target === undefined || refusals.length === 0) return undefined;
  const { explainAuthorization } = await import('./authorization/authorization.ts');
  return await explainAuthorization({ server: new URL(target), refusals, timeoutMs, left, wire, signal });
}

/** Older servers may ignore unknown methods. A server that was silent once will be silent again. */
function limitFor({ era }: Revision, mayLoseTheProbe: boolean, tries: readonly Try[]): number {
  const wasSilent = tries.some(({ question, reason }) => question === 'initialize' && reason === 'timeout');
  return wasSilent || (era === 'stateless' && mayLoseTheProbe) ? patience.silence : patience.answer;
}

/** Finding about one revision. */
type Dated = Pick<Try, 'revision'>;

function placeOf({ revision }: Dated): number {
  return revisions.findIndex(({ date }) => date === revision);
}

/** The revisions in the order in which they are tried, newest first; a command begins with `initialize`, at which no server of a session ends. */
function inOrder(isCommand: boolean): readonly Revision[] {
  const newestFirst = revisions.toReversed();
  const first = isCommand ? newestFirst.find(({ era }) => era !== 'stateless') : undefined;
  return first === undefined ? newestFirst : [first, ...newestFirst.filter((one) => one !== first)];
}

/** Tells whether a command ends whatever it is asked: it did before it was asked anything, or at `initialize`. */
function isDead(tries: readonly Try[]): boolean {
  const asked = tries.filter(({ why }) => why !== notStartedAgain && why !== timeOver);
  return (
    asked.every(({ reason }) => reason === 'exited') &&
    asked.some(({ question, why }) => question === 'initialize' || why.endsWith(beforeAsked))
  );
}

function untried({ date, era }: Revision, because: Pick<Try, 'why' | 'over' | 'reason'>): Try {
  const question = era === 'stateless' ? 'server/discover' : 'initialize';
  return { revision: date, question, outcome: 'unknown', ...because, ms: 0, notes: [] };
}

/** Some servers end when they are asked what they do not know; that costs the next try nothing. */
function withRestart(attempt: Try, before: readonly Try[]): Try {
  const isEnd = attempt.reason === 'exited' && !attempt.why.endsWith(beforeAsked);
  const isFirst = isEnd && before.every(({ reason }) => reason !== 'exited');
  return isFirst ? { ...attempt, notes: [...attempt.notes, 'each try starts a process of its own'] } : attempt;
}

function erasOf(spoken: readonly Revision[]): readonly Era[] {
  return [...new Set(spoken.map(({ era }) => era))];
}
