import type { Implementation } from '../protocol/features/common.ts';
import type { Revision } from '../protocol/revision.ts';
import { Bench, excerptOf, type Ground, type Way } from './bench/bench.ts';
import { inFront } from './bench/exchange.ts';
import { Budget, Spent, type Bounds } from './bench/limits.ts';
import type { RevisionSeen } from './report.ts';
import { rowOf } from './register.ts';
import { isProbe, type ProbeRule, type CheckRule, type WatchRule } from './rule.ts';
import { NotJudged, notApplicable, notJudged, type RuleVerdict } from './verdict.ts';
import { Watching } from './watching.ts';

/** A run of rules against a server. */
export interface RunOptions {
  readonly info: Implementation;
  readonly way: Way;
  readonly revisions: readonly Revision[];
  readonly rules: readonly CheckRule[];
  readonly limits: Bounds;
  readonly waitMs: number;
  readonly quietMs: number;
  readonly signal: AbortSignal;
}

/** RuleVerdict of one rule in one revision. */
export interface JudgedRule {
  readonly rule: CheckRule;
  readonly revision: Revision;
  readonly outcome: RuleVerdict;
}

/** Findings of a run. */
export interface RunResult {
  readonly revisions: readonly RevisionSeen[];
  readonly judged: readonly JudgedRule[];
  readonly messages: number;
  /** Reason for which it ended early. */
  readonly cut?: string;
}

/** Judges a server: opens a conversation in each revision, and runs the rules that are in force in those that it speaks. */
export async function runRules(options: RunOptions): Promise<RunResult> {
  const { way, rules, signal, info, limits, waitMs, quietMs } = options;
  const budget = new Budget(limits, signal);
  const watching = new Watching(rules.filter((rule): rule is WatchRule => !isProbe(rule)));
  const ground: Ground = {
    info,
    way,
    budget,
    waitMs,
    // A process may load for long; what is silent at once stays so for all that come after.
    openMs: Math.max(waitMs, 30_000),
    quietMs,
    heard: (exchange, about) => watching.heard(exchange, about),
    unasked: (lines, revision) => watching.unasked(lines, revision),
  };
  const seen: RevisionSeen[] = [];
  const judged: JudgedRule[] = [];
  let cut: string | undefined;
  await Promise.all(
    options.revisions.map(async (revision) => {
      const bench = new Bench(revision, ground);
      try {
        seen.push(await spoken(bench));
        if (seen.some((one) => one.revision === revision.date && one.spoken))
          await judge(bench, rules.filter(isProbe), (found) => judged.push({ revision, ...found }));
      } catch (error) {
        if (!(error instanceof Spent)) throw error;
        cut = error.message;
      } finally {
        await bench.close();
      }
    }),
  );
  const order = options.revisions.map(({ date }) => date as string);
  seen.sort((a, b) => order.indexOf(a.revision) - order.indexOf(b.revision));
  const spokenOnes = options.revisions.filter(({ date }) =>
    seen.some(({ revision, spoken: is }) => is && revision === date),
  );
  judged.push(...watching.outcomes(spokenOnes));
  return { revisions: seen, judged, messages: budget.messages, ...(cut === undefined ? {} : { cut }) };
}

async function spoken(bench: Bench): Promise<RevisionSeen> {
  const { date } = bench.revision;
  const speaker = await bench.unopened();
  const isSpoken = await speaker.open();
  const { opening } = speaker;
  if (isSpoken) {
    bench.adopt(speaker);
    return { revision: date, spoken: true };
  }
  await bench.end(speaker);
  const front = opening === undefined ? undefined : inFront(opening);
  return { revision: date, spoken: false, why: front ?? excerptOf(opening) };
}

type Found = Omit<JudgedRule, 'revision'>;

async function judge(bench: Bench, probes: readonly ProbeRule[], found: (judged: Found) => void): Promise<void> {
  for (const rule of probes) {
    const { lives = rowOf(rule.id).lives } = rule;
    if (!lives(bench.revision)) continue;
    const outcome = await twice(bench, rule);
    found({ rule, outcome });
  }
}

/** Runs a rule; what is found broken is looked at once more, in new conversations: what does not come again was no fault of the server. */
async function twice(bench: Bench, rule: ProbeRule): Promise<RuleVerdict> {
  const first = await once(bench, rule);
  if (first.verdict !== 'breaks') return first;
  const second = await once(bench, rule);
  return second.verdict === 'breaks' ? second : notJudged(`it was broken once (${first.why}), and not the next time`);
}

async function once(bench: Bench, rule: ProbeRule): Promise<RuleVerdict> {
  if (rule.over !== undefined && rule.over !== bench.over) return notApplicable(`it is about ${rule.over}`);
  try {
    if (rule.needs !== undefined && (await bench.offer()).capabilities[rule.needs] === undefined)
      return notApplicable(`the server does not declare ${rule.needs}`);
    const outcome = await rule.probe(bench);
    const front = outcome.verdict === 'breaks' ? inFront(outcome.exchange) : undefined;
    return front === undefined ? outcome : notJudged(front);
  } catch (error) {
    if (error instanceof NotJudged) return notJudged(error.message);
    throw error;
  }
}
