/** Whatever judges by the facts of the official schemas in `test/spec` notices a changed one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { officialFile, type FactFile } from '../scripts/spec-files.ts';
import { factsOf, type Fact } from '../scripts/schema-facts.ts';
import { revisionOf, revisions } from '../packages/parley/src/protocol/revision.ts';
import type { Message } from '../packages/parley/src/jsonrpc/message.ts';
import { fullSchema } from './support/beside.ts';
import { definitionsOf, document, facts } from './support/official-definitions.ts';
import { judgeBy } from './support/official-schemas.ts';
import { shapeProblems } from './support/shape-comparison.ts';
import { wireProblems } from './support/wire-check.ts';

for (const { date } of revisions) {
  const full = fullSchema(date);
  if (full !== undefined)
    test(`the facts of ${date} make its official schema, without prose`, () =>
      assert.deepEqual(document(date), withoutProse(full)));
}

test('what the notation cannot say is no fact', () => {
  assert.throws(() => factsOf({ type: 'string', pattern: '^a' } as object), /cannot say {"type":"string","pattern"/);
  assert.throws(() => factsOf({ type: 'object', additionalProperties: false }), /cannot say/);
  assert.throws(
    () => officialFile({ ...facts('2025-06-18'), types: { Tool: 'what a tool is' } }),
    /"what a tool is" is no fact/,
  );
});

for (const [what, date, path, fact, problem] of [
  ['a field that is gone', '2025-06-18', ['Tool', 'title?'], undefined, 'Tool.title is not in the official schema'],
  ['a new field', '2024-11-05', ['Root', 'icon?'], 'string', 'Root.icon is in the official schema and has no row'],
  ['a field of another kind', '2025-11-25', ['Task', 'taskId'], 'integer', 'Task.taskId is officially "integer"'],
  ['another value', '2025-03-26', ['Role'], "'user' | 'tool'", 'is officially also tool'],
  ['a method of another name', '2026-07-28', ['DiscoverRequest', 'method'], "'server/see'", 'server/see is in the'],
  [
    'a member of a union',
    '2025-06-18',
    ['ContentBlock'],
    ['TextContent'],
    'ContentBlock is officially never AudioContent',
  ],
  [
    'a method of another side',
    '2025-03-26',
    ['ServerRequest'],
    ['PingRequest'],
    'roots/list is not sent by the server',
  ],
] as const)
  test(`the tables do not agree with ${what}`, () => {
    const revision = revisionOf(date);
    assert.ok(revision !== undefined);
    const problems = shapeProblems(revision, definitionsOf(officialFile(changed(date, path, fact))));
    assert.ok(
      problems.some((found) => found.includes(problem)),
      problems.join('\n'),
    );
  });

test('the tables do not agree with a field that became required', () => {
  const file = changed('2025-06-18', ['Tool', 'title?'], undefined);
  const types = { ...file.types, Tool: { ...(file.types['Tool'] as object), title: 'string' } };
  const revision = revisionOf('2025-06-18');
  assert.ok(revision !== undefined);
  const problems = shapeProblems(revision, definitionsOf(officialFile({ ...file, types })));
  assert.ok(problems.includes('Tool.title is officially required'), problems.join('\n'));
});

for (const [what, path, fact] of [
  ['a constant', ['JSONRPCRequest', 'jsonrpc'], "'2.1'"],
  ['an envelope', ['JSONRPCRequest', 'trace'], 'string'],
  ['the kind of an id', ['RequestId'], 'string'],
  ['a format', ['SubscribeRequest', 'params', 'uri'], 'string:byte'],
  ['the side of a method', ['ClientRequest'], ['PingRequest']],
] as const)
  test(`what was sent right is refused when ${what} is another`, () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'file:///a' } } as Message;
    const sent = { from: 'client', revision: revisionOf('2025-06-18'), message, answers: undefined } as const;
    assert.deepEqual(wireProblems(sent), []);
    const file = changed('2025-06-18', path, fact);
    const judge = judgeBy((date) => (date === file.revision ? officialFile(file) : document(date)));
    assert.notDeepEqual(wireProblems(sent, judge), []);
  });

/** The facts of a revision with another one at a path, or without the one that is there. */
function changed(date: string, path: readonly string[], fact: Fact | undefined): FactFile {
  const file = structuredClone(facts(date));
  let at = file.types as Record<string, Fact>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, Fact>;
  const last = path.at(-1) ?? '';
  if (fact === undefined) {
    assert.ok(last in at);
    delete at[last];
  } else at[last] = fact;
  return file;
}

function withoutProse(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => areNames || key !== 'description');
  return Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      withoutProse(item, !areNames && ['properties', 'definitions', '$defs'].includes(key)),
    ]),
  );
}
