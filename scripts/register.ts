/** `npm run lab -- register`: writes `packages/cli/src/check/rows.ts` and `packages/cli/src/check/client/row/rows.ts`, the rows of the register that the rules of `parley check` are about. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientAuthorizationRules } from '../packages/cli/src/check/client/authorization/judge-logs.ts';
import { clientRules } from '../packages/cli/src/check/client/rules/rules.ts';
import { checkRules } from '../packages/cli/src/check/rules/rules.ts';
import { requirements } from './registers.ts';

/** Files of rows, with what is in them: rows of servers, and those of clients alone. */
export function rowsFiles(): ReadonlyMap<string, string> {
  const ofServers = new Set(checkRules.map(({ id }) => id));
  const ofClients = new Set([...clientRules, ...clientAuthorizationRules].map(({ id }) => id));
  return new Map([
    ['packages/cli/src/check/rows.ts', rowsText('rows', (id) => ofServers.has(id))],
    [
      'packages/cli/src/check/client/row/rows.ts',
      rowsText('clientRows', (id) => ofClients.has(id) && !ofServers.has(id)),
    ],
  ]);
}

function rowsText(name: string, isThere: (id: string) => boolean): string {
  const lines = requirements()
    .filter(({ id }) => isThere(id))
    .map(({ id, revisions, level, place }) => `${id} ${revisions} ${level.replace(' ', '_')} ${place}`);
  return `/** Checked rows of the register: id, revisions, level and place. Written by scripts/register.ts. */\nexport const ${name} = \`\n${lines.join('\n')}\n\`;\n`;
}

if (import.meta.main)
  for (const [file, text] of rowsFiles()) {
    writeFileSync(join(import.meta.dirname, '..', file), text);
    console.log(`${file}  ${text.split('\n').length - 4} rows`);
  }
