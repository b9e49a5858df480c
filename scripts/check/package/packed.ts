/** The packed package has maps, types and files that serve whoever installs it. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packageTarball, unpackedPackage } from '../../package-once.ts';
import type { Repository } from '../repository.ts';
import type { Finding, Rule } from '../rule.ts';
import { runTool } from '../tools.ts';

const maxBytes = 4_000_000;

/** The paths of files in a folder of the package, from the package. */
function filesIn(installed: string, folder: string): readonly string[] {
  return readdirSync(join(installed, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name).replaceAll('\\', '/'),
  );
}

export const mapsRule: Rule = {
  demand: 'every packed .js and .d.ts is mapped to sources in the package',
  find: () => mapFaults(unpackedPackage()),
};

/** The files of a package without a map, or with one to sources that are not there. */
export function mapFaults(installed: string): readonly Finding[] {
  // The page is one script, for a browser.
  const files = filesIn(installed, 'dist').filter((name) => /\.(js|d\.ts)$/.test(name) && !/inspect\/page/.test(name));
  return files.flatMap((file): readonly Finding[] => {
    const text = readFileSync(join(installed, file), 'utf8');
    const map = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(text)?.[1];
    if (map === undefined) {
      // A file that only exports names again has nothing to map.
      const declares = /^\s*(?:const|function|class|async|await|interface|type)\b/m.test(text);
      return declares ? [{ file, text: 'has no map; look at scripts/build.ts' }] : [];
    }
    const folder = dirname(join(installed, file));
    const { sources }: { sources: readonly string[] } = JSON.parse(readFileSync(join(folder, map), 'utf8'));
    return sources
      .filter((source) => !existsSync(resolve(folder, source)))
      .map((source) => ({ file, text: `is mapped to ${source}, which is not in the package` }));
  });
}

export const completeTypesRule: Rule = {
  demand: 'the packed types are complete on Node without those of the DOM',
  find: () => typeFaults(unpackedPackage()),
};

/** What the compiler says of a program that imports every entry point. */
export async function typeFaults(installed: string): Promise<readonly Finding[]> {
  const { exports }: { exports: object } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const names = Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => `parley-mcp${path.slice(1)}`);
  // Beside the package, where its name leads to it.
  const folder = mkdtempSync(join(installed, '../../types-'));
  try {
    const entries = join(folder, 'entries.mts');
    writeFileSync(entries, names.map((name) => `import '${name}';\nexport * from '${name}';`).join('\n'));
    const words =
      '--ignoreConfig --noEmit --strict --module nodenext --target es2023 --lib es2023 --types node --skipLibCheck false';
    const { printed } = await runTool('typescript/bin/tsc', [...words.split(' '), '--pretty', 'false', entries]);
    // A name that two entries have in common is exported twice.
    const said = printed.split('\n').filter((line) => line.trim() !== '' && !line.includes('TS2308'));
    return said.map((text) => ({ file: 'dist', text }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const olderCompilersRule: Rule = {
  demand: 'the packed types need no compiler that knows parameters of Uint8Array (5.7)',
  find: () => newerTypes(unpackedPackage()),
};

export function newerTypes(installed: string): readonly Finding[] {
  const found = filesIn(installed, 'dist').filter(
    (file) => file.endsWith('.d.ts') && readFileSync(join(installed, file), 'utf8').includes('Uint8Array<'),
  );
  return found.map((file) => ({ file, text: 'has a Uint8Array<…>; write its type in the source' }));
}

export const contentsRule: Rule = {
  demand: `the package holds no tests, all that README.md links, and at most ${maxBytes / 1e6} MB`,
  find: (repository) => contentFaults(repository, unpackedPackage(), statSync(packageTarball()).size),
};

export function contentFaults({ read }: Repository, installed: string, bytes: number): readonly Finding[] {
  const tests = filesIn(installed, 'src').filter((name) => /\.test(-d)?\.ts$/.test(name));
  const links = [...read('README.md').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);
  return [
    ...tests.map((file) => ({ file, text: 'is a test in the package; look at `files` in package.json' })),
    ...links
      .filter((path) => !existsSync(join(installed, path)))
      .map((path) => ({ file: 'README.md', text: `links ${path}, which is not in the package` })),
    ...(bytes > maxBytes
      ? [{ file: 'package.json', text: `makes a package of ${bytes} bytes, over ${maxBytes}; leave something out` }]
      : []),
  ];
}
