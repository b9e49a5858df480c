/**
 * `npm run lab -- site`: writes the pages of the site to `site/dist/pages`, and builds them to `site/dist/html`. The pages are those of
 * `docs/`, the API made from doc comments, and the options of the command line. `--pages` writes the pages only.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../test/support/sources.ts';
import { apiPages, entryItems, type SitePage } from './site/api-pages.ts';
import { cliPage } from './site/cli-page.ts';
import { docsPages, titleOf } from './site/docs-pages.ts';
import { optionsPage } from './site/options-page.ts';
import { groups, type PageGroup } from './site/sidebar.ts';

const site = join(root, 'site');
const pagesFolder = join(site, 'dist/pages');

const { values } = parseArgs({ options: { pages: { type: 'boolean' } } });
writePages();
if (values.pages !== true) build();

function writePages(): void {
  const entries = entryItems();
  const pages: readonly SitePage[] = [
    ...docsPages(groups.flatMap(({ pages: paths }) => paths.map((path) => `${path}.md`))),
    ...apiPages(entries),
    optionsPage(entries),
    cliPage(),
  ];
  const reference = pages.filter(({ path }) => path.startsWith('api/')).map(({ path }) => path.replace(/\.md$/, ''));
  const all: readonly PageGroup[] = groups.map((group) =>
    group.title === 'Reference' ? { ...group, pages: [...group.pages, 'commands', 'options', ...reference] } : group,
  );
  rmSync(pagesFolder, { recursive: true, force: true });
  const titles = new Map(pages.map(({ path, text }) => [path.replace(/\.md$/, ''), titleOf(text)]));
  for (const { path, text } of pages) {
    write(path, text);
    // Each page is there as Markdown too, for programs that read it.
    write(`public/${path}`, text);
  }
  for (const name of readdirSync(join(root, 'docs/images')))
    cpSync(join(root, 'docs/images', name), join(pagesFolder, 'public', name));
  write('public/llms.txt', llmsText(all, titles));
  write(
    'public/llms-full.txt',
    pages
      .filter(({ path }) => isForModels(path))
      .map(({ text }) => text)
      .join('\n\n'),
  );
  const sidebar = all.map(({ title, pages: paths }) => ({
    text: title,
    items: paths.map((path) => ({ text: titles.get(path) ?? path, link: `/${path}` })),
  }));
  write('sidebar.json', JSON.stringify(sidebar, undefined, 2));
}

/** Whether a page helps a model that writes programs: evidence does not. */
function isForModels(path: string): boolean {
  return !/^(?:evidence\/|bench|check|fidelity|options)/.test(path);
}

/** The list of pages, in the form of https://llmstxt.org. */
function llmsText(all: readonly PageGroup[], titles: ReadonlyMap<string, string>): string {
  const sections = all.flatMap(({ title, pages }) => [
    `## ${title}`,
    '',
    ...pages.map((path) => `- [${titles.get(path) ?? path}](/${path}.md)`),
    '',
  ]);
  return [
    '# Parley',
    '',
    '> A TypeScript library for MCP servers and clients that speaks every protocol version, and a bridge between the versions.',
    '',
    ...sections,
  ].join('\n');
}

function write(path: string, text: string): void {
  const file = join(pagesFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function build(): void {
  const program = join(site, 'node_modules/vitepress/bin/vitepress.js');
  const inherit = { cwd: site, stdio: 'inherit' } as const;
  // On Windows npm is a script, which only a shell starts.
  if (!existsSync(program))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      ...inherit,
      shell: process.platform === 'win32',
    });
  execFileSync(process.execPath, [program, 'build'], inherit);
  console.log('site/dist/html has the site');
}
