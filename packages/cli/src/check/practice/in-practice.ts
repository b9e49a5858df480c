import { countsOf } from '../judge.ts';
import type { CheckReport, Finding, RowVerdict, Severity } from '../report.ts';
import { affectedBy, rankOf } from './affected.ts';
import { traitsIn } from './sdk-traits.ts';
import { unusedStatements } from './unused.ts';

/**
 * The report of a server for its author. Statements on which no client relies are notes. Known traits of an SDK are
 * marked. One fault is one finding. The findings that affect most clients come first.
 *
 * @param report The verdict by the letter of the specification, which `--strict` keeps.
 */
export function inPractice(report: CheckReport): CheckReport {
  const traits = traitsIn(report);
  const findings = merged(
    report.findings.map((finding) => {
      const trait = traits.get(finding);
      const unused = unusedStatements.get(finding.id);
      if (trait !== undefined) return { ...finding, severity: 'note' as const, trait };
      return unused === undefined ? finding : { ...finding, severity: 'note' as const, unused };
    }),
  ).map((finding) => (finding.severity === 'note' ? finding : { affects: affectedBy(finding), ...finding }));
  const rows = report.rows.map((row): RowVerdict =>
    row.verdict === 'breaks' && unusedStatements.has(row.id) ? { ...row, verdict: 'differs' } : row,
  );
  return {
    ...report,
    findings: findings.toSorted((a, b) => placeOf(a) - placeOf(b)),
    rows,
    counts: { ...report.counts, ...countsOf(rows) },
  };
}

const severities: readonly Severity[] = ['error', 'warning', 'note'];

function placeOf({ severity, affects = '' }: Finding): number {
  return 10 * severities.indexOf(severity) + Math.max(rankOf(affects), 0);
}

/** Puts findings together that have one cause. The first stands for the others, which it names. */
function merged(findings: readonly Finding[]): readonly Finding[] {
  const causes = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = causeOf(finding);
    causes.set(key, [...(causes.get(key) ?? []), finding]);
  }
  return [...causes.values()].map(together);
}

/** Reason of a refusal that never comes. */
const unanswered = 'it was not answered';

/** Names the cause: a server without error responses breaks a row for each method, and an old statement may have a new id. */
function causeOf({ id, message, why, where = '', known, trait }: Finding): string {
  if (trait !== undefined) return `${trait} ${id}`;
  return JSON.stringify(why === unanswered ? [why, known === true] : [message, why, where, known === true]);
}

function together(findings: readonly Finding[]): Finding {
  // A group has at least the finding that made it.
  const [first, ...others] = findings as readonly [Finding, ...Finding[]];
  if (others.length === 0) return first;
  const revisions = [...new Set(findings.flatMap((one) => one.revisions))].toSorted();
  const also = [...new Set(others.map(({ id }) => id))].filter((id) => id !== first.id);
  return { ...first, ...(first.why === unanswered ? noErrors : {}), revisions, ...(also.length === 0 ? {} : { also }) };
}

/** Words for a server that answers no request that fails: each client waits for its time-out. */
const noErrors: Pick<Finding, 'message' | 'fix' | 'affects'> = {
  message: 'A request that fails is answered with an error',
  fix: 'answer each request: with an error where there is no result',
  affects: 'every client',
};
