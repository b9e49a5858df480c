import { projection, type Project } from './project.ts';
import type { Revision } from '../revision.ts';
import { shapes } from '../shapes.ts';
import type { TypeName, Types } from '../types.ts';
import type { Fields } from './value.ts';

const compiled = new Map<Revision, Map<TypeName, Project>>();

/**
 * Makes a value of the canonical model what a revision says: fields that it lacks are dropped, content that it
 * cannot name is adapted, and what it requires is filled in (`resultType`, `ttlMs`, `cacheScope`).
 *
 * Fields that no revision knows pass untouched. A value that needs no change is returned as the same object, and
 * none is ever changed in place. It does not check the value: see `check`.
 *
 * @throws McpError when the revision has no way to say it, such as tool use in sampling before 2025-11-25.
 */
export function toWire<N extends TypeName>(revision: Revision, type: N, value: Types[N]): Fields {
  let byName = compiled.get(revision);
  if (byName === undefined) compiled.set(revision, (byName = new Map()));
  let project = byName.get(type);
  if (project === undefined) byName.set(type, (project = projection(revision, shapes[type])));
  // Every named type is an object, and projects to one.
  return project(value) as Fields;
}
