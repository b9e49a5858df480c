/** A page for each entry point of the library, made of its doc comments. */

import { entryDeclarations, entryModels } from '../api-reports.ts';
import { commentText } from './comment-text.ts';

/** A page of the site. */
export interface SitePage {
  /** From the folder of the pages, with `.md`. */
  readonly path: string;
  readonly text: string;
}

/** A declaration, as API Extractor describes it. */
export interface ApiItem {
  readonly kind: string;
  readonly name?: string;
  readonly docComment?: string;
  readonly excerptTokens?: readonly { readonly kind: string; readonly text: string }[];
  readonly members?: readonly ApiItem[];
}

const kinds: readonly (readonly [kind: string, title: string])[] = [
  ['Function', 'Functions'],
  ['Class', 'Classes'],
  ['Variable', 'Constants'],
  ['Interface', 'Interfaces'],
  ['TypeAlias', 'Types'],
];

/** The exports of an entry point. */
export interface EntryItems {
  readonly entry: string;
  readonly members: readonly ApiItem[];
}

/** Reads the declarations of each entry point. */
export function entryItems(): readonly EntryItems[] {
  return entryModels(entryDeclarations()).map(({ entry, model }) => {
    // API Extractor wrote it: a package with one entry point, which has the exports.
    const [{ members = [] } = {}] = (JSON.parse(model) as ApiItem).members ?? [];
    return { entry, members };
  });
}

/** Makes the pages, with an index. */
export function apiPages(entries: readonly EntryItems[]): readonly SitePage[] {
  const pages = entries.map((one) => ({ ...one, path: `api/${one.entry}.md` }));
  const rows = pages.map(({ entry, members }) => {
    const names = members
      .filter(({ kind }) => kind === 'Function' || kind === 'Class')
      .map(({ name }) => `\`${name}\``);
    return `| [\`${moduleName(entry)}\`](${entry}.md) | ${[...new Set(names)].join(', ') || 'types'} |`;
  });
  const index = [
    '# API',
    '',
    'One page for each module. Each is made from the doc comments.',
    '',
    '| Module | Functions and classes |',
    '|---|---|',
    ...rows,
    '',
  ];
  return [
    { path: 'api/index.md', text: index.join('\n') },
    ...pages.map(({ entry, members, path }) => ({ path, text: pageOf(entry, members) })),
  ];
}

/** The name by which programs import an entry point. */
export function moduleName(entry: string): string {
  return entry === 'index' ? 'parley-mcp' : `parley-mcp/${entry}`;
}

function pageOf(entry: string, members: readonly ApiItem[]): string {
  const known = new Set(members.map(({ name }) => name));
  const sections = kinds.flatMap(([kind, title]) => {
    const items = members.filter((item) => item.kind === kind).toSorted(byName);
    if (items.length === 0) return [];
    return [`## ${title}`, '', ...merged(items).flatMap((overloads) => itemText(overloads, known))];
  });
  return [`# \`${moduleName(entry)}\``, '', ...sections].join('\n');
}

function byName(one: ApiItem, other: ApiItem): number {
  return (one.name ?? '').localeCompare(other.name ?? '');
}

/** The overloads of a function are one item. */
function merged(items: readonly ApiItem[]): readonly (readonly ApiItem[])[] {
  const found = new Map<string | undefined, ApiItem[]>();
  for (const item of items) found.set(item.name, [...(found.get(item.name) ?? []), item]);
  return [...found.values()];
}

function itemText(overloads: readonly ApiItem[], known: ReadonlySet<string | undefined>): readonly string[] {
  const [item] = overloads;
  if (item === undefined) return [];
  const { name = '', members = [] } = item;
  const anchor = anchorOf(name);
  const uses = new Set(
    [...overloads, ...members].flatMap(({ excerptTokens = [] }) =>
      excerptTokens
        .filter(({ kind, text }) => kind === 'Reference' && known.has(text) && text !== name)
        .map(({ text }) => text),
    ),
  );
  const links = [...uses].toSorted().map((text) => `[${text}](#${anchorOf(text)})`);
  return [
    `### ${name} {#${anchor}}`,
    '',
    '```ts',
    ...overloads.map((one) => signatureOf(one, members.length > 0)),
    '```',
    '',
    ...commentText(item.docComment),
    ...members.flatMap((member) => memberText(member)),
    ...(links.length > 0 ? [`Uses ${links.join(', ')}.`, ''] : []),
  ];
}

/** Classes and types may have names that differ in case alone. */
export function anchorOf(name: string): string {
  return `${/^[A-Z]/.test(name) ? 'type-' : ''}${name.toLowerCase()}`;
}

function memberText(member: ApiItem): readonly string[] {
  const comment = commentText(member.docComment);
  return [
    `- \`${inOneLine(textOf(member)).replace(/;$/, '')}\``,
    '',
    ...comment.map((line) => (line === '' ? '' : `  ${line}`)),
  ];
}

function signatureOf(item: ApiItem, hasMembers: boolean): string {
  const text = textOf(item)
    .replace(/^export (?:declare )?/, '')
    .trim();
  return hasMembers ? `${text} { … }` : text;
}

/** The text of a declaration. */
export function textOf({ excerptTokens = [] }: ApiItem): string {
  return excerptTokens.map(({ text }) => text).join('');
}

/** Text for a place that has one line. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('`', "'");
}
