/** The official schemas and examples, read from beside the repository: test data that is never copied into it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RevisionDate } from '../../src/protocol/revision.ts';

const folder = fileURLToPath(new URL('../../../shared/spec', import.meta.url));

/** What tests say when they are skipped, or `false` when the official schemas are here. */
export const skip: string | false = existsSync(folder) ? false : 'the official schemas (../shared/spec) are not here';

/** A JSON Schema as the official files write them. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export type Definitions = Readonly<Record<string, Schema>>;

/** The definitions of a revision's schema, by name. */
export function definitions(date: RevisionDate): Definitions {
  const file = document(date);
  return file.$defs ?? file.definitions ?? {};
}

/** The whole schema file of a revision. */
export function document(date: RevisionDate): { $schema: string; $defs?: Definitions; definitions?: Definitions } {
  return JSON.parse(readFileSync(join(folder, date, 'schema.json'), 'utf8'));
}

/** The definition that a reference names. */
export function referred(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

/** The official examples of 2026-07-28: the name of the type, of the file, and the value. */
export function examples(): readonly { type: string; file: string; value: unknown }[] {
  const root = join(folder, '2026-07-28', 'examples');
  return readdirSync(root).flatMap((type) =>
    readdirSync(join(root, type))
      .filter((file) => file.endsWith('.json'))
      .map((file) => ({ type, file, value: JSON.parse(readFileSync(join(root, type, file), 'utf8')) })),
  );
}
