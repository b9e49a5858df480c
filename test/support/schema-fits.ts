import assert from 'node:assert/strict';
import { compileSchema, type CompileOptions } from '../../packages/parley/src/schema/json-schema.ts';
import type { Problem } from '../../packages/parley/src/schema/problem.ts';

export const tooMany = 'cannot be checked: there is too much to check';

export async function problems(schema: unknown, value: unknown, options?: CompileOptions): Promise<readonly Problem[]> {
  return (await compileSchema(schema, options)).check(value);
}

/** Whether a value fits; our own schemas and those of peers must agree. */
export async function fits(schema: unknown, value: unknown): Promise<boolean> {
  const [own, peer] = [await problems(schema, value, { origin: 'own' }), await problems(schema, value)];
  assert.equal(own.length === 0, peer.length === 0, JSON.stringify({ schema, value, own, peer }));
  return peer.length === 0;
}

/** Letters a and b as by chance, so that whoever looks for something in them meets ever new cases. */
export function lettersOf(seed: number, length: number): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return (state >>> 16) % 2 === 0 ? 'a' : 'b';
  }).join('');
}
