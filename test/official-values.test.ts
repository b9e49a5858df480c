/** Whatever the official schemas allow is found right and read as it is. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../packages/parley/src/protocol/compile/check.ts';
import { fromWire } from '../packages/parley/src/protocol/compile/from-wire.ts';
import { isAlive } from '../packages/parley/src/protocol/lifetime.ts';
import { methodOf } from '../packages/parley/src/protocol/catalogue.ts';
import { revisions, type Revision } from '../packages/parley/src/protocol/revision.ts';
import { nameOf, type Type } from '../packages/parley/src/protocol/shape.ts';
import { definitionsOf, document } from './support/official-definitions.ts';
import { officialValues } from './support/official-values.ts';
import { shapes } from './support/types.ts';

interface Typed {
  readonly type: Type;
  readonly value: unknown;
}

for (const revision of revisions) {
  test(`whatever the official schema of ${revision.date} allows is fine and reads as it is`, () => {
    const read = allowedBy(revision);
    assert.ok(read.length > 500, `${read.length} values`);
    for (const { type, value } of read) {
      assert.deepEqual(check(revision, type, value), [], `${nameOf(type)}: ${JSON.stringify(value)}`);
      assert.equal(fromWire(revision, type, value), value, `${nameOf(type)}: ${JSON.stringify(value)}`);
    }
  });
}

function allowedBy(revision: Revision): readonly Typed[] {
  const definitions = definitionsOf(document(revision.date));
  return Object.keys(definitions).flatMap((name) =>
    officialValues(definitions, name)
      .flatMap((value) => typed(revision, name, value) ?? [])
      .filter((one) => !isUnsaid(one)),
  );
}

/** The value as a type of the tables: of a message its parameters, as the tables have no messages. */
function typed(revision: Revision, name: string, value: unknown): Typed | undefined {
  const type = shapes.get(name);
  if (type !== undefined && (type.kind.kind !== 'ref' || isAlive(type.kind.shape.life, revision)))
    return { type, value };
  const { method, params = {} } = value as { readonly method?: unknown; readonly params?: unknown };
  const row = typeof method === 'string' ? methodOf(method) : undefined;
  return row?.params === undefined ? undefined : { type: row.params, value: params };
}

/** The schema says that this field is a string, and the page on input rounds which one. */
function isUnsaid({ type, value }: Typed): boolean {
  return (
    nameOf(type) === 'InputRequiredResult' && (value as { readonly resultType: string }).resultType !== 'input_required'
  );
}
