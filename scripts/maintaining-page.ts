/** The tables of docs/maintaining.md: the commands of the lab. */

import { groups } from './lab-table.ts';

/** The page that holds the tables. */
export const file = 'docs/maintaining.md';

const begin = '<!-- begin: written by npm run lab -- maintaining -->';
const end = '<!-- end -->';

/** The page with tables that are up to date. Throws if the page has no place for them. */
export function pageWithTables(page: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} must have the lines "${begin}" and "${end}"`);
  return `${page.slice(0, from)}${begin}\n\n${tables()}\n${page.slice(to)}`;
}

function tables(): string {
  return Object.entries(groups)
    .map(([title, group]) =>
      [
        `### ${title}`,
        '',
        '| Command | What it does | Time | Needs | Writes |',
        '|---|---|---|---|---|',
        ...Object.entries(group).map(([name, { about, time, needs = '', writes = '' }]) =>
          rowOf([`\`${name}\``, about, time, needs, writes]),
        ),
        '',
      ].join('\n'),
    )
    .join('\n');
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
