import { inspection, type Problem } from './inspect.ts';
import type { Revision } from '../revision.ts';
import type { Type } from '../shape.ts';

export type { Problem } from './inspect.ts';

/**
 * Finds what in a value a revision's official schema would not accept, but for formats (of URIs, of base64), which it does not
 * look at. Strict where `fromWire` is lenient; like the schemas, it lets unknown fields be.
 *
 * @returns Empty when the value is fine.
 */
export function check(revision: Revision, type: Type, value: unknown): readonly Problem[] {
  const problems = inspection(revision, type)(value);
  return problems.map(({ path, message }) => ({ path: path.startsWith('.') ? path.slice(1) : path, message }));
}
