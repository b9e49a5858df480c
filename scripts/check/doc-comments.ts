/** The first sentence of a doc comment names the thing. */

import { lineAt, type Rule } from './rule.ts';
import { fileOf, sourcesOf } from './source-files.ts';

/** Words that begin a question and name nothing. */
const question = /^(What|Who|Whom|Whose|How|Whether|Where|Why|When|Which)\b/;

export const docCommentsRule: Rule = {
  demand: 'a doc comment of the sources begins with a noun or a verb',
  find: (repository) =>
    sourcesOf(repository).flatMap(({ path, text }) =>
      [...text.matchAll(/\/\*\*[\s*]*([^]*?)\*\//g)]
        .filter(([, words = '']) => question.test(words))
        .map(({ index, 1: words = '' }) => ({
          file: fileOf(path),
          line: lineAt(text, index),
          text: `begins with "${words.split('\n')[0]}"; name the thing first`,
        })),
    ),
};
