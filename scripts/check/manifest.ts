/** The manifests of both packages agree with their sources: exports, and installed packages. */

import type { Repository } from './repository.ts';
import type { Finding, Rule } from './rule.ts';
import { lineOfImport, sourcesOf } from './source-files.ts';

/** The part of a `package.json` that rules read. */
export interface Manifest {
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

const library = 'packages/parley/package.json';
const commandLine = 'packages/cli/package.json';

/** A manifest, by its path from the root of the repository. */
export function manifestOf(repository: Repository, path: string): Manifest {
  // Our own files, which have these fields.
  return JSON.parse(repository.read(path)) as Manifest;
}

export const dependenciesRule: Rule = {
  demand: 'the sources of a package import only packages that are installed with it',
  find: (repository) =>
    sourcesOf(repository)
      .filter(({ path }) => !path.startsWith('cli/inspect/page/')) // The page is bundled with its packages.
      .flatMap(({ file, text, packages }) => {
        const { dependencies, peerDependencies } = manifestOf(
          repository,
          file.startsWith('packages/cli/') ? commandLine : library,
        );
        const names = Object.keys({ ...dependencies, ...peerDependencies });
        return packages
          .filter((name) => !name.startsWith('node:'))
          .filter((name) => !names.some((known) => name === known || name.startsWith(`${known}/`)))
          .map((name) => ({
            file,
            line: lineOfImport(text, name),
            text: `imports ${name}, which is no dependency; a user does not have it`,
          }));
      }),
};

export const manifestsRule: Rule = {
  demand: 'both packages have one version, and versions of dependencies that the command line shares with the library',
  find(repository) {
    const [own, its] = [manifestOf(repository, commandLine), manifestOf(repository, library)];
    const shared = { ...its.dependencies, ...its.peerDependencies };
    return [
      ...(own.version === its.version ? [] : [`has version ${own.version}, and the library ${its.version}`]),
      ...Object.entries({ ...own.dependencies, ...own.peerDependencies })
        .filter(([name, version]) => shared[name] !== version)
        .map(([name, version]) => `needs ${name} ${version}, and the library ${shared[name] ?? 'does not'}`),
    ].map((text) => ({ file: commandLine, text: `${text}; make them equal` }));
  },
};

export const exportsRule: Rule = {
  demand: 'the library exports each entry point, built',
  find(repository) {
    const { exports = {} } = manifestOf(repository, library);
    const found: Finding[] = [];
    const entries = sourcesOf(repository).filter(({ layer }) => layer === '');
    for (const { path, file } of entries) {
      const entry = path.replace(/\.ts$/, '');
      const name = entry === 'index' ? '.' : `./${entry}`;
      if (!(name in exports)) found.push({ file, text: `is not in the exports of ${library}; add "${name}"` });
    }
    for (const [name, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      const entry = name === '.' ? 'index' : name.slice(2);
      if (!entries.some(({ path }) => path === `${entry}.ts`))
        found.push({ file: library, text: `exports "${name}", but there is no packages/parley/src/${entry}.ts` });
      if (target.types !== `./dist/${entry}.d.ts` || target.default !== `./dist/${entry}.js`)
        found.push({
          file: library,
          text: `exports "${name}" from another place than ./dist/${entry}.js and .d.ts`,
        });
    }
    return found;
  },
};
