/** `npm run lab -- spec <folder>`: writes `test/spec/<revision>.json`, the facts of the official schemas in the folder. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { factFile, fileText, type OfficialFile } from './spec-files.ts';

const target = join(import.meta.dirname, '../test/spec');
const [folder] = argv.slice(2);

if (folder === undefined) {
  console.error('which folder has the official schemas, as <revision>/schema.json? npm run lab -- spec <folder>');
  process.exitCode = 1;
} else write(folder);

function write(source: string): void {
  const revisions = readdirSync(source).filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name));
  if (revisions.length === 0) {
    console.error(`${source} has no folder named after a revision, as 2025-06-18`);
    process.exitCode = 1;
  }
  mkdirSync(target, { recursive: true });
  for (const revision of revisions) {
    // What else the file might be, the notation refuses.
    const file = JSON.parse(readFileSync(join(source, revision, 'schema.json'), 'utf8')) as OfficialFile;
    const text = fileText(factFile(revision, file));
    writeFileSync(join(target, `${revision}.json`), text);
    console.log(`test/spec/${revision}.json  ${(text.length / 1024).toFixed(1)} KB`);
  }
}
