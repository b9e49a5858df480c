import { after, monotonicNow } from '../jsonrpc/timeout.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { Implementation } from '../protocol/features/common.ts';
import { revisions as published, type Revision } from '../protocol/revision.ts';
import { unlessAborted } from '../store/turns.ts';
import { destructiveIn, type AllowedCall } from './bench/allowed.ts';
import { Bench, excerptOf, type Ground, type Way } from './bench/bench.ts';
import { inFront, type Exchanged } from './bench/exchange.ts';
import { listensWithin, restartMs } from './bench/alive.ts';
import { Budget, Places, Spent, type Bounds } from './bench/limits.ts';
import { patiently } from './bench/patience.ts';
import { Recorded } from './recorded.ts';
import type { CheckReport, RevisionSeen } from './report.ts';
import { rowOf } from './register.ts';
import { isProbe, type ProbeRule, type CheckRule, type WatchRule } from './rule.ts';
import {
  NotAllowed,
  NotApplicable,
  NotJudged,
  SessionLost,
  notApplicable,
  notJudged,
  type RuleVerdict,
} from './verdict.ts';
import { Suspects } from './suspects.ts';
import { Watching } from './watching.ts';

/** A run of rules against a server. */
export interface RunOptions {
  readonly info: Implementation;
  readonly way: Way;
  readonly revisions: readonly Revision[];
  readonly rules: readonly CheckRule[];
  readonly limits: Bounds;
  /** Tools that may be called. */
  readonly calls: readonly AllowedCall[];
  readonly waitMs: number;
  /** Longest wait for the answer that opens a conversation. */
  readonly openMs: number;
  readonly quietMs: number;
  readonly signal: AbortSignal;
  onSent?(sent: string): void;
}

/** RuleVerdict of one rule in one revision. */
export interface JudgedRule {
  readonly rule: Pick<CheckRule, 'id' | 'words' | 'mend'>;
  readonly revision: Revision;
  readonly outcome: RuleVerdict;
}

/** Findings of a run. */
export interface RunResult {
  readonly revisions: readonly RevisionSeen[];
  readonly judged: readonly JudgedRule[];
  /** Tools that were allowed and not called. */
  readonly uncalled?: CheckReport['uncalled'];
  readonly messages: number;
  readonly wire?: CheckReport['wire'];
  /** Reason for which it ended early. */
  readonly cut?: string;
}

/** Judges a server: opens a conversation in each revision, and runs the rules that are in force in those that it speaks. */
export async function runRules(options: RunOptions): Promise<RunResult> {
  const { rules, info, limits, waitMs, openMs, quietMs, calls } = options;
  const late = new AbortController();
  const signal = AbortSignal.any([options.signal, late.signal]);
  const inTime = after(limits.ms, () =>
    late.abort(new Spent(`it is given no more than ${limits.ms / 60_000} minutes`)),
  );
  const budget = new Budget(limits, signal);
  const watching = new Watching(rules.filter((rule): rule is WatchRule => !isProbe(rule)));
  const recorded = new Recorded();
  const suspects = new Suspects();
  const anyway = new Set<string>();
  const way = patientWay(options.way, budget, signal);
  const ground: Ground = {
    info,
    way,
    budget,
    waitMs,
    openMs,
    quietMs,
    calls,
    suspects,
    heard(exchange, about) {
      options.onSent?.(exchange.sent);
      recorded.add(exchange, about.revision);
      watching.heard(exchange, about);
      suspects.heard(exchange, about.request);
    },
    told(exchange, revision) {
      options.onSent?.(exchange.sent);
      recorded.add(exchange, revision);
    },
    calledAnyway: (name) => void anyway.add(name),
    unasked: (lines, revision) => watching.unasked(lines, revision),
  };
  // What the server speaks besides says what is right in the revisions that are judged.
  const benches = published.map((revision) => new Bench(revision, ground));
  const judged: JudgedRule[] = [];
  const seen: RevisionSeen[] = [];
  const uncalled: CheckReport['uncalled'][number][] = [];
  const among: Revision[] = [];
  let cut: string | undefined;
  try {
    await unlessAborted(judgeAll(benches, options, { judged, seen, uncalled, among }), signal);
  } catch (error) {
    if (!(error instanceof Spent)) throw error;
    cut = error.message;
  } finally {
    inTime();
    await Promise.all(benches.map((bench) => bench.close()));
  }
  // What a process says at its very end is judged too, and so is what was said before it was cut short.
  judged.push(...watching.outcomes(among, judged));
  const { report: wire } = recorded;
  const never = uncalled.filter(({ name }) => !anyway.has(name));
  const { messages } = budget;
  return { revisions: seen, judged, uncalled: never, messages, wire, ...(cut !== undefined && { cut }) };
}

/** Way to a server that may say that it is busy. */
function patientWay(way: Way, budget: Budget, signal: AbortSignal): Way {
  if (way.over !== 'http') return way;
  return { over: 'http', http: patiently(way.http, { room: () => budget.message(), signal }) };
}

/** Findings that grow while a run goes on. */
interface Gathered {
  readonly judged: JudgedRule[];
  readonly seen: RevisionSeen[];
  readonly uncalled: CheckReport['uncalled'][number][];
  /** The revisions that are spoken, of those that are judged. */
  readonly among: Revision[];
}

/** Runs the rules that act. */
async function judgeAll(
  benches: readonly Bench[],
  { revisions, rules, calls }: RunOptions,
  { judged, seen, uncalled, among }: Gathered,
): Promise<void> {
  const isChosen = ({ revision }: Bench): boolean => revisions.includes(revision);
  const found = await Promise.all(benches.map(isSpoken));
  seen.push(...found.filter(({ revision }) => revisions.some(({ date }) => date === revision)));
  const speaking = benches.filter((_, at) => found[at]?.spoken === true);
  const spoken = speaking.map(({ revision }) => revision);
  const judging = speaking.filter(isChosen);
  among.push(...judging.map(({ revision }) => revision));
  const probes = rules.filter(isProbe);
  const places = new Places(mostAtOnce);
  const closed = benches.filter((bench, at) => found[at]?.isClosed === true && isChosen(bench));
  const offers = calls.length === 0 ? [] : await Promise.all(speaking.map((bench) => orWhy(bench.offer())));
  const destructive = new Set(offers.flatMap((offer) => (typeof offer === 'string' ? [] : destructiveIn(offer))));
  const tell = (bench: Bench) => (one: Found) => void judged.push({ revision: bench.revision, ...one });
  await Promise.all(
    judging.map(async (bench) => {
      bench.spoken = spoken;
      bench.destructive = destructive;
      const revision = bench.revision.date;
      const allowed = calls.length === 0 ? [] : await orWhy(bench.allowed());
      if (typeof allowed === 'string') uncalled.push(...calls.map(({ name }) => ({ name, revision, why: allowed })));
      else for (const one of allowed) if ('why' in one) uncalled.push({ name: one.name, revision, why: one.why });
      await judge(bench, { probes, among, places }, tell(bench));
    }),
  );
  for (const bench of judging) await judgeLast(bench, { probes, among, places }, tell(bench));
  const ofClosed = probes.filter((rule) => rule.closed);
  await Promise.all(closed.map((bench) => judge(bench, { probes: ofClosed, among, places }, tell(bench))));
}

/** Result of a look before rules are judged, or why there is none: those say so themselves. */
async function orWhy<T>(finding: Promise<T>): Promise<T | string> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof NotJudged) return error.message;
    throw error;
  }
}

async function isSpoken(bench: Bench): Promise<RevisionSeen> {
  const { date } = bench.revision;
  const speaker = await bench.unopened();
  const isOpen = await speaker.open();
  const { opening } = speaker;
  if (isOpen) {
    bench.adopt(speaker);
    return { revision: date, spoken: true };
  }
  await bench.end(speaker);
  if (await isPair(bench, opening)) return { revision: date, spoken: true, over: 'sse' };
  if (opening?.status === 401) return { revision: date, spoken: false, isClosed: true, why: wantsToken(opening) };
  const front = opening === undefined ? undefined : inFront(opening);
  return { revision: date, spoken: false, why: front ?? namedInstead(opening?.result) ?? strange(opening) };
}

/** Words for an answer that opened nothing; of one that is no message it is asked whether the URL is right. */
function strange(opening: Exchanged | undefined): string {
  const { status, headers = {}, messages = [] } = opening ?? {};
  const isMessage = messages.flat().some((one) => isObject(one) && one['jsonrpc'] !== undefined);
  if (status === undefined || isMessage || !(status < 300 || status === 404 || status === 405))
    return excerptOf(opening);
  const isPage = /^text\/html/i.test(headers['content-type'] ?? '');
  return `${isPage ? `HTTP ${status} with a page of HTML` : excerptOf(opening)}; is it the URL of an MCP server?`;
}

/** Revisions that an answer names in the place of the one that was asked for, in words. */
function namedInstead(result: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const { supportedVersions, protocolVersion } = result ?? {};
  if (Array.isArray(supportedVersions))
    return `server/discover names ${supportedVersions.length === 0 ? 'no revision' : supportedVersions.join(', ').slice(0, 200)}`;
  return typeof protocolVersion === 'string'
    ? `initialize is answered with ${protocolVersion.slice(0, 200)}`
    : undefined;
}

/** Looks for a stream that names an endpoint, as clients of the revision do. (Spec 2025-11-25, Transports, Backwards Compatibility.) */
async function isPair(bench: Bench, refusal: Exchanged | undefined): Promise<boolean> {
  const { status = 0 } = refusal ?? {};
  if (bench.revision.http !== 'sse-pair' || bench.over !== 'http' || ![400, 404, 405].includes(status)) return false;
  bench.usePair();
  const speaker = await bench.unopened();
  if (speaker.pair?.endpoint !== undefined && (await speaker.open())) {
    bench.adopt(speaker);
    return true;
  }
  await bench.end(speaker);
  return false;
}

function wantsToken(opening: Exchanged): string {
  return `it wants a token, or another one: ${excerptOf(opening)}`;
}

type Found = Omit<JudgedRule, 'revision'>;

/** Rules that act, and the revisions in which they are judged. */
interface Judging {
  readonly probes: readonly ProbeRule[];
  readonly among: readonly Revision[];
  /** Places of those that are judged while others are. */
  readonly places: Places;
}

/** Rules that have a conversation of their own and are judged at once, over all revisions: over stdio each has a process. */
const mostAtOnce = 4;

async function judge(bench: Bench, { probes, among, places }: Judging, found: (judged: Found) => void): Promise<void> {
  const due = dueIn(bench, probes, among).filter((rule) => !isLast(bench, rule));
  const run = async (rule: ProbeRule): Promise<void> => {
    found({ rule, outcome: await twice(bench, rule) });
  };
  const inTurn = async (rules: readonly ProbeRule[]): Promise<void> => {
    for (const rule of rules) await run(rule);
  };
  const isApart = (rule: ProbeRule): boolean => rule.apart === true;
  const apart = due.filter(isApart).map((rule) => places.take(() => run(rule)));
  await allEnded([inTurn(due.filter((rule) => !isApart(rule))), ...apart]);
}

/** Rules that are in force in a revision, and judged in it. */
function dueIn({ revision }: Bench, probes: readonly ProbeRule[], among: readonly Revision[]): readonly ProbeRule[] {
  return probes.filter((rule) => {
    const lives = rule.lives ?? rowOf(rule.id).lives;
    return lives(revision) && (rule.once !== true || among.findLast(lives) === revision);
  });
}

/** Tells what is judged when nothing else is sent: one server at an address that ends takes all with it, and what ended it is to be told. */
function isLast(bench: Bench, { lastly, mayEnd }: ProbeRule): boolean {
  return lastly === true || (mayEnd === true && bench.over !== 'stdio');
}

async function judgeLast(bench: Bench, { probes, among }: Judging, found: (judged: Found) => void): Promise<void> {
  const due = dueIn(bench, probes, among).filter((rule) => isLast(bench, rule));
  for (const rule of due.toSorted((a, b) => Number(b.lastly ?? false) - Number(a.lastly ?? false))) {
    const outcome = await twice(bench, rule);
    found({ rule, outcome });
    // Whoever restarts it does so in vain where the next one finds nobody.
    if (outcome.verdict === 'breaks' && bench.over !== 'stdio') await listensWithin(bench.http.url, restartMs / 3);
  }
}

/** Waits for all, and then fails with the first that failed: nothing goes on when a run is over. */
async function allEnded(all: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(all);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Runs a rule; what is found broken is looked at once more, in new conversations: what does not come again was no fault of the server. */
async function twice(bench: Bench, rule: ProbeRule): Promise<RuleVerdict> {
  const first = await once(bench, rule);
  if (first.verdict !== 'breaks' || rule.lastly === true) return first;
  bench.forget();
  // Who restarts it may have been about to: it has to end once more.
  if (rule.mayEnd === true && !(await comesBack(bench))) return first;
  const second = await once(bench, rule);
  return second.verdict === 'breaks' ? second : notJudged(`it was broken once (${first.why}), and not the next time`);
}

/** Waits for a server that may have ended, for as long as a restart takes. @returns Whether a conversation was opened. */
async function comesBack(bench: Bench): Promise<boolean> {
  const end = monotonicNow() + restartMs;
  for (;;) {
    if (bench.over !== 'stdio' && !(await listensWithin(bench.http.url, end - monotonicNow()))) return false;
    const speaker = await bench.unopened();
    const isOpen = await speaker.open();
    await bench.end(speaker);
    if (isOpen || bench.over === 'stdio' || monotonicNow() >= end) return isOpen;
    await speaker.rest(bench.quietMs);
  }
}

async function once(bench: Bench, rule: ProbeRule, isAgain = false): Promise<RuleVerdict> {
  if (rule.over !== undefined && rule.over !== bench.over) return notApplicable(`it is about ${rule.over}`);
  try {
    if (rule.needs !== undefined && (await bench.offer()).capabilities[rule.needs] === undefined)
      return notApplicable(`the server does not declare ${rule.needs}`);
    const again = async (): Promise<unknown> => {
      bench.forget();
      return await once(bench, rule);
    };
    const outcome = await bench.suspects.during({ ...rule, again }, () => rule.probe(bench));
    // A connection that breaks is no answer of something else where the server may have ended.
    const isEnd = rule.mayEnd === true && outcome.verdict === 'breaks' && outcome.exchange.status === undefined;
    if (outcome.verdict !== 'breaks' || isEnd) return outcome;
    // Nobody knows how it goes on: it may be right, and long.
    const { exchange } = outcome;
    const unread = exchange.end === 'limit' && exchange.messages.length === 0 ? excerptOf(exchange) : undefined;
    const front = inFront(exchange) ?? unread;
    return front === undefined ? outcome : notJudged(front);
  } catch (error) {
    if (error instanceof NotApplicable) return notApplicable(error.message);
    if (error instanceof NotAllowed) return { verdict: 'not-allowed', why: error.message };
    if (error instanceof SessionLost && !isAgain) return await once(bench, rule, true);
    if (error instanceof NotJudged) return notJudged(error.message);
    throw error;
  }
}
