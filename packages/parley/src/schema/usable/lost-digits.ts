/** Integers beyond 2^53 in values that came as JSON text: what JavaScript reads may be another number than was sent. */

import { SchemaDocument, SchemaError } from '../document.ts';
import { lostDigits } from '../explain.ts';
import { compileDocument, type CompiledSchema } from '../json-schema.ts';
import { hasLargeInteger } from './large-integer.ts';
import { nearestOf } from './nearest.ts';
import { peersAllowance } from '../pattern.ts';
import type { Problem } from '../problem.ts';

/**
 * Makes the test of values that fit a schema: where it says integer, and the value has lost digits.
 *
 * @param origin Author of the schema.
 */
export function lostDigitsBy(schema: unknown, origin: 'own' | 'peer'): (value: unknown) => readonly Problem[] {
  if (!JSON.stringify(schema).includes('"integer"')) return () => [];
  let compiled: CompiledSchema | undefined | 'unusable';
  return (value) => {
    if (!hasLargeInteger(value)) return [];
    compiled ??= compiledBy(schema, origin) ?? 'unusable';
    if (compiled === 'unusable') return [];
    return compiled.check(value).filter(({ message }) => message === lostDigits);
  };
}

function compiledBy(schema: unknown, origin: 'own' | 'peer'): CompiledSchema | undefined {
  try {
    const admit = origin === 'own' ? undefined : peersAllowance();
    const document = new SchemaDocument(nearestOf(schema)?.read?.schema ?? schema, {}, admit);
    return compileDocument(document, { origin, received: true });
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}
