/** What a rule of the repository is, and what it finds. */

import type { Repository } from './repository.ts';

/** One place that breaks a rule. */
export interface Finding {
  /** From the root of the repository. */
  readonly file: string;
  /** Counted from 1; without it, the finding is about the whole file. */
  readonly line?: number;
  /** What is wrong, and what to do. */
  readonly text: string;
}

/** A rule of the repository. */
export interface Rule {
  /** What the rule demands, as one sentence without an end. */
  readonly demand: string;
  readonly find: (repository: Repository) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** A finding in one line: `packages/parley/src/a.ts:7 names a date; ask a fact of the revision`. */
export function lineOf({ file, line, text }: Finding): string {
  return `${line === undefined ? file : `${file}:${line}`} ${text}`;
}

/** The number of the line at an index of a text. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** A finding for each match of a pattern in a file. */
export function matches(
  { path, text }: { readonly path: string; readonly text: string },
  pattern: RegExp,
  say: (match: RegExpMatchArray) => string,
): readonly Finding[] {
  const every = new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
  return [...text.matchAll(every)].map((match) => ({
    file: path,
    line: lineAt(text, match.index),
    text: say(match),
  }));
}
