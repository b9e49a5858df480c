import { disputes } from './disputes.ts';
import type { Finding, CheckReport, RowVerdict, Severity } from './report.ts';
import { pageOf, rowOf } from './register.ts';
import type { Revision } from '../../../parley/src/protocol/revision.ts';
import type { BrokenPlace } from './harness/verdict.ts';
import type { JudgedRule, RunResult } from './run.ts';
import { excerptOf } from './harness/harness.ts';

/** Parts of a report beside what a run found. */
export type Subject = Pick<CheckReport, 'tool' | 'target' | 'transport' | 'side' | 'missing'>;

/** Makes the report of a run: a finding for each row and reason, whatever the number of revisions. */
export function reportOf(
  subject: Subject,
  { revisions, judged, uncalled = [], messages, starts, wire, cut }: RunResult,
): CheckReport {
  const findings = new Map<string, Finding>();
  for (const one of judged) {
    for (const finding of findingsOf(one)) {
      const key = `${finding.id} ${finding.where ?? ''}`;
      const known = findings.get(key);
      findings.set(
        key,
        known === undefined ? finding : { ...known, revisions: [...known.revisions, ...finding.revisions].toSorted() },
      );
    }
  }
  const rows = judged
    .map(verdictOf)
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.revision < b.revision ? -1 : 1));
  return {
    ...subject,
    revisions,
    counts: { ...countsOf(rows), messages, ...(starts !== undefined && { starts }) },
    findings: [...findings.values()].toSorted(
      (a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || (a.id < b.id ? -1 : 1),
    ),
    uncalled,
    rows,
    ...(wire === undefined ? {} : { wire }),
    ...(cut === undefined ? {} : { cut }),
  };
}

const order: readonly Severity[] = ['error', 'warning', 'note'];

function severityOf(level: string): Severity {
  if (level === 'note') return 'note';
  return level.startsWith('MUST') ? 'error' : 'warning';
}

function findingsOf({ rule, revision, outcome }: JudgedRule): readonly Finding[] {
  if (outcome.verdict !== 'breaks') return [];
  return [outcome, ...(outcome.more ?? [])].map((place) => findingAt(place, rule, revision));
}

function findingAt(
  { why, where, exchange, disputed: said }: BrokenPlace,
  { id, message: words, fix }: JudgedRule['rule'],
  revision: Revision,
): Finding {
  const row = rowOf(id);
  const source = pageOf(row);
  const disputed = said ?? disputes.get(id);
  return {
    id,
    severity: disputed === undefined ? severityOf(row.level) : 'note',
    level: row.level,
    revisions: [revision.date],
    message: words,
    why,
    ...(where === undefined ? {} : { where }),
    sent: exchange.sent,
    came: excerptOf(exchange),
    fix,
    ...(source === undefined ? {} : { source }),
    ...(disputed === undefined ? {} : { disputed }),
  };
}

function verdictOf({ rule: { id }, revision, outcome }: JudgedRule): RowVerdict {
  const { verdict } = outcome;
  const reason =
    verdict === 'breaks'
      ? { why: [outcome, ...(outcome.more ?? [])].map(({ why }) => why).join('; ') }
      : 'why' in outcome
        ? { why: outcome.why }
        : {};
  const isDisputed =
    verdict === 'breaks' &&
    (disputes.has(id) || [outcome, ...(outcome.more ?? [])].every(({ disputed }) => disputed !== undefined));
  if (isDisputed) return { id, revision: revision.date, verdict: 'disputed', ...reason };
  const isWish = verdict === 'breaks' && severityOf(rowOf(id).level) !== 'error';
  return { id, revision: revision.date, verdict: isWish ? 'differs' : verdict, ...reason };
}

/** Each row counts once: as the worst that any revision saw. */
export function countsOf(rows: readonly RowVerdict[]): Omit<CheckReport['counts'], 'messages' | 'starts'> {
  const worst = new Map<string, number>();
  for (const { id, verdict } of rows) worst.set(id, Math.min(worst.get(id) ?? Infinity, ranks.indexOf(verdict)));
  const count = (verdict: RowVerdict['verdict']): number =>
    [...worst.values()].filter((rank) => ranks[rank] === verdict).length;
  const [broken, differing] = [count('breaks'), count('differs')];
  return {
    judged: broken + differing + count('holds'),
    broken,
    differing,
    notSeen: count('not-seen'),
    notApplicable: count('not-applicable'),
    notJudged: count('not-judged'),
    notAllowed: count('not-allowed'),
    disputed: count('disputed'),
  };
}

const ranks: readonly RowVerdict['verdict'][] = [
  'breaks',
  'differs',
  'disputed',
  'holds',
  'not-judged',
  'not-allowed',
  'not-seen',
  'not-applicable',
];
