/** One difference between revisions that is no lifetime of a field: a named pair of functions. */

import { McpError } from '../error.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Revision } from '../revision.ts';
import type { ObjectFields } from '../compile/value.ts';

/** Adaptation of a type that travels differently in some revisions. */
export interface Adaptation<T extends object = ObjectFields> {
  /** Name of the adaptation: the name of its constant, by which `cli/compatibility/adaptation-lines.ts` has words and an example for it. */
  readonly name: string;
  /** The revisions in which it applies. */
  readonly life: Lifetime;
  /** Runs before the fields are projected; returns the same value when there is nothing to do, and may throw. */
  readonly toWire: (value: T, revision: Revision) => object;
  /** Runs after the fields were read; left out where nothing can be lifted back. */
  readonly fromWire?: (value: T, revision: Revision) => object;
}

/** The error for a value that a revision has no way to say. */
export function cannotSay(what: string, revision: Revision): McpError {
  return new McpError('internalError', `${what} cannot be expressed in ${revision.date}`);
}

/** The same, where a capability that the revision lacks would be needed. */
export function needsCapability(what: string, revision: Revision, requiredCapabilities: ObjectFields): McpError {
  return new McpError('missingRequiredClientCapability', `${what} cannot be expressed in ${revision.date}`, {
    data: { requiredCapabilities },
  });
}
