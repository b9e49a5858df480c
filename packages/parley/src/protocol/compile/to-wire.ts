import { projection } from './project.ts';
import type { Revision } from '../revision.ts';
import type { Type } from '../shape.ts';
import type { ObjectFields } from './value.ts';

/**
 * Makes a value of the canonical model what a revision says: fields that it lacks are dropped, content that it
 * cannot name is adapted, and what it requires is filled in (`resultType`, `ttlMs`, `cacheScope`).
 *
 * Fields that no revision knows pass untouched. A value that needs no change is returned as the same object, and
 * none is ever changed in place. It does not check the value: see `check`.
 *
 * @throws McpError when the revision has no way to say it, such as tool use in sampling before 2025-11-25.
 */
export function toWire<T>(revision: Revision, type: Type<T>, value: NoInfer<T>): ObjectFields {
  // Every type that travels by itself is an object, and projects to one.
  return projection(revision, type)(value) as ObjectFields;
}
