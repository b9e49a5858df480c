/** The page of all commands and options, as `--help-all` prints them. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../test/support/sources.ts';
import type { SitePage } from './api-pages.ts';

/** The help of the program and of each command, with all options. */
export function helpTexts(): readonly (readonly [title: string, text: string])[] {
  const overview = helpOf('--help');
  const listed = /^Commands\n((?: {2}\S.*\n)+)/m.exec(overview)?.[1] ?? '';
  const names = [...listed.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name ?? '');
  return [['parley', overview], ...names.map((name) => [`parley ${name}`, helpOf(name, '--help-all')] as const)];
}

/** Makes the page from the built command line. */
export function cliPage(): SitePage {
  const [[, overview] = ['', ''], ...commands] = helpTexts();
  const sections = commands.flatMap(([title, help]) => [`## ${title}`, '', '```text', help, '```', '']);
  const text = [
    '# Commands and options',
    '',
    'What `npx parley-cli <command> --help-all` prints.',
    '',
    '```text',
    overview,
    '```',
    '',
    ...sections,
  ];
  return { path: 'commands.md', text: text.join('\n') };
}

function helpOf(...words: readonly string[]): string {
  const env = { ...process.env, NO_COLOR: '1', COLUMNS: '100' };
  return execFileSync(process.execPath, [join(root, 'packages/cli/bin/parley.js'), ...words], {
    env,
    encoding: 'utf8',
  }).trimEnd();
}
