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
