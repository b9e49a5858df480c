/** ARCHITECTURE.md and the README.md of each room name files that exist, and the table of rooms is that of the rules. */

import { filesOf, type Repository, type TextFile } from './repository.ts';
import { baseRooms, rooms } from './rooms-table.ts';
import { lineAt, type Finding, type Rule } from './rule.ts';

const page = 'ARCHITECTURE.md';
const maxLines = 60;

/** Folders that a page names by their last part. */
const folders = [
  '',
  'packages/',
  'packages/parley/',
  'packages/parley/src/',
  'packages/cli/src/',
  'packages/parley/src/protocol/',
  'packages/parley/src/bridge/',
  'packages/parley/src/bridge/upstream/',
  'packages/parley/src/bridge/single/',
];

export const architecturePageRule: Rule = {
  demand: `the files and folders that ${page} and the pages of rooms name exist, and a page of a room has at most ${maxLines} lines`,
  find: (repository) => {
    const pages = filesOf(repository, /^(ARCHITECTURE\.md|packages\/\w+\/src\/.*\.md)$/);
    const exists = existsIn(repository);
    return [
      ...pages.flatMap((one) => wrongNames(one, exists)),
      ...pages
        .filter(({ path, text }) => path !== page && text.split('\n').length - 1 > maxLines)
        .map(({ path }) => ({
          file: path,
          line: maxLines + 1,
          text: `has more than ${maxLines} lines; leave some out`,
        })),
    ];
  },
};

function existsIn(repository: Repository): (path: string, folder: string) => boolean {
  const known = new Set(repository.paths);
  for (const path of repository.paths)
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) known.add(path.slice(0, end + 1));
  const names = new Set(
    repository.paths
      .filter((path) => path.startsWith('packages/'))
      .map((path) => path.slice(path.lastIndexOf('/') + 1)),
  );
  return (path, own) =>
    [own, ...folders].some((folder) => known.has(folder + path)) || (!path.includes('/') && names.has(path));
}

function wrongNames({ path: file, text }: TextFile, exists: ReturnType<typeof existsIn>): readonly Finding[] {
  const own = file.slice(0, file.lastIndexOf('/') + 1);
  // Blocks of code are blanked, so that lines keep their numbers.
  const prose = text.replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ' '));
  return [...prose.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.ts|\/))`/g)]
    .filter(([, path = '']) => !exists(path, own))
    .map(({ 1: path, index }) => ({
      file,
      line: lineAt(prose, index),
      text: `names \`${path}\`, which does not exist; write its new name`,
    }));
}

export const roomsPageRule: Rule = {
  demand: `the table of rooms in ${page} is that of scripts/check/rooms-table.ts`,
  find(repository) {
    const text = repository.read(page);
    const missing = new Set(Object.keys(rooms));
    const found: Finding[] = [];
    for (const { 0: row, 1: first = '', 2: last = '', index } of text.matchAll(
      /^\| (`[^|]*) \|[^|]*\| ?([^|]*)\|$/gm,
    )) {
      const names = quoted(first);
      for (const name of names) missing.delete(name);
      const known = names.filter((name) => name in rooms);
      const wanted = importsOf(known).join(', ');
      const isRight = last.startsWith('nearly all')
        ? wanted.split(', ').length > 15
        : quoted(last).join(', ') === wanted;
      if (known.length < names.length || !isRight)
        found.push({ file: page, line: lineAt(text, index), text: `has the row "${row}"; the imports are: ${wanted}` });
    }
    return [...found, ...[...missing].map((name) => ({ file: page, text: `has no row for the room \`${name}\`` }))];
  },
};

/** The imports of rooms as the page shows them: base rooms are left out, but not for a base room. */
function importsOf(names: readonly string[]): readonly string[] {
  const all = names.flatMap((name) =>
    (rooms[name] ?? []).filter((target) => baseRooms.has(name) || !baseRooms.has(target)),
  );
  return [...new Set(all)];
}

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}
