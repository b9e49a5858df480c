/**
 * Loaded before a program: gives it one method more than there are, as somebody would add it: a feature file, its line in the
 * catalogue, and a handler of servers.
 */

import { registerHooks } from 'node:module';
import { textOf } from './module-text.ts';

/** How often the method was served in this process. */
export const served: { times: number } = ((globalThis as { served?: { times: number } }).served = { times: 0 });

/** The handler of the method; it is written into a file where only what is global is known. */
function explain({ word, language = 'none' }: { readonly word: string; readonly language?: string }): object {
  (globalThis as unknown as { served: { times: number } }).served.times++;
  return { meaning: `${word} in ${language}`, ttlMs: 60_000 };
}

/** Where the parts of the method go, by the end of the file's URL: after which text, and what. */
const additions: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  '/src/protocol/catalogue.ts': [
    [/^/, `import { wordMethods } from '${new URL('new-method-feature.ts', import.meta.url).href}';\n`],
    [/const table: .* = \{/, '\n  ...wordMethods,'],
  ],
  '/src/server/parts/handlers.ts': [[/return \{(?=\s+'tools\/call')/, `\n'words/explain': ${String(explain)},`]],
};

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const [, parts] = Object.entries(additions).find(([end]) => url.endsWith(end)) ?? [];
    return parts === undefined ? loaded : { ...loaded, source: parts.reduce(added, textOf(loaded.source)) };
  },
});

function added(text: string, [after, what]: readonly [RegExp, string]): string {
  if (!after.test(text)) throw new Error(`there is no place for the method after ${after}`);
  return text.replace(after, (found) => found + what);
}
