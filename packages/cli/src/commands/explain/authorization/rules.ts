import type { Findings } from './findings.ts';
import type { BrokenRule } from './report.ts';
import { brokenBy, type PublishedRule } from './rule.ts';
import { challengeRules } from './rules-of-challenges.ts';
import { fetchingRules } from './rules-of-fetching.ts';
import { resourceRules } from './rules-of-resources.ts';
import { serverRules } from './rules-of-servers.ts';
import { urlRules } from './rules-of-urls.ts';

/** All rules, in the order in which a client comes upon them. */
export const rules: readonly PublishedRule[] = [
  ...challengeRules,
  ...fetchingRules,
  ...resourceRules,
  ...serverRules,
  ...urlRules,
];

/** The rules that are broken; those at which clients stop come first. */
export function brokenRules(findings: Findings): readonly BrokenRule[] {
  const broken = rules.flatMap((rule) => brokenBy(findings, rule));
  return [...broken.filter(({ stops }) => stops), ...broken.filter(({ stops }) => !stops)];
}
