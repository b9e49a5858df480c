/** Laws that hold between a projection and its trace, for random values of every type at every revision. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placeIn } from '../packages/parley/src/json/place.ts';
import { McpError } from '../packages/parley/src/protocol/error.ts';
import { toWire } from '../packages/parley/src/protocol/compile/to-wire.ts';
import { traceOf, type WireChange } from '../packages/parley/src/protocol/compile/trace.ts';
import { revisions, type Revision } from '../packages/parley/src/protocol/revision.ts';
import type { Type } from '../packages/parley/src/protocol/shape.ts';
import { isFields } from '../packages/parley/src/protocol/compile/value.ts';
import { valueOf } from './support/arbitrary.ts';
import { shapes } from './support/types.ts';

function projected(revision: Revision, type: Type, value: unknown): { readonly wire: unknown } | undefined {
  try {
    return { wire: toWire(revision, type, value) };
  } catch (error) {
    assert.ok(error instanceof McpError);
    return undefined;
  }
}

/** Paths at which two values differ, as deep as they can be told. */
function differences(one: unknown, another: unknown, path = ''): readonly string[] {
  if (Object.is(one, another)) return [];
  if (Array.isArray(one) && Array.isArray(another) && one.length === another.length)
    return one.flatMap((item, at) => differences(item, another[at], placeIn(path, at)));
  if (!isFields(one) || !isFields(another)) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(another)]);
  return [...keys].flatMap((key) => {
    if (Object.hasOwn(one, key) !== Object.hasOwn(another, key)) return [placeIn(path, key)];
    return differences(one[key], another[key], placeIn(path, key));
  });
}

function covers(change: WireChange, path: string): boolean {
  return path.startsWith(change.path) && ['', '.', '['].includes(path.charAt(change.path.length));
}

for (const revision of revisions) {
  test(`the trace of a projection to ${revision.date} is empty exactly where nothing changes, and has every change`, () => {
    for (const [name, type] of shapes)
      fc.assert(
        fc.property(valueOf(type), (value) => {
          const outcome = projected(revision, type, value);
          const changes = traceOf(revision, type, value);
          const text = `${name}: ${JSON.stringify(value)} ${JSON.stringify(changes)}`;
          const isRefused = changes.some(({ kind }) => kind === 'refused');
          assert.equal(outcome === undefined, isRefused, text);
          if (outcome === undefined) return;
          assert.equal(outcome.wire === value, changes.length === 0, text);
          const untold = differences(value, outcome.wire).filter((path) => !changes.some((one) => covers(one, path)));
          assert.deepEqual(untold, [], text);
        }),
        { numRuns: 30 },
      );
  });
}

test('a trace names what left, what came, what was adapted, and what has no words', () => {
  const [oldest] = revisions;
  const newest = revisions.at(-1);
  assert.ok(oldest && newest);
  const type = (name: string): Type => shapes.get(name) ?? assert.fail(name);
  const tool = { name: 'a', title: 'A', inputSchema: { type: 'object', properties: { x: true } } };
  assert.deepEqual(traceOf(oldest, type('ListToolsResult'), { tools: [tool] }), [
    { path: '.tools[0].title', kind: 'left-out', feature: 'Tool.title' },
    { path: '.tools[0].inputSchema.properties', kind: 'adapted', feature: 'booleanSchemas' },
  ]);
  assert.deepEqual(
    traceOf(newest, type('ListToolsResult'), { tools: [] }).map(({ kind, path }) => `${kind} ${path}`),
    ['filled .resultType', 'filled .ttlMs', 'filled .cacheScope'],
  );
  assert.deepEqual(traceOf(oldest, type('ToolUseContent'), { type: 'tool_use', id: '1', name: 'a', input: {} }), [
    { path: '', kind: 'refused', feature: 'ToolUseContent' },
  ]);
});
