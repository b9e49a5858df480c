import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionOf, type RevisionDate } from '../../protocol/revision.ts';
import { withDeclaredContext } from './sampling-context.ts';

test('a client that declared no context is asked for a completion without context', () => {
  const cases: readonly (readonly [RevisionDate, object, string, string])[] = [
    ['2025-11-25', {}, 'thisServer', 'none'],
    ['2026-07-28', {}, 'allServers', 'none'],
    ['2025-11-25', { context: {} }, 'allServers', 'allServers'],
    ['2025-06-18', {}, 'thisServer', 'thisServer'],
    ['2025-11-25', {}, 'none', 'none'],
  ];
  for (const [date, sampling, includeContext, expected] of cases) {
    const revision = revisionOf(date);
    assert.ok(revision !== undefined);
    const params = withDeclaredContext('sampling/createMessage', { messages: [], includeContext }, revision, {
      capabilities: { sampling },
    });
    assert.deepEqual(params, { messages: [], includeContext: expected });
  }
});

test('other questions, and a completion that names no context, stay as they are', () => {
  const revision = revisionOf('2025-11-25');
  assert.ok(revision !== undefined);
  for (const method of ['elicitation/create', 'sampling/createMessage']) {
    const params = { messages: [] };
    assert.equal(withDeclaredContext(method, params, revision, { capabilities: {} }), params);
  }
});
