import { rowOf } from '../register.ts';
import type { CheckReport, Finding, RowVerdict } from '../report.ts';

/** A report as JUnit has it: a suite for each revision and area, a case for each row. */
export function junitReport(report: CheckReport): string {
  const suites = new Map<string, RowVerdict[]>();
  for (const row of report.rows) {
    const key = `${row.revision} ${areaOf(row.id)}`;
    suites.set(key, [...(suites.get(key) ?? []), row]);
  }
  const lines = [...suites].flatMap(([name, rows]) => {
    const count = (is: (row: RowVerdict) => boolean): number => rows.filter(is).length;
    const counts = `tests="${rows.length}" failures="${count((row) => isBroken(row, findingOf(row, report)))}" skipped="${count(isSkipped)}" errors="0"`;
    return [
      `  <testsuite name="${escaped(name)}" ${counts}>`,
      ...rows.flatMap((row) => caseLines(row, report)),
      '  </testsuite>',
    ];
  });
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="${escaped(report.target)}">`,
    ...lines,
    '</testsuites>',
    '',
  ].join('\n');
}

function areaOf(id: string): string {
  return id.replace(/-[^-]*$/, '');
}

function isBroken({ verdict }: RowVerdict, finding: Finding | undefined): boolean {
  return verdict === 'breaks' && finding?.known !== true;
}

/** Finding of a row in its revision: one that is not known first, since it is what fails. */
function findingOf({ id, revision }: RowVerdict, { findings }: CheckReport): Finding | undefined {
  const own = findings.filter(
    (one) => (one.id === id || one.also?.includes(id) === true) && one.revisions.includes(revision),
  );
  return own.find(({ known }) => known !== true) ?? own[0];
}

function isSkipped({ verdict }: RowVerdict): boolean {
  return verdict.startsWith('not-');
}

function caseLines(row: RowVerdict, report: CheckReport): readonly string[] {
  const { id, revision, verdict, why = '' } = row;
  const open = `    <testcase classname="${escaped(`${revision}.${areaOf(id)}`)}" name="${escaped(`${id} ${rowOf(id).level}`)}"`;
  if (verdict === 'holds') return [`${open}/>`];
  if (isSkipped(row)) return [`${open}><skipped message="${escaped(`${verdict}: ${why}`)}"/></testcase>`];
  const finding = findingOf(row, report);
  const told =
    finding === undefined
      ? ''
      : `${finding.message}\nsent: ${finding.sent}\ncame: ${finding.came}\nfix: ${finding.fix}\n${finding.source ?? ''}`;
  if (isBroken(row, finding))
    return [`${open}><failure message="${escaped(why)}">${escaped(told)}</failure></testcase>`];
  return [`${open}><system-out>${escaped(`${why}\n${told}`)}</system-out></testcase>`];
}

/** Text within XML 1.0, in which most controls have no place at all. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
