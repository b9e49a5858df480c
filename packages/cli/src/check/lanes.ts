import { listensWithin, restartMs } from './alive.ts';
import type { Harness } from './harness/harness.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import { rowOf } from './register.ts';
import type { ProbeRule } from './rule.ts';
import { twice } from './twice.ts';
import type { RuleVerdict } from './harness/verdict.ts';

/** Rules that act, and who hears what they find. */
export interface ProbeRun {
  readonly probes: readonly ProbeRule[];
  /** The revisions to check. */
  readonly among: readonly Revision[];
  found(harness: Harness, rule: ProbeRule, outcome: RuleVerdict): void;
}

/** Rules with a separate conversation run in parallel, over all revisions: over stdio each has a process. */
const apartAtOnce = 4;
/** Number of parallel lanes for a slow server. */
const lanesOfSlow = 8;

/** Rules of one revision that run in sequence, for each of its benches. */
interface Turn {
  readonly harness: Harness;
  readonly waiting: ProbeRule[];
}

/**
 * Judges the rules that do not have to wait for the others. Each revision has a lane, in which its rules take turns, and there are some for
 * those that have a conversation of their own. Where a server is slow, a lane that has nothing left to do helps in the revision that has most,
 * by another conversation.
 */
export async function judgeAlong(harnesses: readonly Harness[], { probes, among, found }: ProbeRun): Promise<void> {
  const apart: [harness: Harness, rule: ProbeRule][] = [];
  const turns: Turn[] = harnesses.map((harness) => {
    const due = dueIn(harness, probes, among).filter((rule) => !isLast(harness, rule));
    apart.push(...due.filter((rule) => rule.apart === true).map((rule): [Harness, ProbeRule] => [harness, rule]));
    return { harness, waiting: due.filter((rule) => rule.apart !== true) };
  });
  const run = async (harness: Harness, rule: ProbeRule): Promise<void> =>
    found(harness, rule, await twice(harness, rule));
  const take = async ({ waiting }: Turn, harness: Harness): Promise<void> => {
    for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift()) await run(harness, rule);
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
        .filter(({ harness }) => harness.slowMs > 0)
        .toSorted((a, b) => b.waiting.length - a.waiting.length);
      if (most === undefined || most.waiting.length < 2) return;
      await take(most, most.harness.sibling());
    }
  };
  const isSlow = harnesses.some((harness) => harness.slowMs > 0);
  const others = isSlow ? Math.max(lanesOfSlow - turns.length, 1) : apartAtOnce;
  await allEnded([
    ...turns.map(async (turn) => {
      await take(turn, turn.harness);
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
export async function judgeLast(harnesses: readonly Harness[], { probes, among, found }: ProbeRun): Promise<void> {
  const due = harnesses.flatMap((harness) =>
    dueIn(harness, probes, among)
      .filter((rule) => isLast(harness, rule))
      .map((rule) => ({ harness, rule })),
  );
  const isFirst = ({ rule }: { readonly rule: ProbeRule }): number => Number(rule.lastly ?? false);
  for (const { harness, rule } of due.toSorted((a, b) => isFirst(b) - isFirst(a))) {
    const outcome = await twice(harness, rule);
    found(harness, rule, outcome);
    // A restart in between is in vain if the next rule finds no server.
    if (outcome.verdict === 'breaks' && harness.over !== 'stdio') await listensWithin(harness.http.url, restartMs / 3);
  }
}

/** Rules that are in force in a revision, and judged in it. */
function dueIn({ revision }: Harness, probes: readonly ProbeRule[], among: readonly Revision[]): readonly ProbeRule[] {
  return probes.filter((rule) => {
    const lives = rule.lives ?? rowOf(rule.id).lives;
    return lives(revision) && (rule.once !== true || among.findLast(lives) === revision);
  });
}

/**
 * Tells whether a rule runs alone: if a server at a single address ends, everything stops, and the cause must be known.
 */
function isLast(harness: Harness, { lastly, mayEnd }: ProbeRule): boolean {
  return lastly === true || (mayEnd === true && harness.over !== 'stdio');
}

/** Waits for all, and then fails with the first that failed: nothing goes on when a run is over. */
async function allEnded(all: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(all);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
