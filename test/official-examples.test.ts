/**
 * The official examples of 2026-07-28 are read as they are and found to be right, where they are at hand;
 * `official-values.test.ts` does the same everywhere with values made from the facts.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../packages/parley/src/protocol/compile/check.ts';
import { errorFromWire } from '../packages/parley/src/protocol/error.ts';
import { fromWire } from '../packages/parley/src/protocol/compile/from-wire.ts';
import { methodOf } from '../packages/parley/src/protocol/catalogue.ts';
import { newestRevision } from '../packages/parley/src/protocol/revision.ts';
import type { Type } from '../packages/parley/src/protocol/shape.ts';
import { toWire } from '../packages/parley/src/protocol/compile/to-wire.ts';
import { examples, type Example } from './support/beside.ts';
import { rowOf, shapes } from './support/types.ts';

/** Official examples that the official schema does not accept either, with what they lack. */
const flawed: ReadonlyMap<string, readonly string[]> = new Map([
  ['ReadResourceResultResponse/read-resource-result-response.json', ['ttlMs', 'cacheScope']],
]);

interface Typed {
  readonly type: Type;
  readonly value: unknown;
}

const official = examples();
if (official !== undefined) {
  test('every official example is fine, reads as it is and is sent as it is', () => areFine(official));
  test('every official example of an error is recognised by name', () => areRecognised(official));
}

function areFine(all: readonly Example[]): void {
  const read = all.flatMap(({ type, file, value }) => {
    const example = exampleOf(type, value);
    return example === undefined ? [] : [{ ...example, name: `${type}/${file}` }];
  });
  assert.ok(read.length > 90, `${read.length} examples`);
  for (const { type, value, name } of read) {
    const problems = check(newestRevision, type, value).map(({ path }) => path);
    assert.deepEqual(problems, flawed.get(name) ?? [], name);
    assert.equal(fromWire(newestRevision, type, value), value, name);
    if (flawed.has(name)) continue;
    assert.equal(toWire(newestRevision, type, value), value, name);
  }
}

function areRecognised(all: readonly Example[]): void {
  const kinds = new Map([
    ['HeaderMismatchError', 'headerMismatch'],
    ['InternalError', 'internalError'],
    ['InvalidParamsError', 'invalidParams'],
    ['MethodNotFoundError', 'methodNotFound'],
    ['MissingRequiredClientCapabilityError', 'missingRequiredClientCapability'],
    ['ParseError', 'parseError'],
    ['UnsupportedProtocolVersionError', 'unsupportedProtocolVersion'],
  ]);
  const errors = all.filter(({ type }) => type.endsWith('Error'));
  assert.ok(errors.length > 5);
  for (const { type, value } of errors) {
    const example = value as { readonly error?: unknown };
    const error = (example.error ?? value) as { code: number; message: string };
    assert.equal(errorFromWire(error).kind, kinds.get(type), type);
  }
}

/** The part of an example that is a type of the tables: messages and responses are framing around one. */
function exampleOf(type: string, value: unknown): Typed | undefined {
  const known = shapes.get(type);
  if (known !== undefined) return { type: known, value };
  const message = value as {
    readonly method?: string;
    readonly params?: unknown;
    readonly result?: { readonly resultType: string };
  };
  if (message.method !== undefined) {
    const params = methodOf(message.method)?.params;
    return params === undefined ? undefined : { type: params, value: message.params ?? {} };
  }
  if (message.result === undefined) return undefined;
  const result =
    message.result.resultType === 'input_required' ? 'InputRequiredResult' : type.slice(0, -'Response'.length);
  return { type: rowOf(result), value: message.result };
}
