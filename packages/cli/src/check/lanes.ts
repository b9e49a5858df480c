import { listensWithin, restartMs } from './alive.ts';
import type { Bench } from './harness/bench.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { rowOf } from './register.ts';
import type { ProbeRule } from './rule.ts';
import { twice } from './twice.ts';
import type { RuleVerdict } from './verdict.ts';

/** Rules that act, and who hears what they find. */
export interface ProbeRun {
  readonly probes: readonly ProbeRule[];
  /** The revisions to check. */
  readonly among: readonly Revision[];
  found(bench: Bench, rule: ProbeRule, outcome: RuleVerdict): void;
}

/** Rules with a separate conversation run in parallel, over all revisions: over stdio each has a process. */
const apartAtOnce = 4;
/** Number of parallel lanes for a slow server. */
const lanesOfSlow = 8;

/** Rules of one revision that run in sequence, for each of its benches. */
interface Turn {
  readonly bench: Bench;
  readonly waiting: ProbeRule[];
}

/**
 * Judges the rules that do not have to wait for the others. Each revision has a lane, in which its rules take turns, and there are some for
 * those that have a conversation of their own. Where a server is slow, a lane that has nothing left to do helps in the revision that has most,
 * by another conversation.
 */
export async function judgeAlong(benches: readonly Bench[], { probes, among, found }: ProbeRun): Promise<void> {
  const apart: [bench: Bench, rule: ProbeRule][] = [];
  const turns: Turn[] = benches.map((bench) => {
    const due = dueIn(bench, probes, among).filter((rule) => !isLast(bench, rule));
    apart.push(...due.filter((rule) => rule.apart === true).map((rule): [Bench, ProbeRule] => [bench, rule]));
    return { bench, waiting: due.filter((rule) => rule.apart !== true) };
  });
  const run = async (bench: Bench, rule: ProbeRule): Promise<void> => found(bench, rule, await twice(bench, rule));
  const take = async ({ waiting }: Turn, bench: Bench): Promise<void> => {
    for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift()) await run(bench, rule);
  };
  let besides = 0;
  const takeApart = async (): Promise<void> => {
    if (besides >= apartAtOnce) return;
    besides++;
    for (let next = apart.shift(); next !== undefined; next = apart.shift()) await run(...next);
    besides--;
  };
  const help = async (): Promise<void> => {
    for (;;) {
      const [most] = turns
        .filter(({ bench }) => bench.slowMs > 0)
        .toSorted((a, b) => b.waiting.length - a.waiting.length);
      if (most === undefined || most.waiting.length < 2) return;
      await take(most, most.bench.sibling());
    }
  };
  const isSlow = benches.some((bench) => bench.slowMs > 0);
  const others = isSlow ? Math.max(lanesOfSlow - turns.length, 1) : apartAtOnce;
  await allEnded([
    ...turns.map(async (turn) => {
      await take(turn, turn.bench);
      await takeApart();
      await help();
    }),
    ...Array.from({ length: others }, async () => {
      await takeApart();
      await help();
    }),
  ]);
}

/** Runs, in sequence, the rules that need an otherwise idle server. */
export async function judgeLast(benches: readonly Bench[], { probes, among, found }: ProbeRun): Promise<void> {
  const due = benches.flatMap((bench) =>
    dueIn(bench, probes, among)
      .filter((rule) => isLast(bench, rule))
      .map((rule) => ({ bench, rule })),
  );
  const isFirst = ({ rule }: { readonly rule: ProbeRule }): number => Number(rule.lastly ?? false);
  for (const { bench, rule } of due.toSorted((a, b) => isFirst(b) - isFirst(a))) {
    const outcome = await twice(bench, rule);
    found(bench, rule, outcome);
    // A restart in between is in vain if the next rule finds no server.
    if (outcome.verdict === 'breaks' && bench.over !== 'stdio') await listensWithin(bench.http.url, restartMs / 3);
  }
}

/** Rules that are in force in a revision, and judged in it. */
function dueIn({ revision }: Bench, probes: readonly ProbeRule[], among: readonly Revision[]): readonly ProbeRule[] {
  return probes.filter((rule) => {
    const lives = rule.lives ?? rowOf(rule.id).lives;
    return lives(revision) && (rule.once !== true || among.findLast(lives) === revision);
  });
}

/**
 * Tells whether a rule runs alone: if a server at a single address ends, everything stops, and the cause must be known.
 */
function isLast(bench: Bench, { lastly, mayEnd }: ProbeRule): boolean {
  return lastly === true || (mayEnd === true && bench.over !== 'stdio');
}

/** Waits for all, and then fails with the first that failed: nothing goes on when a run is over. */
async function allEnded(all: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(all);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
