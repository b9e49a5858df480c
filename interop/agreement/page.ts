import type { Compared } from './compare.ts';
import { reasonFor } from './read.ts';

/** The results of both for one fault at one revision. */
export interface Agreement extends Compared {
  readonly fault: string;
  /** The row that the fault breaks. */
  readonly row: string;
  readonly revision: string;
}

const intro = `# Agreement of \`parley check\` and the official suite

\`npm run lab -- interop:agreement\` wrote this page. The run adds each fault of \`test/check/faults.ts\` to the server
that the official suite tests. It covers the two revisions that have required scenarios in the suite. \`parley check\`
tests the server without calls of tools. The suite runs its required scenarios. In the server without a fault, neither
finds anything.

If only one of the two finds a fault, both were examined. The reasons are below. A run with another difference fails.`;

/** Writes the page. */
export function agreementPage(found: readonly Agreement[]): string {
  const judged = found.filter(({ rows, checks }) => rows.length + checks.length > 0);
  const silent = found.filter(({ fault, rows, checks }) => fault !== 'none' && rows.length + checks.length === 0);
  const reasons = judged.flatMap(({ fault, revision, differences }) => {
    const why = differences.map(({ id }) => reasonFor(fault, id) ?? 'Not read yet.');
    return [...new Set(why)].map((reason) => {
      const all = differences.filter((_, at) => why[at] === reason).map(({ id, words }) => `${id} ${words}`);
      return `- ${fault}, ${revision}: ${all.join('; ')}. ${reason}`;
    });
  });
  return `${[
    intro,
    table(judged),
    '## Differences',
    reasons.join('\n'),
    `## Not found by either\n\n${silent.length} of ${found.length - 2} runs: the fault is valid behaviour at that revision.`,
  ].join('\n\n')}\n`;
}

function table(judged: readonly Agreement[]): string {
  const lines = judged.map(
    (one) => `| ${one.fault} | ${one.revision} | ${some(one.rows)} | ${some(one.checks)} | ${verdictOf(one)} |`,
  );
  return [
    '| Fault | Revision | Rules of parley check | Checks of the suite | |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function verdictOf({ rows, checks, differences }: Agreement): string {
  if (differences.length > 0) return 'differ, see below';
  if (checks.length === 0) return 'the suite has no check for it';
  return rows.length === 0 ? 'no rule that works without a call' : 'agree';
}

/** A few names; what is wrong with every error fails most checks. */
function some(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}
