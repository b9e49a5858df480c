/** `package.json` agrees with `src/`: exports, and installed packages. */

import type { Repository } from './repository.ts';
import type { Finding, Rule } from './rule.ts';
import { lineOfImport, sourcesOf } from './source-files.ts';

/** The part of `package.json` that rules read. */
export interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const file = 'package.json';

export function manifestOf(repository: Repository): Manifest {
  // Our own file, which has these fields.
  return JSON.parse(repository.read(file)) as Manifest;
}

export const dependenciesRule: Rule = {
  demand: 'src/ imports only packages that are installed with it',
  find(repository) {
    const { dependencies, peerDependencies } = manifestOf(repository);
    const names = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    const isInstalled = (name: string): boolean =>
      name.startsWith('node:') || names.some((known) => name === known || name.startsWith(`${known}/`));
    return sourcesOf(repository)
      .filter(({ path }) => !path.startsWith('cli/inspect/page/')) // The page is bundled with its packages.
      .flatMap(({ path, text, packages }) =>
        packages
          .filter((name) => !isInstalled(name))
          .map((name) => ({
            file: `src/${path}`,
            line: lineOfImport(text, name),
            text: `imports ${name}, which is no dependency; a user does not have it`,
          })),
      );
  },
};

export const exportsRule: Rule = {
  demand: 'package.json exports each entry point, built',
  find(repository) {
    const { exports } = manifestOf(repository);
    const found: Finding[] = [];
    const entries = sourcesOf(repository).filter(({ layer }) => layer === '');
    for (const { path } of entries) {
      const entry = path.replace(/\.ts$/, '');
      const name = entry === 'index' ? '.' : `./${entry}`;
      if (!(name in exports))
        found.push({ file: `src/${path}`, text: `is not in the exports of ${file}; add "${name}"` });
    }
    for (const [name, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      const entry = name === '.' ? 'index' : name.slice(2);
      if (!entries.some(({ path }) => path === `${entry}.ts`))
        found.push({ file, text: `exports "${name}", but there is no src/${entry}.ts` });
      if (target.types !== `./dist/${entry}.d.ts` || target.default !== `./dist/${entry}.js`)
        found.push({ file, text: `exports "${name}" from another place than ./dist/${entry}.js and .d.ts` });
    }
    return found;
  },
};
