/** The registers of `test/spec`: which requirements there are and where they stand, and which behaviours. No sentences. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the registers. */
export const folder: string = join(import.meta.dirname, '../test/spec');

/** A normative statement of the specification. */
export interface Requirement {
  readonly id: string;
  /** One revision or extension, or the first and last of several: `2024-11-05..2025-11-25`. */
  readonly revisions: string;
  readonly side: string;
  readonly area: string;
  /** `MUST`, `SHOULD NOT`, … */
  readonly level: string;
  /** Who can keep it: `yes` (a library), `host` or `n/a`. */
  readonly sdk: string;
  /** Checks of the official suite that are about it, by their ids, with commas; empty where there are none. */
  readonly checks: string;
  /** The page and heading, as `2026-07-28/server/tools#error-handling`; empty where there is none. */
  readonly place: string;
}

/** A behaviour that Parley shows, in words of ours. */
export interface Behaviour {
  readonly id: string;
  readonly words: string;
}

/** The requirements of the repository. */
export function requirements(): readonly Requirement[] {
  return requirementsIn(readFileSync(join(folder, 'requirements.tsv'), 'utf8'));
}

/** The requirements in the text of a register. */
export function requirementsIn(text: string): readonly Requirement[] {
  return rowsOf(text).map(requirementOf);
}

/** The behaviours of the repository. */
export function behaviours(): readonly Behaviour[] {
  return behavioursIn(readFileSync(join(folder, 'behaviours.tsv'), 'utf8'));
}

/** The behaviours in the text of a register. */
export function behavioursIn(text: string): readonly Behaviour[] {
  return rowsOf(text).map(({ id = '', words = '' }) => ({ id, words }));
}

/** The requirements of the full register, whose column `source` is the place. */
export function fullRequirements(text: string): readonly Requirement[] {
  return rowsOf(text).map((row) =>
    requirementOf({
      ...row,
      revisions: interval(row['revision(s)'] ?? ''),
      checks: row['conformance'] === 'none' ? '' : (row['conformance'] ?? ''),
      place: row['source'] ?? '',
    }),
  );
}

const inOrder = '2024-11-05,2025-03-26,2025-06-18,2025-11-25,2026-07-28,draft';

function interval(list: string): string {
  const names = list.split(',');
  if (names.length === 1) return list;
  if (!inOrder.includes(list)) throw new Error(`${list} leaves a revision out, and cannot be written as an interval`);
  return `${names[0]}..${names.at(-1)}`;
}

/** What the full register says of each requirement, in its words. */
export function fullWords(text: string): ReadonlyMap<string, string> {
  return new Map(rowsOf(text).map(({ id = '', requirement = '' }) => [id, requirement]));
}

/** The ids of the full register of behaviours. */
export function fullBehaviours(text: string): readonly string[] {
  return [...text.matchAll(/^\| ([A-E]\d{2}) \|/gm)].map(([, id = '']) => id);
}

/** The text of a register: a line for each row, a tab between cells. */
export function tableText(rows: readonly object[]): string {
  const lines = rows.map((row) => Object.values(row).join('\t'));
  return [Object.keys(rows[0] ?? {}).join('\t'), ...lines, ''].join('\n');
}

function requirementOf(row: Readonly<Record<string, string>>): Requirement {
  const { id = '', revisions = '', side = '', area = '', level = '', sdk = '', checks = '', place = '' } = row;
  return { id, revisions, side, area, level, sdk, checks, place };
}

function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const [head = [], ...rows] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
  return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
}
