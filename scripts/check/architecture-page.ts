/** The files and folders that ARCHITECTURE.md names exist. */

import { lineAt, type Rule } from './rule.ts';

const page = 'ARCHITECTURE.md';

/** Folders that the page names by their last part. */
const folders = ['', 'src/', 'src/protocol/', 'src/bridge/', 'src/bridge/upstream/', 'src/bridge/single/'];

export const architecturePageRule: Rule = {
  demand: `the files and folders that ${page} names exist`,
  find(repository) {
    const known = new Set(repository.paths);
    for (const path of repository.paths)
      for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) known.add(path.slice(0, end + 1));
    const names = new Set(
      repository.paths.filter((path) => path.startsWith('src/')).map((path) => path.slice(path.lastIndexOf('/') + 1)),
    );
    const exists = (path: string): boolean =>
      folders.some((folder) => known.has(folder + path)) || (!path.includes('/') && names.has(path));
    const text = repository.read(page);
    // Blocks of code are blanked, so that lines keep their numbers.
    const prose = text.replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ' '));
    return [...prose.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.ts|\/))`/g)]
      .filter(([, path = '']) => !exists(path))
      .map(({ 1: path, index }) => ({
        file: page,
        line: lineAt(prose, index),
        text: `names \`${path}\`, which does not exist; write its new name`,
      }));
  },
};
