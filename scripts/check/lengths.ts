/** Files and folders stay small. */

import { filesOf } from './repository.ts';
import type { Rule } from './rule.ts';
import { sourcesOf } from './source-files.ts';

const maxLines = 500;
const maxFiles = 20;

export const lengthsRule: Rule = {
  demand: `no source file is longer than ${maxLines} lines`,
  find: (repository) =>
    filesOf(repository, /^packages\/\w+\/src\/.*\.tsx?$/).flatMap(({ path, text }) => {
      const lines = text.split('\n').length - 1;
      return lines > maxLines ? [{ file: path, line: maxLines + 1, text: `has ${lines} lines; split it by idea` }] : [];
    }),
};

export const foldersRule: Rule = {
  demand: `no folder of sources has more than ${maxFiles} files beside its tests`,
  find(repository) {
    const counts = new Map<string, number>();
    for (const { file } of sourcesOf(repository)) {
      const folder = file.slice(0, file.lastIndexOf('/') + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    return [...counts]
      .filter(([, count]) => count > maxFiles)
      .map(([file, count]) => ({ file, text: `has ${count} files; group some of them in a folder` }));
  },
};
