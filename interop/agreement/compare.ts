import { requirements } from '../../scripts/registers.ts';
import type { RowVerdict } from '../../packages/cli/src/check/report.ts';
import type { Said } from './judges.ts';

/** What one of the two says and the other does not. */
export interface Difference {
  /** The row or the check of the suite that says so. */
  readonly id: string;
  readonly words: string;
}

/** What was found of a fault, by both. */
export interface Compared {
  /** Rows that `parley check` finds. */
  readonly rows: readonly string[];
  /** Checks of the suite that fail beside those that fail without a fault. */
  readonly checks: readonly string[];
  /** Failing checks that are about no row that `parley check` judges without calling tools. */
  readonly elsewhere: readonly string[];
  readonly differences: readonly Difference[];
}

const checksOf: ReadonlyMap<string, readonly string[]> = new Map(
  requirements()
    .filter(({ side, checks }) => side !== 'client' && checks !== '')
    .map(({ id, checks }) => [id, checks.split(',')]),
);

/** Holds what both say of a faulty server against each other, and against what the suite says of the one without a fault. */
export function compare(said: Said, clean: Said): Compared {
  const failing = [...said.failed].filter(([id, hasFailed]) => hasFailed && clean.failed.get(id) !== true);
  const checks = failing.map(([id]) => id);
  const rows = [...said.rows.values()].filter(isFound).map(({ id }) => id);
  const differences: Difference[] = [];
  const elsewhere: string[] = [];
  for (const check of checks) {
    const about = [...checksOf].flatMap(([id, of]) => (of.includes(check) ? [said.rows.get(id)] : []));
    const judged = about.filter((row) => row !== undefined && row.verdict !== 'not-allowed');
    if (judged.length === 0) elsewhere.push(check);
    // It is about messages of every kind.
    else if (check === 'wire-schema-valid' && rows.length > 0) continue;
    else if (!judged.some((row) => isFound(row) || isFollower(row)))
      differences.push({ id: check, words: `fails, and ${judged.map(wordsOf).join(', ')}` });
  }
  for (const row of rows) {
    const known = (checksOf.get(row) ?? []).filter((check) => said.failed.has(check));
    if (known.length > 0 && !known.some((check) => checks.includes(check)))
      differences.push({ id: row, words: `is found, and ${known.join(', ')} passes` });
  }
  return { rows, checks, elsewhere, differences };
}

function isFound(row: RowVerdict | undefined): boolean {
  return row?.verdict === 'breaks' || row?.verdict === 'differs' || row?.verdict === 'disputed';
}

/** A row that could not be judged for what another row says. */
function isFollower(row: RowVerdict | undefined): boolean {
  return row?.verdict === 'not-judged';
}

function wordsOf(row: RowVerdict | undefined): string {
  return `${row?.id} ${row?.verdict}`;
}
