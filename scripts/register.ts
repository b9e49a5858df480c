/** `npm run register`: writes `src/check/rows.ts`, the rows of the register that the rules of `parley check` are about. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientAuthorizationRules } from '../src/check/client/authorization/judge-trails.ts';
import { clientRules } from '../src/check/client/rules/rules.ts';
import { checkRules } from '../src/check/rules/rules.ts';
import { requirements } from './registers.ts';

/** The text of `src/check/rows.ts`. */
export function rowsText(): string {
  const judged = new Set([...checkRules, ...clientRules, ...clientAuthorizationRules].map(({ id }) => id));
  const lines = requirements()
    .filter(({ id }) => judged.has(id))
    .map(({ id, revisions, level, place }) => `${id} ${revisions} ${level.replace(' ', '_')} ${place}`);
  return `/** Rows of the register that are judged: id, revisions, level and place. Written by scripts/register.ts. */\nexport const rows = \`\n${lines.join('\n')}\n\`;\n`;
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '../src/check/rows.ts'), rowsText());
  console.log(`src/check/rows.ts  ${rowsText().split('\n').length - 3} rows`);
}
