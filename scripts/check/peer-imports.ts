/** The files that need packages of `peers/`, by what they and the files that they import name. */

import { posix } from 'node:path';
import { peerNames } from '../peers.ts';
import { filesOf, type Repository } from './repository.ts';
import { importsOf } from './source-files.ts';

/** Packages whose names are put together when they are loaded: `sdk-${version}/types.js`. */
const built = /`sdk-\$\{/;

/** A package whose files are named, and not imported by a statement. */
const named = /'((?:@[\w.-]+\/)?[\w.-]+\/)[^']*'|node_modules\/((?:@[\w.-]+\/)?[\w.-]+)/g;

/** A package whose types `tsconfig.json` finds elsewhere. */
const typed = '@modelcontextprotocol/sdk/';

/** How a file comes to need a package. `types` counts imports of types, too. */
export interface PeerOptions {
  readonly types: boolean;
}

/** The files that need a package of `peers/`, directly or through the files that they import. */
export function filesNeedingPeers(repository: Repository, { types }: PeerOptions): ReadonlySet<string> {
  const importedBy = new Map<string, string[]>();
  const open: string[] = [];
  for (const { path, text } of filesOf(
    repository,
    /^(src|test|scripts|examples|bench|runtimes|interop|executors)\/.*\.tsx?$/,
  )) {
    const specifiers = importsOf(types ? text : text.replaceAll(/^(import|export) type [^;]*;/gm, ''));
    for (const specifier of specifiers.filter((name) => name.startsWith('.'))) {
      const target = posix.join(posix.dirname(path), specifier);
      importedBy.set(target, [...(importedBy.get(target) ?? []), path]);
    }
    const others = [...text.matchAll(named)].map(([, one, other]) => one ?? other ?? '');
    const isMissing = (name: string): boolean => isPeer(name) && !(types && name.startsWith(typed));
    if (specifiers.some(isMissing) || (!types && (others.some(isPeer) || built.test(text)))) open.push(path);
  }
  const needing = new Set<string>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (needing.has(path)) continue;
    needing.add(path);
    open.push(...(importedBy.get(path) ?? []));
  }
  return needing;
}

function isPeer(specifier: string): boolean {
  return peerNames.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}
