/** The page of all options of the library, made of its doc comments. */

import { anchorOf, inOneLine, moduleName, textOf, type ApiItem, type EntryItems, type SitePage } from './api-pages.ts';
import { commentText } from './comment-text.ts';

/** Makes the page. An interface that several entry points export is shown once. */
export function optionsPage(entries: readonly EntryItems[]): SitePage {
  const found = new Map<string, { readonly entry: string; readonly item: ApiItem }>();
  for (const { entry, members } of entries)
    for (const item of members) {
      const { kind, name = '' } = item;
      if (kind === 'Interface' && /(?:Options|Limits|Definition|Config)$/.test(name) && !found.has(name))
        found.set(name, { entry, item });
    }
  const sorted = [...found].toSorted(([one], [other]) => one.localeCompare(other));
  const text = [
    '# Options',
    '',
    'The options of each function, with defaults and units, made from the doc comments.',
    'The options of commands are in [Commands and options](commands.md).',
    '',
    ...sorted.flatMap(([name, { entry, item }]) => sectionOf(name, entry, item)),
  ];
  return { path: 'options.md', text: text.join('\n') };
}

function sectionOf(name: string, entry: string, item: ApiItem): readonly string[] {
  const [, bases] = /\bextends ([^{]+)/.exec(textOf(item)) ?? [];
  const rows = (item.members ?? []).map((member) => {
    const [, type = ''] = /^[^:]*: ([^]*?);?\s*$/.exec(inOneLine(textOf(member))) ?? [];
    const about = commentText(member.docComment).join(' ').replaceAll(/\s+/g, ' ').trim();
    return `| \`${member.name ?? ''}\` | \`${cell(type)}\` | ${cell(about)} |`;
  });
  return [
    `## ${name} {#${name.toLowerCase()}}`,
    '',
    `From [\`${moduleName(entry)}\`](api/${entry}.md#${anchorOf(name)}).${bases === undefined ? '' : ` It also has the options of \`${inOneLine(bases).trim()}\`.`}`,
    '',
    ...(rows.length === 0 ? [] : ['| Option | Type | Meaning |', '|---|---|---|', ...rows, '']),
  ];
}

/** Text of one cell of a table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
