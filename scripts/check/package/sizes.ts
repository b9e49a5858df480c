/** Programs that use the package, and the page of `parley inspect`, stay in their budgets. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pageFolder } from '../../page.ts';
import { faults, measure } from '../../size.ts';
import type { Finding, Rule } from '../rule.ts';

const plan = 'scripts/size-plan.ts';

export const sizesRule: Rule = {
  demand: 'programs stay in their budgets and load nothing strange at their start',
  async find() {
    const found = faults(await measure('dist'));
    return found.map((text) => ({
      file: plan,
      text: `${text}; \`npm run lab -- size --modules <program>\` shows why`,
    }));
  },
};

/** The most that all files of the page may have together, in KB after gzip: a little more than they have. */
const pageBudget = 104;

export const pageSizeRule: Rule = {
  demand: `the page of inspect is not larger than ${pageBudget} KB after gzip`,
  find: () => pageFaults(pageFolder),
};

/** What is wrong with the size of a page. */
export function pageFaults(folder: string): readonly Finding[] {
  const file = 'packages/cli/src/inspect/page/main.tsx';
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
  const size = sizes.reduce((all, one) => all + one, 0) / 1_024;
  if (size < 40)
    return [{ file, text: `makes a page of ${size.toFixed(1)} KB, which is none; look at scripts/page.ts` }];
  if (size <= pageBudget) return [];
  return [
    { file, text: `makes a page of ${size.toFixed(1)} KB, over its budget of ${pageBudget} KB; make it smaller` },
  ];
}
