/** What the official schemas say, read from the facts in `test/spec`. */

import { readFileSync } from 'node:fs';
import { officialFile, type FactFile, type OfficialFile } from '../../scripts/spec-files.ts';
import type { Schema } from '../../scripts/schema-facts.ts';

export type Definitions = Readonly<Record<string, Schema>>;

const files = new Map<string, FactFile>();

/** The facts of a revision. */
export function facts(date: string): FactFile {
  const known = files.get(date);
  if (known !== undefined) return known;
  const file: FactFile = JSON.parse(readFileSync(new URL(`../spec/${date}.json`, import.meta.url), 'utf8'));
  files.set(date, file);
  return file;
}

/** The schema file of a revision without its prose: a new value each time. */
export function document(date: string): OfficialFile {
  return officialFile(facts(date));
}

/** The definitions of a schema file, by name. */
export function definitionsOf({ $defs, definitions }: OfficialFile): Definitions {
  return $defs ?? definitions ?? {};
}

/** The definition that a reference names. */
export function referred(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}
