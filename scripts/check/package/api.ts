/** The public API changes only on purpose, and every name of it is described. */

import type { ApiReport } from '../../api-reports.ts';
import { stale } from '../generated.ts';
import type { Repository } from '../repository.ts';
import type { Finding, Rule } from '../rule.ts';

/** Types that only work out what others are made of, or are the parts of `MethodTypes`; nobody writes their names. */
const workings = new Set([
  'ArgumentNames',
  'AskingOf',
  'CompletionMethods',
  'ElicitationMethods',
  'Flat',
  'EntryOf',
  'FromJsonSchema',
  'JsonSchemaKeywords',
  'LifecycleMethods',
  'ListOf',
  'LoggingMethods',
  'NameOf',
  'NoArguments',
  'NoFields',
  'MayBeMissing',
  'OutputValue',
  'PlainReturn',
  'PromptMethods',
  'ResourceMethods',
  'RootMethods',
  'SamplingMethods',
  'StandardProperties',
  'SubscriptionMethods',
  'TaskMethods',
  'ToolMethods',
  'VariableNames',
  'VariablesOf',
  'WithoutOutput',
]);

export const apiRule: Rule = {
  demand: 'api/ has the reports of what is exported, each name with a doc comment',
  async find(repository) {
    const { apiReports, entryDeclarations } = await import('../../api-reports.ts');
    return apiFaults(repository, apiReports(entryDeclarations()));
  },
};

/** What is wrong with reports on entry points. */
export function apiFaults(repository: Repository, reports: readonly ApiReport[]): readonly Finding[] {
  const exported = new Set(reports.flatMap((report) => report.exported));
  const isThere = (name: string): boolean => exported.has(name) || workings.has(name);
  const written = repository.paths.filter((path) => path.startsWith('api/'));
  return [
    ...written
      .filter((path) => reports.every(({ file }) => path !== `api/${file}`))
      .map((file) => ({ file, text: 'is of no entry point; run `npm run api`' })),
    ...reports.flatMap(({ file: name, text, undocumented, forgotten }) => {
      const file = `api/${name}`;
      if (!written.includes(file)) return [{ file, text: 'is missing; run `npm run api`' }];
      return [
        ...stale(repository, file, text, 'npm run api'),
        ...undocumented.map((one) => ({ file, text: `exports ${one} without a doc comment` })),
        ...undocumentedMembers(text).map((one) => ({ file, text: `has the member ${one} without a doc comment` })),
        // A second type of the same name has a number behind it.
        ...[...new Set(forgotten.map((one) => one.replace(/_\d+$/, '')))]
          .filter((one) => !isThere(one))
          .map((one) => ({ file, text: `names the type ${one}, which no entry point exports` })),
      ];
    }),
  ];
}

/** The members of interfaces and classes that a report marks as undocumented, each as `Type.member`. */
function undocumentedMembers(text: string): readonly string[] {
  const found: string[] = [];
  let type = '';
  for (const [, exported, member] of text.matchAll(
    /^export (?:abstract )?(?:interface|class) (\w+)|^ +\/\/ \(undocumented\)\n +(?:readonly )?([^\n?:(;]*)/gm,
  ))
    if (exported !== undefined) type = exported;
    else found.push(`${type}.${member}`);
  return found;
}
