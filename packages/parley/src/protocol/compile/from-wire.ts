import { McpError } from '../error.ts';
import { Mismatch, pathText, reader, reading, type Lenience } from './read.ts';
import type { Revision } from '../revision.ts';
import { nameOf, type Type } from '../shape.ts';

export type { Lenience } from './read.ts';

/**
 * Reads what a peer sent in a revision: leniently, so that a newer or careless peer is understood.
 *
 * Fields that no revision knows are kept, those of other revisions are taken away, and null for an optional field
 * counts as absent. A field that is required only in some revisions may be missing. Content of an unknown kind is
 * kept as it came. A value that is fine is returned as the same object. `undefined` reads as an empty object.
 *
 * @param lenience Hears of required fields with a default, and decides about entries of lists that do not fit; without it,
 *   one such entry makes the list fail.
 * @throws McpError `invalidParams`, naming the path, when a known field has the wrong type or a required one is missing.
 */
export function fromWire<T>(revision: Revision, type: Type<T>, value: unknown, lenience?: Lenience): T {
  try {
    // The reader has checked every field that the interface names, but for entries that `lenience` keeps as they came.
    return reading(reader(revision, type), value === undefined ? {} : value, lenience) as T;
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    const path = pathText(error.path);
    const dot = path === '' || path.startsWith('[') ? '' : '.';
    throw new McpError('invalidParams', `${nameOf(type)}${dot}${path} ${error.message}`);
  }
}
