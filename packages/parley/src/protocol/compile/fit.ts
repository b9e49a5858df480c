/** Choice among several shapes for a value, by the fields that it must have. */

import type { Kind, Shape } from '../shape.ts';
import { isFields } from './value.ts';

/** The first of some shapes whose required fields, and what they must say, are there. */
export function fitting(shapes: readonly Shape[], value: unknown): Shape | undefined {
  return shapes.find((shape) => fits(shape, value));
}

function fits(shape: Shape, value: unknown): boolean {
  if (!isFields(value)) return false;
  for (const [key, row] of Object.entries(shape.rows)) {
    if (row.presence === 'required' && !holds(row.kind, value[key])) return false;
  }
  return true;
}

function holds(kind: Kind, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (kind.kind === 'literal') return typeof value === 'string' && kind.values.includes(value);
  return kind.kind === 'ref' ? fits(kind.shape, value) : true;
}
