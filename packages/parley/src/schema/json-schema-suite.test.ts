import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { test } from 'node:test';
import { compileSchema } from './json-schema.ts';

/** One file of the official JSON-Schema-Test-Suite. */
type Groups = readonly {
  readonly description: string;
  readonly schema: boolean | Readonly<Record<string, unknown>>;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}[];

/**
 * A checkout of the official suite, which is in no registry. `json-schema-cases.test.ts` shows every keyword without it;
 * with it, these tests are there too.
 */
const suite = env['JSON_SCHEMA_TEST_SUITE'];

/** Files about what is deliberately not done: fetching, other vocabularies, and assertions of annotations. */
const leftOut = new Set(['refRemote.json', 'vocabulary.json', 'format.json', 'content.json']);

for (const [folder, $schema] of [
  ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema'],
  ['draft7', 'http://json-schema.org/draft-07/schema#'],
] as const) {
  for (const origin of suite === undefined ? [] : (['own', 'peer'] as const)) {
    test(`the official suite of ${folder} passes for schemas of ${origin === 'own' ? 'our own' : 'a peer'} [schema-003]`, async () => {
      const directory = join(suite ?? '', 'tests', folder);
      const wrong: string[] = [];
      let total = 0;
      for (const file of readdirSync(directory).filter((name) => name.endsWith('.json') && !leftOut.has(name))) {
        const groups: Groups = JSON.parse(readFileSync(join(directory, file), 'utf8'));
        for (const group of groups) {
          const check = await checker(
            typeof group.schema === 'boolean' ? group.schema : { $schema, ...group.schema },
            origin,
          );
          if (check === undefined) continue;
          for (const { description, data, valid } of group.tests) {
            total++;
            if (check(data) !== valid) wrong.push(`${file}: ${group.description}: ${description}`);
          }
        }
      }
      assert.deepEqual(wrong, []);
      assert.ok(total > 700, `only ${total} tests ran`);
    });
  }
}

/** `undefined` for a schema that is refused: for an external reference. */
async function checker(schema: unknown, origin: 'own' | 'peer'): Promise<((value: unknown) => boolean) | undefined> {
  try {
    const { check } = await compileSchema(schema, { origin });
    return (value) => check(value).length === 0;
  } catch (error) {
    assert.match(String(error), /external references are never fetched/);
    return undefined;
  }
}
