import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting } from './setting.ts';

/** The version of a package that the programs use. */
export function versionOfPackage({ folder }: Setting, name: string): string {
  const manifest = readFileSync(join(folder, '..', 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
