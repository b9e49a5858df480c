/** Imports point down the rooms. */

import { edgeView, entryPoints, neutral, roomOf, rooms } from './rooms-table.ts';
import type { Finding, Rule } from './rule.ts';
import { fileOf, findCycle, lineOfImport, sourcesOf, type Source } from './source-files.ts';

/** What a file imports and may not. */
function offences(source: Source): readonly Finding[] {
  const { path, text, imports, packages } = source;
  const file = fileOf(path);
  const room = roomOf(path);
  if (room === undefined)
    return [{ file, text: 'lies in no known room; add its folder to scripts/check/rooms-table.ts' }];
  const found: Finding[] = [];
  const add = (specifier: string, words: string): void =>
    void found.push({ file, line: lineOfImport(text, specifier), text: words });
  for (const to of imports) {
    const target = roomOf(to);
    const isBelow = target === room || (target !== undefined && rooms[room]?.includes(target) === true);
    if (room !== entryPoints && !isBelow)
      add(to, `imports ${to}, which "${room}" may not; move the code down, or change scripts/check/rooms-table.ts`);
    if (/^transports\/(http|stdio)\//.test(path) && to.startsWith('server/runtime/') && !edgeView.has(to))
      add(to, `imports ${to}; a transport sees a server only as its endpoint`);
  }
  if (neutral.has(room))
    for (const name of packages.filter((one) => one.startsWith('node:')))
      add(name, `imports ${name}; "${room}" runs without Node`);
  return found;
}

export const roomsRule: Rule = {
  demand: 'imports of the sources point down the rooms, and the core runs without Node',
  find: (repository) => sourcesOf(repository).flatMap(offences),
};

export const cyclesRule: Rule = {
  demand: 'no module loads itself through others',
  find(repository) {
    const cycle = findCycle(new Map(sourcesOf(repository).map(({ path, loads }) => [path, loads])));
    if (cycle === undefined) return [];
    return [{ file: fileOf(cycle[0] ?? ''), text: `loads itself: ${cycle.join(' -> ')}; break one of these imports` }];
  },
};

/** The most imports between folders that import each other, in the rooms that have some. The numbers may only fall. */
const twoWay: Readonly<Record<string, number>> = {
  bridge: 42,
  'cli/check': 2,
  protocol: 26,
  schema: 4,
  storage: 3,
  'auth/server': 5,
  'cli/inspect': 20,
  'cli/inspect/page': 24,
  'cli/commands': 35,
};

/** The folders of a room, and the imports from each to the others; imports of types count. */
function folderImports(sources: readonly Source[], room: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const folders = new Map<string, Map<string, number>>();
  for (const { path, imports } of sources.filter((source) => roomOf(source.path) === room)) {
    const from = folderOf(path);
    for (const to of imports.filter((one) => roomOf(one) === room && folderOf(one) !== from).map(folderOf)) {
      const counts = folders.get(from) ?? new Map<string, number>();
      folders.set(from, counts.set(to, (counts.get(to) ?? 0) + 1));
    }
  }
  return folders;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

export const foldersPointDownRule: Rule = {
  demand: 'folders of a room do not import each other, directly or through others, types included',
  find(repository) {
    const sources = sourcesOf(repository);
    return Object.keys(rooms).flatMap((room): readonly Finding[] => {
      const folders = folderImports(sources, room);
      const allowed = twoWay[room];
      const file = fileOf(`${room}/`);
      if (allowed !== undefined) {
        let count = 0;
        for (const [from, counts] of folders)
          for (const [to, there] of counts) {
            const back = folders.get(to)?.get(from);
            if (back !== undefined && from < to) count += Math.min(there, back);
          }
        if (count <= allowed) return [];
        const text = `has ${count} imports between folders that import each other, more than ${allowed}; move the code down`;
        return [{ file, text }];
      }
      const cycle = findCycle(new Map([...folders].map(([from, counts]) => [from, [...counts.keys()]])));
      if (cycle === undefined) return [];
      return [{ file, text: `has folders that import each other: ${cycle.join(' -> ')}; move the code down` }];
    });
  },
};
