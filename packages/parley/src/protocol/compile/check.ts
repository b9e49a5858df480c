import { inspection, inspectionOfWritten, type WireProblem } from './inspect.ts';
import { newestRevision, type Revision } from '../revision.ts';
import type { Type } from '../shape.ts';

export type { WireProblem } from './inspect.ts';

/**
 * Finds what in a value a revision's official schema would not accept, but for formats (of URIs, of base64), which it does not
 * look at. Strict where `fromWire` is lenient; like the schemas, it lets unknown fields be.
 *
 * @returns Empty when the value is fine.
 */
export function check(revision: Revision, type: Type, value: unknown): readonly WireProblem[] {
  return named(inspection(revision, type)(value));
}

/**
 * The same for what a program wrote in the canonical model, before it is projected: what `toWire` fills in may be absent. Nothing
 * is made for it, so that the one projection of a result is that onto the revision of its client.
 */
export function checkWritten(type: Type, value: unknown): readonly WireProblem[] {
  return named(inspectionOfWritten(newestRevision, type)(value));
}

function named(problems: readonly WireProblem[]): readonly WireProblem[] {
  if (problems.length === 0) return problems;
  return problems.map(({ path, message }) => ({ path: path.startsWith('.') ? path.slice(1) : path, message }));
}
