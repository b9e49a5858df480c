import type { Findings } from './findings.ts';
import type { BrokenRule } from './report.ts';

/** A rule of authorization that can be seen to be broken without signing in. */
export interface PublishedRule {
  /** The name of the rule in the JSON of `parley explain`; it stays. */
  readonly id: string;
  /** True when clients stop there. */
  readonly stops: boolean;
  /** Clause that says what a client does about it. */
  readonly client: string;
  /** Source of the rule: revision and section, or RFC and section. */
  readonly source: string;
  /** Finds what breaks it, in words; nothing where it is kept. */
  test(findings: Findings): readonly string[];
}

/** Limit of reported violations of one rule. */
const maxTimes = 10;

/** The words of a rule on findings. */
export function brokenBy(
  findings: Findings,
  { id, test, stops, client, source }: PublishedRule,
): readonly BrokenRule[] {
  return [...new Set(test(findings))].slice(0, maxTimes).map((what) => ({ rule: id, what, stops, client, source }));
}

/** A piece of a stranger's text as it is cited. */
export function cited(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
