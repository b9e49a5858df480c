/**
 * Loaded before a program: gives it one revision more than there are, as somebody would add it, by a row in the table. What
 * the row says beside its date is in the environment, as JSON.
 */

import { registerHooks } from 'node:module';
import { textOf } from './module-text.ts';

/** The date of the revision that does not exist. */
export const laterDate = '2030-01-01';

/** The name in the environment of what it changes. */
export const changesName = 'LATER_REVISION';

const changes = process.env[changesName];

if (changes !== undefined)
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith('/src/protocol/revision.ts')) return loaded;
      return { ...loaded, source: withRow(textOf(loaded.source), changes) };
    },
  });

/** The text of the table with the row. */
function withRow(text: string, facts: string): string {
  const newest = /newestRevision: Revision = (\w+);/.exec(text)?.[1];
  if (newest === undefined) throw new Error('the table does not say which revision is the newest');
  const row = `const later = { ...${newest}, date: '${laterDate}', ...${facts} };\n`;
  return text
    .replace(/\/\*\* Every published revision/, `${row}$&`)
    .replace(`${newest}];`, `${newest}, later];`)
    .replace(`newestRevision: Revision = ${newest};`, 'newestRevision = later;');
}
