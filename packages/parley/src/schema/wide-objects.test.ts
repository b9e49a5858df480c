import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema } from './json-schema.ts';

const width = 5_000;

/** An object with many members that counts how often it is enumerated and read. */
function counted(): { readonly value: object; readonly work: { enumerated: number; reads: number } } {
  const work = { enumerated: 0, reads: 0 };
  const members = Object.fromEntries(Array.from({ length: width }, (_, at) => [`k${at}`, at]));
  const value = new Proxy(members, {
    ownKeys(target) {
      work.enumerated++;
      return Reflect.ownKeys(target);
    },
    get(target, name) {
      work.reads++;
      return Reflect.get(target, name) as unknown;
    },
  });
  return { value, work };
}

const schemas = [
  ['that allows no members', { additionalProperties: false }, 20],
  ['that wants texts', { additionalProperties: { type: 'string' } }, 20],
  ['that wants numbers', { additionalProperties: { type: 'number' } }, 0],
  ['with patterns', { patternProperties: { '^k': { type: 'string' } } }, 20],
] as const;

for (const [what, keywords, problems] of schemas)
  test(`a schema ${what} reads each of many members at most a few times`, async () => {
    const schema = await compileSchema({ type: 'object', ...keywords }, { origin: 'own' });
    const { value, work } = counted();
    assert.equal(schema.check(value).length, problems);
    assert.ok(work.enumerated <= 3, `${work.enumerated} enumerations`);
    assert.ok(work.reads <= 3 * width, `${work.reads} reads`);
  });
