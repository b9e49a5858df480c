import { ordinal, revisionOf, revisions, type Revision, type RevisionDate } from './revision.ts';

/** The interval of revisions in which a row is alive: from `first` up to, not including, `end` (ordinals). */
export interface Lifetime {
  readonly first: number;
  readonly end: number;
}

/** The lifetime of what every revision has. */
export const always: Lifetime = { first: 0, end: revisions.length };

/** The lifetime of what no revision has. */
export const never: Lifetime = { first: 0, end: 0 };

/** The lifetime that begins with a revision and has not ended. */
export function from(first: RevisionDate): Lifetime {
  return { first: position(first), end: revisions.length };
}

/** The lifetime that ends before a revision. */
export function until(end: RevisionDate): Lifetime {
  return { first: 0, end: position(end) };
}

/** The lifetime from one revision up to, not including, another. */
export function within(first: RevisionDate, end: RevisionDate): Lifetime {
  return { first: position(first), end: position(end) };
}

/** Tells whether a row is alive in a revision. */
export function isAlive(lifetime: Lifetime, revision: Revision): boolean {
  const at = ordinal(revision);
  return at >= lifetime.first && at < lifetime.end;
}

function position(date: RevisionDate): number {
  const revision = revisionOf(date);
  if (revision === undefined) throw new TypeError(`unknown revision ${date}`);
  return ordinal(revision);
}
