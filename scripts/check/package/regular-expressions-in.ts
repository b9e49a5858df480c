/** The regular expressions of the source, as they are when they run, and what a checker says of each. */

import { parse, tokTypes, type Token } from 'acorn';
import { transform } from 'esbuild';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { env } from 'node:process';
import { pathToFileURL } from 'node:url';
import { root } from '../../../test/support/sources.ts';
import { fileOf, type Source } from '../source-files.ts';

// The checker as a binary where one is installed: the same in JavaScript takes several times as long. The others need Java.
env['RECHECK_BACKEND'] = hasBinary() ? 'native' : 'pure';
const { checkSync } = await import('recheck');

function hasBinary(): boolean {
  try {
    // It is installed where it runs, and nowhere else.
    return createRequire(import.meta.url).resolve('recheck-linux-x64/package.json') !== '';
  } catch {
    return false;
  }
}

/** A regular expression and the file that it is in. */
export interface Expression {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

/** What a file has: expressions that are written out, and how often it calls `RegExp`. */
export interface Written {
  readonly literals: readonly Expression[];
  readonly calls: number;
}

/** Reads the expressions that a text of TypeScript has. */
export async function writtenIn({ path, text }: Pick<Source, 'path' | 'text'>): Promise<Written> {
  const tokens: Token[] = [];
  const { code } = await transform(text, { loader: path.endsWith('x') ? 'tsx' : 'ts', target: 'esnext' });
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, onToken: tokens });
  const literals = tokens
    .filter(({ type }) => type === tokTypes.regexp)
    .map((token) => ({ path, ...expression(token) }));
  const isCall = (token: Token, index: number): boolean =>
    code.slice(token.start, token.end) === 'RegExp' && tokens[index + 1]?.type === tokTypes.parenL;
  return { literals, calls: tokens.filter(isCall).length };
}

function expression(token: Token): Omit<Expression, 'path'> {
  // Acorn's types leave out what a token means; to one of a regular expression it gives these two.
  const { pattern, flags } = (token as Token & { readonly value: { readonly pattern: string; readonly flags: string } })
    .value;
  return { source: pattern, flags };
}

/** Expressions that a file puts together while it is loaded. */
export interface Composed {
  readonly expressions: readonly Expression[];
  /** Number of its own places at which they were put together; one place may make several, and other files some for it. */
  readonly places: number;
}

/** Loads a file once more, and hears what expressions it puts together while it is loaded. */
export async function composedIn(path: string): Promise<Composed> {
  const found: Expression[] = [];
  const places = new Set<string>();
  const load = randomUUID();
  const { RegExp: native } = globalThis;
  const hear = (made: RegExp): RegExp => {
    found.push({ path, source: made.source, flags: made.flags });
    // The error itself, this function and what called it stand before whoever called `RegExp`.
    const caller = new Error().stack?.split('\n')[3] ?? '';
    if (caller.includes(load)) places.add(caller.slice(caller.indexOf(load)));
    return made;
  };
  globalThis.RegExp = new Proxy(native, {
    construct: (target, [pattern, flags]: [string, string?]) => hear(new target(pattern, flags)),
    apply: (target, _, [pattern, flags]: [string, string?]) => hear(target(pattern, flags)),
  });
  try {
    await import(`${pathToFileURL(join(root, fileOf(path))).href}?load=${load}`);
  } finally {
    globalThis.RegExp = native;
  }
  return { expressions: found, places: places.size };
}

/** Of the rounds of trials of a large expression, the later find nothing new; a loaded machine gets its time. */
const effort = { maxIteration: 4, timeout: 600_000 };

/** What is wrong with an expression: how its time grows, and a text that shows it. */
export function superLinear({ source, flags }: Expression): string | undefined {
  let found = checkSync(source, flags, effort);
  // Trials are random, and on a busy machine find what is not there: what is wrong is found again.
  for (let looks = 1; looks < 3 && found.status === 'vulnerable' && found.checker === 'fuzz'; looks++)
    found = checkSync(source, flags, effort);
  if (found.status === 'safe') return undefined;
  const what =
    found.status === 'vulnerable' ? `${found.complexity.summary}, ${found.attack.pattern}` : found.error.kind;
  return `/${source}/${flags}: ${what}`;
}
