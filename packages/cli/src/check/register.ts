import { ordinal, revisionOf, type Revision } from '../../../parley/src/protocol/revision.ts';
import { clientRows } from './client/row/rows.ts';
import { rows } from './rows.ts';

/** RegisterRow of the register of normative statements. */
export interface RegisterRow {
  readonly id: string;
  /** `MUST`, `SHOULD NOT`, …; `note` for a hardening of ours. */
  readonly level: string;
  /** Page and heading of the specification, as `2026-07-28/server/tools#error-handling`; empty for a hardening. */
  readonly place: string;
  /** Tells whether the statement is in force in a revision. */
  lives(revision: Revision): boolean;
}

const byId: ReadonlyMap<string, RegisterRow> = new Map(
  [...rows.trim().split('\n'), ...clientRows.trim().split('\n')].map((line) => {
    const [id = '', lifetime = '', level = '', place = ''] = line.trim().split(' ');
    return [id, { id, level: level.replace('_', ' '), place, lives: within(lifetime) }];
  }),
);

/**
 * Finds the row of a rule. Hardening rules, and rules from the official schema alone, have no row in the register.
 *
 * @throws Error for any other id: `scripts/register.ts` writes the rows again.
 */
export function rowOf(id: string): RegisterRow {
  const row = byId.get(id);
  if (row !== undefined) return row;
  if (id.startsWith('wire-')) return { id, level: 'MUST', place: '', lives: () => true };
  if (!id.startsWith('harden-')) throw new Error(`no row of the register is called ${id}; npm run lab -- register`);
  return { id, level: 'note', place: '', lives: () => true };
}

/** Words of a place as a page that can be opened. */
export function pageOf({ place }: RegisterRow): string | undefined {
  // What extensions say has pages of its own, which move.
  return !/^\d/.test(place)
    ? undefined
    : `https://modelcontextprotocol.io/specification/${place.replace('/index', '')}`;
}

/** Life from a revision to another, both included; `draft` is what comes after all that are published. An extension has no revisions. */
function within(lifetime: string): RegisterRow['lives'] {
  const [first, last = first] = lifetime.split('..').map(revisionOf);
  const end = lifetime.endsWith('draft') ? Infinity : last === undefined ? -1 : ordinal(last);
  return (revision) =>
    first === undefined ? !/^\d/.test(lifetime) : ordinal(revision) >= ordinal(first) && ordinal(revision) <= end;
}
