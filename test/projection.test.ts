/** The laws of `toWire` and `fromWire`, tried on random values of every type at every revision. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { adaptationsOf } from '../packages/parley/src/protocol/adapt/adapt.ts';
import { check } from '../packages/parley/src/protocol/compile/check.ts';
import { McpError } from '../packages/parley/src/protocol/error.ts';
import { fromWire } from '../packages/parley/src/protocol/compile/from-wire.ts';
import { isAlive } from '../packages/parley/src/protocol/lifetime.ts';
import { methodNames, methodOf } from '../packages/parley/src/protocol/catalogue.ts';
import { newestRevision, revisions, type Revision } from '../packages/parley/src/protocol/revision.ts';
import { kindOf, type Kind, type Row, type Type } from '../packages/parley/src/protocol/shape.ts';
import { toWire } from '../packages/parley/src/protocol/compile/to-wire.ts';
import { valueOf } from './support/arbitrary.ts';
import { officialSchema } from './support/official-schemas.ts';
import { shapes } from './support/types.ts';

const numRuns = 40;

/** Official names of types that the tables have under another. */
const officialNames: ReadonlyMap<string, string> = new Map([
  ['2024-11-05 ResourceTemplateReference', 'ResourceReference'],
  ['2025-03-26 ResourceTemplateReference', 'ResourceReference'],
  ['2025-06-18 LegacyTitledEnumSchema', 'EnumSchema'],
]);

function lives(type: Type, revision: Revision): boolean {
  return hasLife(kindOf(type), revision);
}

function hasLife(kind: Kind, revision: Revision): boolean {
  if (kind.kind === 'ref') return isAlive(kind.shape.life, revision);
  if (kind.kind === 'map') return hasLife(kind.of.kind, revision);
  const cases = kind.kind === 'tagged' || kind.kind === 'choice' ? [...kind.cases.values()] : [];
  return cases.some((shape) => isAlive(shape.life, revision));
}

/** Runs a property on the projections of random values that the revision can say. */
function forProjections(revision: Revision, type: Type, property: (wire: unknown, value: unknown) => void): void {
  fc.assert(
    fc.property(valueOf(type), (value) => {
      const wire = projected(revision, type, value);
      if (wire !== undefined) property(wire, value);
    }),
    { numRuns },
  );
}

function projected(revision: Revision, type: Type, value: unknown): unknown {
  try {
    return toWire(revision, type, value);
  } catch (error) {
    assert.ok(error instanceof McpError);
    assert.match(error.message, /cannot be expressed in/);
    assert.equal(revision.elicitation === 'form-and-url', false, `${error.message}: ${JSON.stringify(value)}`);
    return undefined;
  }
}

for (const revision of revisions) {
  const official = officialSchema(revision.date);

  test(`every type projected to ${revision.date} fits its official schema`, () => {
    for (const [name, type] of shapes) {
      const known = officialNames.get(`${revision.date} ${name}`) ?? name;
      if (!lives(type, revision) || !official.names.includes(known)) continue;
      forProjections(revision, type, (wire, value) => {
        assert.deepEqual(official.problems(known, overWire(wire)), [], `${name}: ${JSON.stringify(value)}`);
      });
    }
  });

  test(`the parameters of every method projected to ${revision.date} fit its official schema`, () => {
    for (const method of methodNames) {
      const row = methodOf(method);
      const name = official.messageOf(method);
      if (row?.params === undefined || name === undefined) continue;
      forProjections(revision, row.params, (params, value) => {
        const id = row.kind === 'request' ? { id: 1 } : {};
        const problems = official.problems(name, overWire({ jsonrpc: '2.0', ...id, method, params }));
        assert.deepEqual(problems, [], `${method}: ${JSON.stringify(value)}`);
      });
    }
  });

  test(`what lives in ${revision.date} survives, and nothing else that is known`, () => {
    for (const [name, type] of shapes) {
      const kind = kindOf(type);
      if (kind.kind !== 'ref' || !lives(type, revision) || adaptationsOf(name).length > 0) continue;
      const rows = Object.entries(kind.shape.rows);
      forProjections(revision, type, (wire, value) => {
        for (const [key, row] of rows) {
          const there = Object.hasOwn(wire as object, key);
          if (!isAlive(row.life, revision)) assert.equal(there, false, `${name}.${key}`);
          else if (Object.hasOwn(value as object, key) && !(key === '_meta' && isEmptied(row, value, revision)))
            assert.equal(there, true, `${name}.${key}`);
        }
        for (const key of ['x-other', '__proto__', 'constructor']) {
          assert.equal(Object.hasOwn(wire as object, key), Object.hasOwn(value as object, key), `${name}.${key}`);
        }
      });
    }
  });

  test(`a projection to ${revision.date} is fine, stays as it is, and reads as what it says`, () => {
    for (const [name, type] of shapes) {
      if (!lives(type, revision)) continue;
      forProjections(revision, type, (wire) => {
        assert.deepEqual(check(revision, type, wire), [], `${name}: ${JSON.stringify(wire)}`);
        assert.equal(toWire(revision, type, wire), wire, name);
        assert.equal(fromWire(revision, type, wire), wire, name);
      });
    }
  });
}

test('a value is never changed in place, and no key reaches a prototype', () => {
  for (const revision of revisions) {
    for (const type of shapes.values()) {
      fc.assert(
        fc.property(valueOf(type), (value) => {
          const before = structuredClone(value);
          if (lives(type, revision)) projected(revision, type, deepFreeze(value));
          assert.deepEqual(structuredClone(value), before);
        }),
        { numRuns: 5 },
      );
    }
  }
  assert.deepEqual(Object.keys(Object.prototype), []);
});

test('the newest revision says everything but what has ended', () => {
  for (const type of shapes.values()) {
    if (!lives(type, newestRevision)) continue;
    fc.assert(
      fc.property(valueOf(type), (value) => projected(newestRevision, type, value) !== undefined),
      { numRuns },
    );
  }
});

/** What a value is after it has travelled. */
function overWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child);
    Object.freeze(value);
  }
  return value;
}

/** Whether a `_meta` has something, and nothing that lives in the revision: then it is left out as a whole. */
function isEmptied(row: Row, value: unknown, revision: Revision): boolean {
  const kind = kindOf(row);
  const keys = Object.keys((value as { readonly _meta: object })._meta);
  if (kind.kind !== 'ref' || keys.length === 0) return false;
  const { rows } = kind.shape;
  return keys.every((key) => {
    const known = Object.hasOwn(rows, key) ? rows[key] : undefined;
    return known !== undefined && !isAlive(known.life, revision);
  });
}
