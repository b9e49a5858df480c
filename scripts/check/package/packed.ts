/** The packed packages have types and files that work where they are installed, and nothing else. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageNames, packageTarball, unpackedPackage } from '../../package-once.ts';
import type { Finding, Rule } from '../rule.ts';
import { runTool } from '../tools.ts';

/** The most that a package may have. Raising one needs a decision record. */
const limits = {
  'parley-mcp': { packedBytes: 1_000_000, bytes: 4_000_000, files: 400 },
  'parley-cli': { packedBytes: 1_400_000, bytes: 5_000_000, files: 400 },
} as const;

/** The paths of files in a folder of the package, from the package. */
function filesIn(installed: string, folder: string): readonly string[] {
  return readdirSync(join(installed, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name).replaceAll('\\', '/'),
  );
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
  demand: 'the packages are small, and hold no sources, tests or maps, and all that their README.md links',
  find: () =>
    packageNames.flatMap((name) =>
      contentFaults(unpackedPackage(name), { ...limits[name], packed: statSync(packageTarball(name)).size }),
    ),
};

/** The size of a tarball, and the most that a package may have. */
export interface ContentLimits {
  readonly packed: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly files: number;
}

/** What is wrong with an unpacked package. */
export function contentFaults(installed: string, limits: ContentLimits): readonly Finding[] {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) =>
      join(file.parentPath, file.name)
        .slice(installed.length + 1)
        .replaceAll('\\', '/'),
    );
  const bytes = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
  const links = [...readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)];
  const sizes = [
    [limits.packed, limits.packedBytes, 'packed bytes'],
    [bytes, limits.bytes, 'bytes'],
    [files.length, limits.files, 'files'],
  ] as const;
  return [
    ...files
      .filter((file) => /\.map$|(?<!\.d)\.ts$/.test(file))
      .map((file) => ({ file, text: 'is in the package; look at `files` in package.json' })),
    ...links
      .filter(([, path = '']) => !existsSync(join(installed, path)))
      .map(([, path]) => ({ file: 'README.md', text: `links ${path}, which is not in the package` })),
    ...sizes
      .filter(([size, most]) => size > most)
      .map(([size, most, unit]) => ({
        file: 'package.json',
        text: `makes a package of ${size} ${unit}, over ${most}; leave something out`,
      })),
  ];
}
