import { repositoryOf } from '../../scripts/check/repository.ts';
import { lineOf, type Rule } from '../../scripts/check/rule.ts';

/** The lines of what a rule finds in a repository of a few texts. */
export async function found(rule: Rule, texts: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await rule.find(repositoryOf(texts))).map(lineOf);
}
