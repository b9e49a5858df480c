/**
 * The full texts of the specification, where they are at hand: in `../shared`, beside the repository. Nothing needs them,
 * as `test/spec` has their facts; where they are, they judge as well.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OfficialFile } from '../../scripts/spec-files.ts';

const folder = fileURLToPath(new URL('../../../shared', import.meta.url));

/** The text of a file beside the repository, or nothing. */
export function beside(path: string): string | undefined {
  const file = join(folder, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The full official schema of a revision, or nothing. */
export function fullSchema(date: string): OfficialFile | undefined {
  const text = beside(`spec/${date}/schema.json`);
  return text === undefined ? undefined : JSON.parse(text);
}

/** An official example: the name of its type, of its file, and the value. */
export interface Example {
  readonly type: string;
  readonly file: string;
  readonly value: unknown;
}

/** The official examples of 2026-07-28, or nothing. */
export function examples(): readonly Example[] | undefined {
  const root = join(folder, 'spec/2026-07-28/examples');
  if (!existsSync(root)) return undefined;
  return readdirSync(root).flatMap((type) =>
    readdirSync(join(root, type))
      .filter((file) => file.endsWith('.json'))
      .map((file) => ({ type, file, value: JSON.parse(readFileSync(join(root, type, file), 'utf8')) })),
  );
}
