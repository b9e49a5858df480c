/** The fidelity table as a page of documentation. */

import { features, groups, type Feature, type Fidelity } from '../packages/cli/src/compatibility/fidelity.ts';
import { revisions, type Revision } from '../packages/parley/src/protocol/revision.ts';

const intro = `# Fidelity

This page shows what a client of one revision gets from a server of another through \`parley bridge\`. It lists each
feature for each of the ${revisions.length * revisions.length} pairs of revisions.

\`node scripts/fidelity.ts\` writes this page from the tables that the bridge uses at run time. A test runs a real
conversation for each cell.

Each cell has one of three values:

- **carried**: the feature arrives unchanged. If the revision of one side does not have it, there is _nothing to carry_.
- **changed**: the feature arrives in another form. The cell describes the form, and names what is left out.
- **refused**: the bridge returns an error. The cell names the error and the reason.

A feature without listed cells is carried between all revisions. A line that names no revisions of one side holds for
all revisions of that side.
`;

/** Writes the page. */
export function page(): string {
  return [intro, ...groups.map(section)].join('\n');
}

function section(group: string): string {
  const all = features.filter((feature) => feature.group === group);
  const [plain, others] = [all.filter(isPlain), all.filter((feature) => !isPlain(feature))];
  const blocks: string[] = [`## ${group}\n`];
  if (plain.length > 0)
    blocks.push(`Carried between all revisions:\n\n${plain.map(({ title }) => `- ${title}`).join('\n')}\n`);
  for (const alike of groupBy(others, signature)) {
    blocks.push(heading(alike), `${lines(alike[0]).join('\n')}\n`);
  }
  return blocks.join('\n');
}

function heading(alike: readonly Feature[]): string {
  const titles = alike.map(({ title }) => title);
  if (titles.length === 1) return `### ${titles[0]}\n`;
  const bySpan = groupBy(titles, (title) => title.slice(title.indexOf(', ') + 2));
  const spans = bySpan.map((some) => {
    const span = some[0]?.slice(some[0].indexOf(', ') + 2) ?? '';
    return `**${span.charAt(0).toUpperCase()}${span.slice(1)}**: ${some.map((title) => title.split(', ')[0]).join(', ')}`;
  });
  return `${wrapped(spans.join('; '))}\n`;
}

/** Text in lines of at most 120 characters. */
function wrapped(text: string): string {
  const rows = [''];
  for (const word of text.split(' ')) {
    const row = rows.at(-1) ?? '';
    if (row === '') rows[rows.length - 1] = word;
    else if (row.length + 1 + word.length <= 120) rows[rows.length - 1] = `${row} ${word}`;
    else rows.push(word);
  }
  return rows.join('\n');
}

function isPlain(feature: Feature): boolean {
  return pairs().every(([client, server]) => isWhole(feature.between(client, server)));
}

function isWhole(cell: Fidelity): boolean {
  return cell.kind === 'carried' && cell.nothing === undefined;
}

function pairs(): readonly (readonly [Revision, Revision])[] {
  return revisions.flatMap((client) => revisions.map((server) => [client, server] as const));
}

/** Fields with the same cells share one list. */
function signature(feature: Feature): string {
  if (feature.group !== 'Fields') return feature.id;
  return JSON.stringify(pairs().map(([client, server]) => feature.between(client, server)));
}

function lines(feature: Feature | undefined): readonly string[] {
  if (feature === undefined) return [];
  const cells = groupBy(pairs(), ([client, server]) => JSON.stringify(feature.between(client, server)));
  return cells.flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    return areas(alike).map((area) => `- ${area}: ${words(feature.between(...first))}`);
  });
}

/** Describes the pairs: blocks of clients that have the same servers. */
function areas(alike: readonly (readonly [Revision, Revision])[]): readonly string[] {
  const equal = alike.filter(([client, server]) => client === server).length;
  if (equal === alike.length && equal === revisions.length) return ['the same revision on both sides'];
  if (equal === 0 && alike.length === revisions.length * (revisions.length - 1)) return ['different revisions'];
  const byClient = groupBy(alike, ([client]) => client.date);
  const rows = byClient.map((row) => ({ client: row[0]?.[0], servers: row.map(([, server]) => server) }));
  return groupBy(rows, ({ servers }) => servers.map(({ date }) => date).join()).map((block) => {
    const clients = block.flatMap(({ client }) => (client === undefined ? [] : [client]));
    const parts = [span('client', clients), span('server', block[0]?.servers ?? [])].filter((part) => part !== '');
    return parts.length === 0 ? 'any client, any server' : parts.join(', ');
  });
}

function span(who: string, some: readonly Revision[]): string {
  const first = some[0]?.date;
  const last = some.at(-1)?.date;
  if (some.length === revisions.length) return '';
  if (some.length === 1) return `${who} ${first}`;
  const from = revisions.findIndex(({ date }) => date === first);
  const unbroken = some.every((revision, at) => revisions[from + at] === revision);
  if (unbroken && from === 0) return `${who} ≤ ${last}`;
  if (unbroken && last === revisions.at(-1)?.date) return `${who} ≥ ${first}`;
  if (unbroken) return `${who} ${first} to ${last}`;
  return `${who} ${some.map(({ date }) => date).join(', ')}`;
}

function words(cell: Fidelity): string {
  switch (cell.kind) {
    case 'carried':
      return cell.nothing === undefined ? 'carried' : `nothing to carry; ${cell.nothing}`;
    case 'changed':
      return `**changed**: ${cell.how}`;
    case 'refused':
      return `**refused** with \`${cell.error}\`: ${cell.why}`;
  }
}

function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): readonly (readonly T[])[] {
  const found = new Map<string, T[]>();
  for (const item of list) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return [...found.values()];
}
