/** The files of `test/spec`: the facts of one revision each. */

import { createHash } from 'node:crypto';
import { factsOf, schemaOf, type Fact, type Schema } from './schema-facts.ts';

/** A file of `test/spec`. */
export interface FactFile {
  readonly revision: string;
  /** The dialect of JSON Schema that the official file is written in. */
  readonly dialect: string;
  /** A digest of the rest: a file that was changed by hand does not have it. */
  readonly digest: string;
  readonly types: Readonly<Record<string, Fact>>;
}

/** An official schema file, as far as it is read. */
export interface OfficialFile {
  readonly $schema: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The facts of an official file. */
export function factFile(revision: string, { $schema: dialect, $defs, definitions }: OfficialFile): FactFile {
  const types = mapped($defs ?? definitions ?? {}, factsOf);
  const digest = createHash('sha256')
    .update(JSON.stringify([revision, dialect, types]))
    .digest('hex')
    .slice(0, 32);
  return { revision, dialect, digest, types };
}

/** The text of a file: each field on a line, in the order of the official file. */
export function fileText(file: FactFile): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** The official file that the facts came from, without its prose. */
export function officialFile({ dialect, types }: FactFile): OfficialFile {
  const word = dialect.includes('draft-07') ? 'definitions' : '$defs';
  return { $schema: dialect, [word]: mapped(types, (fact) => schemaOf(fact, word)) };
}

function mapped<From, To>(of: Readonly<Record<string, From>>, map: (value: From) => To): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]));
}
