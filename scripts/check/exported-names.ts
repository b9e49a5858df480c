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

/** A declaration of a name at the top of a file. */
interface Declared {
  readonly file: string;
  readonly line: number;
  readonly exported: boolean;
}

export const oneDeclarationRule: Rule = {
  demand: 'an exported name of the sources is declared in one file, and no other file has a type of that name',
  find(repository) {
    const pattern = /^(export )?(?:abstract )?(?:async )?(interface|type|class|function\*?|const) (\w+)/gm;
    const places = new Map<string, Declared[]>();
    for (const { path, text } of sourcesOf(repository)) {
      for (const { 1: prefix, 2: kind = '', 3: name = '', index } of text.matchAll(pattern)) {
        const exported = prefix !== undefined;
        // A function or a value that one file keeps to itself confuses nobody elsewhere; a type does.
        if (!exported && !['interface', 'type', 'class'].includes(kind)) continue;
        const known = places.get(name) ?? [];
        // An overload is in the same file.
        if (known.every(({ file }) => file !== fileOf(path)))
          known.push({ file: fileOf(path), line: lineAt(text, index), exported });
        places.set(name, known);
      }
    }
    return [...places].flatMap(([name, declared]): readonly Finding[] => {
      const [first, ...others] = declared.toSorted((one, other) => Number(other.exported) - Number(one.exported));
      if (first?.exported !== true || inTwo.has(name)) return [];
      return others.map(({ file, line }) => ({
        file,
        line,
        text: `declares ${name}, as ${first.file} does; rename one of them`,
      }));
    });
  },
};
