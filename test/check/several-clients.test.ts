/** What one of several clients in one place does is not held against another, nor what was under way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MovingTool } from '../../src/check/client/catalogue/moving.ts';
import { DroppedCall } from '../../src/check/client/dropped.ts';
import { noteRoots } from '../../src/check/client/rules/roots.ts';
import { Talk } from '../../src/check/client/talk.ts';
import { revisionOf } from '../../src/protocol/revision.ts';

test('a change of roots that is told while an answer is under way is told, and one that is not is none', () => {
  const talk = new Talk('stdio');
  const asked = { method: 'roots/list', params: {} };
  const answer = (id: string, uri: string): void => {
    talk.put.set(id, asked);
    noteRoots({ id, result: { roots: [{ uri }] } }, talk, id);
    talk.put.delete(id);
  };
  answer('q0', 'file:///a');
  talk.put.set('q1', asked);
  noteRoots({ method: 'notifications/roots/list_changed' }, talk, '');
  answer('q1', 'file:///a');
  answer('q2', 'file:///b');
  assert.deepEqual([talk.roots.isSilent, talk.roots.wasTold], [false, true]);
  answer('q3', 'file:///c');
  assert.equal(talk.roots.isSilent, true);
});

test('a call whose stream broke is held against nobody once a client begins anew, or counts from the beginning', () => {
  const newest = revisionOf('2026-07-28') ?? assert.fail('it is known');
  const calls = [1, 2, 3].map(() => new DroppedCall(3, newest));
  calls[0]?.passed({ id: 9, method: 'server/discover' });
  calls[1]?.passed({ id: 1, method: 'tools/list' });
  calls[2]?.passed({ id: 4, method: 'tools/list' });
  assert.deepEqual(
    calls.map(({ isOver }) => isOver),
    [true, true, false],
  );
});

test('clients that begin are counted', () => {
  const tool = new MovingTool();
  for (const method of ['server/discover', 'tools/list', 'server/discover']) tool.passed({ method });
  assert.equal(tool.begun, 2);
});
