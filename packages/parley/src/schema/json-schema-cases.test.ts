import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { in07, in2020, inBoth, type Case } from '../../../../test/support/json-schema-cases.ts';
import { compileSchema } from './json-schema.ts';
import { keywordsThatCount, type Dialect } from './keywords.ts';

const dialects = [
  ['draft-2020-12', 'https://json-schema.org/draft/2020-12/schema', [...inBoth, ...in2020]],
  ['draft-07', 'http://json-schema.org/draft-07/schema#', [...inBoth, ...in07]],
] as const;

for (const [dialect, $schema, cases] of dialects) {
  for (const origin of ['own', 'peer'] as const) {
    test(`every keyword of ${dialect} means what it says in schemas of ${origin === 'own' ? 'our own' : 'a peer'} [schema-003]`, async () => {
      const wrong = await negotiations(cases, async (schema) => {
        const { check } = await compileSchema(typeof schema === 'boolean' ? schema : { $schema, ...schema }, {
          origin,
        });
        return (value) => check(value).length === 0;
      });
      assert.deepEqual(wrong, []);
    });
  }

  test(`another library says the same of the cases of ${dialect}`, async () => {
    const agreed = cases.filter(({ disputed = false }) => !disputed);
    const wrong = await negotiations(agreed, async (schema) => otherLibrary(dialect).compile(schema));
    assert.deepEqual(wrong, []);
  });

  test(`every keyword of ${dialect} has a case that refuses`, () => {
    const shown = new Set(cases.flatMap(({ schema, refuses }) => (refuses.length === 0 ? [] : keysIn(schema))));
    const counts = (name: string): boolean => name in keywordsThatCount({ [name]: true }, dialect);
    const all = Object.keys(otherLibrary(dialect).RULES.keywords).filter(counts);
    assert.ok(all.length > 30, all.join());
    assert.deepEqual(
      all.filter((name) => !shown.has(name)),
      [],
    );
  });
}

/** Ajv, the judge of our cases. */
function otherLibrary(dialect: Dialect): Ajv {
  const options = {
    strict: false,
    logger: false,
    validateFormats: false,
    validateSchema: false,
    ownProperties: true,
    multipleOfPrecision: 9,
  } as const;
  return dialect === 'draft-07' ? new Ajv(options) : new Ajv2020(options);
}

/** The cases in which a check says otherwise. */
async function negotiations(
  cases: readonly Case[],
  compile: (schema: Case['schema']) => Promise<(value: unknown) => unknown>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { schema, fits, refuses } of cases) {
    const check = await compile(schema);
    const say = (value: unknown): string => `${JSON.stringify(value)} against ${JSON.stringify(schema)}`;
    wrong.push(...fits.filter((value) => check(value) !== true).map((value) => `refuses ${say(value)}`));
    wrong.push(...refuses.filter((value) => check(value) !== false).map((value) => `allows ${say(value)}`));
  }
  return wrong;
}

function keysIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysIn)];
}
