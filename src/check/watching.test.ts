import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '../jsonrpc/message.ts';
import { newestRevision, revisionOf, type Revision } from '../protocol/revision.ts';
import type { Exchanged } from './bench/exchange.ts';
import { isProbe, type WatchRule } from './rule.ts';
import { checkRules } from './rules/rules.ts';
import { Watching } from './watching.ts';

const older = revisionOf('2025-06-18') ?? newestRevision;

/** What comes of a list of tools: one has a field that is wrong, and the type of the result is missing, which the newest revision wants alone. */
function listed(watching: Watching, revision: Revision, field: Readonly<Record<string, unknown>>): void {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const message = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a', ...field }] } };
  const text = JSON.stringify(message);
  const exchange: Exchanged = {
    sent: JSON.stringify(request),
    status: undefined,
    headers: {},
    text,
    messages: [message].filter(isObject),
    malformed: [],
    end: 'complete',
  };
  const circumstances = { capabilities: {}, declared: undefined, running: new Set(), asked: undefined };
  watching.heard(exchange, { revision, request, isAside: false, ...circumstances });
}

function verdictsAt(
  revisions: readonly Revision[],
  field: Readonly<Record<string, unknown>> = { inputSchema: null },
): readonly (readonly [string, string])[] {
  const watching = new Watching(checkRules.filter((rule): rule is WatchRule => !isProbe(rule)));
  for (const revision of [newestRevision, older]) listed(watching, revision, field);
  return watching
    .outcomes(revisions)
    .filter(({ rule }) => rule.id === 'wire-schema')
    .map(({ revision, outcome }) => [revision.date, outcome.verdict]);
}

test('what a server said in a revision that it does not speak names no cause of its faults', () => {
  assert.deepEqual(verdictsAt([older]), [['2025-06-18', 'breaks']]);
});

test('one cause is one finding, of all revisions that are spoken', () => {
  assert.deepEqual(verdictsAt([newestRevision, older]), [
    ['2026-07-28', 'not-judged'],
    ['2025-06-18', 'not-judged'],
  ]);
});

test('what is missing in the newest revision alone hides no fault in another field, in either of them', () => {
  assert.deepEqual(verdictsAt([newestRevision, older], { inputSchema: { type: 'object' }, description: 5 }), [
    ['2026-07-28', 'breaks'],
    ['2025-06-18', 'breaks'],
  ]);
});
