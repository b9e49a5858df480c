/** `npm run api [-- --check]`: writes what the built package exports to `api/`, or fails where that is not up to date. */

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../test/support/sources.ts';
import { apiReports } from './api-reports.ts';

const folder = join(root, 'api');
const reports = apiReports(globSync('dist/*.d.ts', { cwd: root }).map((path) => join(root, path)));
const written = new Map(
  globSync('*.md', { cwd: folder }).map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
);
const stale = [
  ...reports.filter(({ file, text }) => written.get(file) !== text).map(({ file }) => file),
  ...[...written.keys()].filter((file) => reports.every((report) => report.file !== file)),
];

if (!process.argv.includes('--check')) {
  mkdirSync(folder, { recursive: true });
  for (const file of written.keys()) rmSync(join(folder, file));
  for (const { file, text } of reports) writeFileSync(join(folder, file), text);
} else if (stale.length > 0) {
  console.error(`what the package exports changed; if that is meant, run \`npm run api\`: ${stale.join(', ')}`);
  process.exitCode = 1;
}
