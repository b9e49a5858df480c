/** Pages for users have short sentences and standard words. */

import type { Repository } from './repository.ts';
import { lineAt, type Finding, type Rule } from './rule.ts';

/** Pages in docs/ that do not follow the rule yet, are generated, or are made of tables. */
const exempt: ReadonlySet<string> = new Set(
  ['check', 'fidelity', 'interop', 'runtimes'].map((name) => `docs/${name}.md`),
);

const limits = { readmeWords: 900, wordsPerSentence: 16, longSentence: 30, longShare: 0.05 } as const;

/** Words that have a plain counterpart, with it. Messages of the sources have none of them either. */
export const phrases: readonly (readonly [phrase: RegExp, plain: string])[] = [
  [/\b(?:nobody|somebody|whoever)\b/gi, 'name the client, the user or the caller'],
  [/\b(?:is|are|was|were) (?:told|heard|judged|mended|vouched)\b/gi, 'say "receives", "is reported" or "is checked"'],
  [/\bheld against\b/gi, 'say "validated against"'],
  [/\b(?:vouch|mend)(?:es|ed|ing|s)?\b/gi, 'say "confirm" or "fix"'],
  [/\b(?:thereof|whereby|lest|anew)\b/gi, 'say "again" or split the sentence'],
];

export const plainWordsRule: Rule = {
  demand: 'pages for users have short sentences and standard words',
  find: (repository) =>
    repository.paths
      .filter((path) => path === 'README.md' || (/^docs\/(?:how-to\/)?[\w-]+\.md$/.test(path) && !isExempt(path)))
      .flatMap((path) => faultsOf(repository, path)),
};

function isExempt(path: string): boolean {
  return exempt.has(path) || path.startsWith('docs/interop-');
}

function faultsOf({ read }: Repository, file: string): readonly Finding[] {
  const whole = read(file);
  const text = prose(whole);
  const sentences = sentencesOf(text);
  const words = sentences.reduce((sum, count) => sum + count, 0);
  const long = sentences.filter((count) => count > limits.longSentence).length;
  const mean = words / Math.max(1, sentences.length);
  const all = (whole.match(/\S+/g) ?? []).length;
  return [
    ...(mean > limits.wordsPerSentence
      ? [{ file, text: `has ${mean.toFixed(1)} words in a sentence; split sentences until it has at most 16` }]
      : []),
    ...(long > Math.max(1, limits.longShare * sentences.length)
      ? [{ file, text: `has ${long} sentences of more than ${limits.longSentence} words; split them` }]
      : []),
    ...(file === 'README.md' && all > limits.readmeWords
      ? [{ file, text: `has ${all} words, more than ${limits.readmeWords}; move a section to a page` }]
      : []),
    ...phrases.flatMap(([phrase, plain]) =>
      [...text.matchAll(phrase)].map(({ 0: found, index }) => ({
        file,
        line: lineAt(text, index),
        text: `says "${found}"; ${plain}`,
      })),
    ),
  ];
}

/** A page without code, tables, headings and addresses. Lines keep their numbers. */
function prose(text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  return text
    .replaceAll(/^ *```[^]*?^ *```|^#.*$|^ *\|.*$|<[^>\n]+>/gm, blank)
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replaceAll(/`[^`\n]+`/g, 'code');
}

/** The number of words in each sentence. */
function sentencesOf(text: string): readonly number[] {
  return text
    .split(/\n\s*\n|^\s*(?:[-*]|\d+\.)\s+|(?<=[.!?:])\s+(?=[A-Z*]|code\b)/m)
    .map((sentence) => (sentence.match(/[\w'’.:/-]*\w[\w'’.:/-]*/g) ?? []).length)
    .filter((count) => count > 2);
}
