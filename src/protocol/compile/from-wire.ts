import { McpError } from '../error.ts';
import { Mismatch, reader } from './read.ts';
import type { Revision } from '../revision.ts';
import { nameOf, type Type } from '../shape.ts';

/**
 * Reads what a peer sent in a revision: leniently, so that a newer or careless peer is understood.
 *
 * Fields that no revision knows are kept, those of other revisions are taken away, and null for an optional field
 * counts as absent. A field that is required only in some revisions may be missing. Content of an unknown kind is
 * kept as it came. A value that is fine is returned as the same object. `undefined` reads as an empty object.
 *
 * @throws McpError `invalidParams`, naming the path, when a known field has the wrong type or a required one is missing.
 */
export function fromWire<T>(revision: Revision, type: Type<T>, value: unknown): T {
  try {
    // The reader has checked every field that the interface names.
    return reader(revision, type)(value === undefined ? {} : value) as T;
  } catch (error) {
    if (error instanceof Mismatch) throw new McpError('invalidParams', `${pathOf(type, error.path)} ${error.message}`);
    throw error;
  }
}

const longestKey = 64;

function pathOf(type: Type, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return `${text}.${key.length > longestKey ? `${key.slice(0, longestKey)}…` : key}`;
  }, nameOf(type));
}
