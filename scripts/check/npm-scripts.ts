/** Every `npm run …` that a page, a comment or a message names exists. */

import { experiments } from '../lab-table.ts';
import { manifestOf } from './manifest.ts';
import { filesOf } from './repository.ts';
import { lineAt, type Rule } from './rule.ts';

/** Files whose `npm run` is of programs of others, or of the past. */
const exempt =
  /^(CHANGELOG\.md|executors\/temporal\/|packages\/cli\/src\/commands\/(call|config)\/.*\.test\.ts$|test\/rules\/)/;

export const npmScriptsRule: Rule = {
  demand: 'every `npm run …` that is named exists',
  find(repository) {
    const { scripts = {} } = manifestOf(repository, 'package.json');
    return filesOf(repository, /\.(md|ts|tsx|js|mjs|json)$|^\.(ci|github)\//)
      .filter(({ path }) => !exempt.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/npm run (?:--silent )?([a-z][\w:-]*)(?: -- ([\w:-]+))?/g)]
          .filter(
            ([, name = '', word]) =>
              !(name in scripts) || (name === 'lab' && !(word === undefined || word in experiments)),
          )
          .map(({ 0: words, index }) => ({
            file: path,
            line: lineAt(text, index),
            text: `names \`${words}\`, which does not exist; \`npm run lab\` lists what does`,
          })),
      );
  },
};
