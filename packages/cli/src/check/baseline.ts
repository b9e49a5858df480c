import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import type { CheckReport, Finding } from './report.ts';

/** Finding that is known, and is let be. */
export interface KnownFinding {
  readonly id: string;
  readonly revision: string;
  readonly where?: string;
  /** Reason why it is accepted, for readers of the file. */
  readonly why?: string;
}

/** A report after a look into the baseline. */
export interface Compared {
  readonly report: CheckReport;
  /** Known findings that are found no more, and should leave the file. */
  readonly stale: readonly KnownFinding[];
}

/** Findings as the text of a baseline. */
export function baselineText({ findings }: CheckReport): string {
  const known: readonly KnownFinding[] = findings.flatMap(({ id, revisions, where, why }) =>
    revisions.map((revision) => ({ id, revision, ...(where === undefined ? {} : { where }), why })),
  );
  return `${JSON.stringify(known, undefined, 2)}\n`;
}

/**
 * Reads a baseline.
 *
 * @throws TypeError that says what is wrong with the text.
 */
export function readBaseline(text: string): readonly KnownFinding[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new TypeError('a baseline is a list of {"id", "revision", "where", "why"}');
  return value.map((entry: unknown, at) => {
    if (!isObject(entry) || typeof entry['id'] !== 'string' || typeof entry['revision'] !== 'string')
      throw new TypeError(`entry ${at} of the baseline has no "id" and "revision"`);
    const { id, revision, where } = entry;
    return { id, revision, ...(typeof where === 'string' ? { where } : {}) };
  });
}

/** Marks what is known; a finding is known where it is in every revision in which it was found. */
export function compareTo(report: CheckReport, known: readonly KnownFinding[]): Compared {
  const isKnown = ({ id, where, revisions }: Finding): boolean =>
    revisions.every((revision) =>
      known.some((one) => one.id === id && one.revision === revision && one.where === where),
    );
  const findings = report.findings.map((finding) =>
    isKnown(finding) ? { ...finding, known: true as const } : finding,
  );
  const isFound = ({ id, revision, where }: KnownFinding): boolean =>
    findings.some((finding) => finding.id === id && finding.where === where && finding.revisions.includes(revision));
  const wasJudged = ({ id, revision }: KnownFinding): boolean =>
    report.rows.some((row) => row.id === id && row.revision === revision && row.verdict === 'holds');
  return { report: { ...report, findings }, stale: known.filter((one) => !isFound(one) && wasJudged(one)) };
}
