/** Files that a script writes are as it writes them. */

import { checkPage } from '../check-page.ts';
import { page as fidelityPage } from '../fidelity-page.ts';
import { file as maintaining, pageWithTables } from '../maintaining-page.ts';
import { rowsFiles } from '../register.ts';
import type { Repository } from './repository.ts';
import type { Finding, Rule } from './rule.ts';

/** A file that is not as it is written. */
export function stale({ read }: Repository, file: string, text: string, command: string): readonly Finding[] {
  const written = read(file);
  if (written === text) return [];
  const lines = text.split('\n');
  const at = written.split('\n').findIndex((line, index) => line !== lines[index]);
  return [{ file, line: at < 0 ? lines.length : at + 1, text: `is not up to date; run \`${command}\`` }];
}

export const generatedRule: Rule = {
  demand: 'files that are generated are up to date',
  find(repository) {
    const found = [...rowsFiles()].flatMap(([file, text]) => stale(repository, file, text, 'npm run lab -- register'));
    // What was tried by hand is written by a person, and stands on the page before authorization.
    const manual = `\n\n${repository.read('interop/by-hand.md')}\n## Authorization\n`;
    const interop = 'docs/evidence/interop.md';
    return [
      ...found,
      ...stale(repository, 'docs/check.md', checkPage(), 'npm run lab -- check-page'),
      ...stale(repository, 'docs/fidelity.md', fidelityPage(), 'npm run lab -- fidelity'),
      ...stale(repository, maintaining, pageWithTables(repository.read(maintaining)), 'npm run lab -- maintaining'),
      ...(repository.read(interop).includes(manual)
        ? []
        : [
            { file: interop, text: 'lacks interop/by-hand.md before "## Authorization"; run `npm run lab -- interop`' },
          ]),
    ];
  },
};
