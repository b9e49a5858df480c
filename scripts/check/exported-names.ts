/** Every exported name has one place, and entry points only list names. */

import { lineAt, matches, type Finding, type Rule } from './rule.ts';
import { fileOf, sourcesOf } from './source-files.ts';

export const starsRule: Rule = {
  demand: 'the sources export by name: no star, no default, no index.ts in a folder',
  find: (repository) =>
    sourcesOf(repository).flatMap(({ path, text }) => {
      const file = fileOf(path);
      const index = path.endsWith('/index.ts') ? [{ file, text: 'is an index; import the concrete files' }] : [];
      return [
        ...index,
        ...matches({ path: file, text }, /^export (\*|default\b)/m, ([words]) => `has \`${words}\`; list the names`),
      ];
    }),
};

const statement = /(export|import) (type )?\{[^}]*\} from '[^']+';|export const \w+: [^;]*;/g;

export const entryPointsRule: Rule = {
  demand: 'an entry point lists names, and joins layers in single expressions',
  find: (repository) =>
    sourcesOf(repository)
      .filter(({ layer }) => layer === '')
      .flatMap(({ path, text }) => {
        const blank = (match: string): string => match.replaceAll(/[^\n]/g, ' ');
        const rest = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, blank).replaceAll(statement, blank);
        const at = rest.search(/\S/);
        if (at < 0) return [];
        const words = rest.slice(at).split('\n', 1)[0]?.slice(0, 80);
        return [{ file: fileOf(path), line: lineAt(rest, at), text: `has \`${words}\`; move it into a folder` }];
      }),
};

/** Names with one meaning in two rooms that do not import each other. */
const inTwo: ReadonlySet<string> = new Set(['RequestId']);

export const oneDeclarationRule: Rule = {
  demand: 'no exported name of the sources is declared in two files',
  find(repository) {
    const declared = /^export (?:abstract )?(?:async )?(?:interface|type|class|function\*?|const) (\w+)/gm;
    const places = new Map<string, { readonly file: string; readonly line: number }[]>();
    for (const { path, text } of sourcesOf(repository)) {
      // The page is a program of its own: nothing else imports it.
      const program = path.startsWith('cli/inspect/page/') ? 'page:' : '';
      for (const { 1: name = '', index } of text.matchAll(declared)) {
        const known = places.get(program + name) ?? [];
        // An overload is in the same file.
        if (known.every(({ file }) => file !== fileOf(path)))
          known.push({ file: fileOf(path), line: lineAt(text, index) });
        places.set(program + name, known);
      }
    }
    return [...places].flatMap(([name, [first, ...others]]): readonly Finding[] =>
      inTwo.has(name)
        ? []
        : others.map((place) => ({ ...place, text: `declares ${name}, as ${first?.file} does; rename one of them` })),
    );
  },
};
