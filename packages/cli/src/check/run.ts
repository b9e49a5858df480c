import { after, monotonicNow, settledWithin } from '../../../parley/src/jsonrpc/timeout.ts';
import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import type { Implementation } from '../../../parley/src/protocol/features/common.ts';
import { revisions as published, type Revision } from '../../../parley/src/protocol/revision.ts';
import { unlessAborted } from '../../../parley/src/storage/turns.ts';
import { destructiveIn, type AllowedCall } from './harness/allowed.ts';
import { Harness, excerptOf, type Ground, type ServerAccess } from './harness/harness.ts';
import { inFront, type RawExchange } from './harness/exchange.ts';
import { Budget, Spent, type Bounds } from './harness/limits.ts';
import { rawLines } from './harness/lines.ts';
import { patiently } from './harness/waits/patience.ts';
import { AnswerWaits } from './harness/waits/answer-waits.ts';
import { judgeAlong, judgeLast, type ProbeRun } from './lanes.ts';
import { Recorded } from './recorded.ts';
import type { CheckReport, RevisionSeen } from './report.ts';
import { isProbe, type CheckRule, type ProbeRule, type WatchRule } from './rule.ts';
import { twice } from './twice.ts';
import { NotJudged, type RuleVerdict } from './harness/verdict.ts';
import { Suspects } from './harness/suspects.ts';
import { Watching } from './watching.ts';

/** A run of rules against a server. */
export interface RunOptions {
  readonly info: Implementation;
  readonly way: ServerAccess;
  readonly revisions: readonly Revision[];
  readonly rules: readonly CheckRule[];
  readonly limits: Bounds;
  /** Tools that may be called. */
  readonly calls: readonly AllowedCall[];
  readonly waitTimeoutMs: number;
  /** Longest wait for the answer that opens a conversation. */
  readonly openMs: number;
  readonly quietMs: number;
  /** True if each silence of a process is waited for in full, and not only the first one. */
  readonly isFull?: boolean;
  readonly signal: AbortSignal;
  onSent?(sent: string): void;
}

/** RuleVerdict of one rule in one revision. */
export interface JudgedRule {
  readonly rule: Pick<CheckRule, 'id' | 'message' | 'fix'> | ProbeRule;
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
  /** Number of processes that were started; `undefined` over HTTP. */
  readonly starts?: number;
  readonly wire?: CheckReport['wire'];
  /** Reason for which it ended early. */
  readonly cut?: string;
}

/** Judges a server: opens a conversation in each revision, and runs the rules that are in force in those that it speaks. */
export async function runRules(options: RunOptions): Promise<RunResult> {
  const { rules, info, limits, waitTimeoutMs, openMs, quietMs, calls } = options;
  const late = new AbortController();
  const signal = AbortSignal.any([options.signal, late.signal]);
  const inTime = after(limits.ms, () => late.abort(outOfTime(limits)));
  const budget = new Budget(limits, signal);
  const watching = new Watching(rules.filter((rule): rule is WatchRule => !isProbe(rule)));
  const recorded = new Recorded();
  const suspects = new Suspects();
  const anyway = new Set<string>();
  const silence = new AnswerWaits(options);
  const { way: begun, ended } = await started(options.way, budget, signal);
  const way = patientWay(begun, budget, signal);
  const ground: Ground = {
    info,
    way,
    budget,
    waitTimeoutMs,
    openMs,
    quietMs,
    silence,
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
    unasked: (lines, revision, again) => watching.unasked(lines, revision, again),
  };
  // What the server speaks besides says what is right in the revisions that are judged.
  const harnesses = published.map((revision) => new Harness(revision, ground));
  const gathered: Gathered = { judged: [], seen: [], uncalled: [], among: [] };
  const { judged, seen, uncalled, among } = gathered;
  let cut: string | undefined;
  try {
    if (ended !== undefined) seen.push(...unspoken(options, ended));
    else await unlessAborted(judgeAll(harnesses, { ...options, silence }, gathered), signal);
  } catch (error) {
    if (!(error instanceof Spent)) throw error;
    cut = error.message;
  } finally {
    inTime();
    const unused = way.over === 'stdio' ? (way.started ?? []) : [];
    await Promise.all([...harnesses, ...unused].map((one) => one.close()));
  }
  // What a process says at its very end is judged too, and so is what was said before it was cut short.
  judged.push(...watching.outcomes(among, judged));
  const { report: wire } = recorded;
  const never = uncalled.filter(({ name }) => !anyway.has(name));
  cut ??= tooSoon(judged);
  const more = { ...(cut !== undefined && { cut }), ...(way.over === 'stdio' && { starts: budget.children }) };
  return { revisions: seen, judged, uncalled: never, messages: budget.messages, wire, ...more };
}

function outOfTime({ ms }: Bounds): Spent {
  return new Spent(`it is given no more than ${ms / 60_000} minutes`);
}

/** Time in which a command that cannot run ends by itself as a rule, in milliseconds. */
const ownEndMs = 500;

/**
 * Starts a command for the first conversation, and gives it a moment to end by itself: it would do so in each conversation.
 *
 * @returns The way with that process, or why it ended.
 */
async function started(
  way: ServerAccess,
  budget: Budget,
  signal: AbortSignal,
): Promise<{ readonly way: ServerAccess; readonly ended?: string }> {
  if (way.over !== 'stdio' || signal.aborted) return { way };
  const lines = await rawLines(way.start);
  if (!(await settledWithin(ownEndMs, lines.exited))) return { way: { ...way, started: [lines] } };
  budget.child();
  const why = (await lines.whyEnded(' before it was asked anything')) ?? '';
  await lines.close();
  const hint = why.includes('--env ') ? '' : '; variables of yours are passed on by --env NAME alone';
  return { way, ended: `${why}${hint}` };
}

/** Standing of all revisions at a command that ends. */
function unspoken({ revisions }: RunOptions, why: string): readonly RevisionSeen[] {
  return revisions.map(({ date }) => ({ revision: date, spoken: false, why }));
}

/**
 * Asks a command `initialize` first, which every server with sessions answers: one that ends at it would be started for nothing in each revision.
 *
 * @returns The bench that asked, with what it found, or why the command ended; nothing over HTTP.
 */
async function askedFirst(
  harnesses: readonly Harness[],
): Promise<{ readonly first?: Harness; readonly seen?: RevisionSeen; readonly ended?: string }> {
  const first = harnesses.findLast(
    ({ over, revision }) => over === 'stdio' && revision.clientDescribed !== 'each-request',
  );
  if (first === undefined) return {};
  let end: RawExchange['end'] | undefined;
  const seen = await isSpoken(first, (opening) => (end = opening?.end));
  if (seen.spoken || end !== 'gone') return { first, seen };
  return { ended: `${seen.why ?? ''}; it ended at initialize and was not started again` };
}

/** Words for what was not waited for, where rows could not be judged for that. */
function tooSoon(judged: readonly JudgedRule[]): string | undefined {
  const needed = judged.flatMap(({ outcome }) =>
    'neededMs' in outcome && outcome.neededMs !== undefined ? [outcome.neededMs] : [],
  );
  if (needed.length === 0) return undefined;
  return `answers were not waited for as long as the server may need: --timeout ${Math.max(...needed)} does`;
}

/** Way to a server that may say that it is busy. */
function patientWay(way: ServerAccess, budget: Budget, signal: AbortSignal): ServerAccess {
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
  harnesses: readonly Harness[],
  options: RunOptions & { readonly silence: AnswerWaits },
  { judged, seen, uncalled, among }: Gathered,
): Promise<void> {
  const { revisions, rules, calls, silence } = options;
  const asked = await askedFirst(harnesses);
  if (asked.ended !== undefined) return void seen.push(...unspoken(options, asked.ended));
  const isChosen = ({ revision }: Harness): boolean => revisions.includes(revision);
  const tookMs: number[] = [];
  const found = await Promise.all(
    harnesses.map(async (harness, at) => {
      const began = monotonicNow();
      const one = harness === asked.first && asked.seen !== undefined ? asked.seen : await isSpoken(harness);
      tookMs[at] = monotonicNow() - began;
      return one;
    }),
  );
  seen.push(...found.filter(({ revision }) => revisions.some(({ date }) => date === revision)));
  const speaking = harnesses.filter((_, at) => found[at]?.spoken === true);
  const spoken = speaking.map(({ revision }) => revision);
  const judging = speaking.filter(isChosen);
  among.push(...judging.map(({ revision }) => revision));
  const closed = harnesses.filter((harness, at) => found[at]?.isClosed === true && isChosen(harness));
  const offers = calls.length === 0 ? [] : await Promise.all(speaking.map((harness) => orWhy(harness.offer())));
  const destructive = new Set(offers.flatMap((offer) => (typeof offer === 'string' ? [] : destructiveIn(offer))));
  const answerMs = await answerTime(
    judging[0],
    found.flatMap((one, at) => (one.spoken ? [tookMs[at] ?? 0] : [])),
  );
  await Promise.all(
    judging.map(async (harness) => {
      harness.spoken = spoken;
      harness.destructive = destructive;
      if (answerMs >= slowMs && harness.over === 'http') harness.takeTime(answerMs);
      const revision = harness.revision.date;
      const allowed = calls.length === 0 ? [] : await orWhy(harness.allowed());
      if (typeof allowed === 'string') uncalled.push(...calls.map(({ name }) => ({ name, revision, why: allowed })));
      else for (const one of allowed) if ('why' in one) uncalled.push({ name: one.name, revision, why: one.why });
    }),
  );
  const acting: ProbeRun = {
    probes: rules.filter(isProbe),
    among,
    found: ({ revision }, rule, outcome) => void judged.push({ revision, rule, outcome }),
  };
  await judgeAlong(judging, acting);
  await judgeLast(judging, acting);
  await judgeLate(judging, judged, silence);
  await judgeAlong(closed, { ...acting, probes: acting.probes.filter((rule) => rule.closed) });
}

/** Runs the probes again whose verdict rests on a silence, if the server turned out to be slow: now each wait is in full. */
async function judgeLate(judging: readonly Harness[], judged: JudgedRule[], silence: AnswerWaits): Promise<void> {
  if (!silence.isLate) return;
  for (const [at, { rule, revision, outcome }] of judged.entries()) {
    const harness = judging.find((one) => one.revision === revision);
    if (harness === undefined || !('probe' in rule) || !isOfSilence(outcome)) continue;
    harness.forget();
    judged[at] = { rule, revision, outcome: await twice(harness, rule) };
  }
}

function isOfSilence(outcome: RuleVerdict): boolean {
  if (outcome.verdict === 'breaks') return outcome.exchange.end === 'silent';
  return outcome.verdict === 'not-judged' && outcome.why.endsWith('silence');
}

/** Time to open a conversation, in milliseconds, from which on a server is one whose answers are waited for side by side. */
const slowMs = 1_000;

/** Time of the quickest answer, in milliseconds: where all that opened a conversation were slow, one more is waited for, since a server may only have been starting. */
async function answerTime(harness: Harness | undefined, openingMs: readonly number[]): Promise<number> {
  const quickest = Math.min(...openingMs);
  if (harness === undefined || harness.over !== 'http' || quickest < slowMs) return quickest;
  const began = monotonicNow();
  // Who gives no result is as slow as it was.
  const why = await orWhy(harness.shared().then((probeClient) => harness.works(probeClient, harness.harmless)));
  return typeof why === 'string' ? quickest : Math.min(quickest, monotonicNow() - began);
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

async function isSpoken(harness: Harness, opened?: (opening: RawExchange | undefined) => void): Promise<RevisionSeen> {
  const { date } = harness.revision;
  const probeClient = await harness.unopened();
  const isOpen = await probeClient.open();
  const { opening } = probeClient;
  opened?.(opening);
  if (isOpen) {
    harness.adopt(probeClient);
    return { revision: date, spoken: true };
  }
  await harness.end(probeClient);
  if (await isPair(harness, opening)) return { revision: date, spoken: true, over: 'sse' };
  if (opening?.status === 401) return { revision: date, spoken: false, isClosed: true, why: wantsToken(opening) };
  const front = opening === undefined ? undefined : inFront(opening);
  return { revision: date, spoken: false, why: front ?? namedInstead(opening?.result) ?? strange(opening) };
}

/** Words for an answer that opened nothing; of one that is no message it is asked whether the URL is right. */
function strange(opening: RawExchange | undefined): string {
  const { status, headers = {}, messages = [], text = '' } = opening ?? {};
  const isMessage = messages.flat().some((one) => isObject(one) && one['jsonrpc'] !== undefined);
  if (status === undefined || isMessage || !(status < 300 || status === 404 || status === 405))
    return excerptOf(opening);
  const type = headers['content-type'] ?? 'no type';
  const isPage = /^text\/html/i.test(type);
  if (status < 300 && !/^(application\/json|text\/event-stream)\b/i.test(type) && /"jsonrpc"/.test(text))
    return `${excerptOf(opening)}; it is of ${type.slice(0, 100)}, where a client takes application/json and text/event-stream alone (http-017)`;
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
async function isPair(harness: Harness, refusal: RawExchange | undefined): Promise<boolean> {
  const { status = 0 } = refusal ?? {};
  if (harness.revision.http !== 'sse-pair' || harness.over !== 'http' || ![400, 404, 405].includes(status))
    return false;
  harness.usePair();
  const probeClient = await harness.unopened();
  if (probeClient.pair?.endpoint !== undefined && (await probeClient.open())) {
    harness.adopt(probeClient);
    return true;
  }
  await harness.end(probeClient);
  return false;
}

function wantsToken(opening: RawExchange): string {
  return `it wants a token, or another one: ${excerptOf(opening)}`;
}
