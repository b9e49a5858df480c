/** What one of several clients in one place does is not held against another, nor what was under way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MovingTool } from '../../packages/cli/src/check/client/moving.ts';
import { DroppedCall, droppedTool } from '../../packages/cli/src/check/client/dropped.ts';
import { noteRoots } from '../../packages/cli/src/check/client/rules/roots.ts';
import { clientRules } from '../../packages/cli/src/check/client/rules/rules.ts';
import { ClientSession } from '../../packages/cli/src/check/client/client-session.ts';
import { revisionOf } from '../../packages/parley/src/protocol/revision.ts';

test('a change of roots that is told while an answer is under way is told, and one that is not is none', () => {
  const clientSession = new ClientSession('stdio');
  const asked = { method: 'roots/list', params: {} };
  const answer = (id: string, uri: string): void => {
    clientSession.put.set(id, asked);
    noteRoots({ id, result: { roots: [{ uri }] } }, clientSession, id);
    clientSession.put.delete(id);
  };
  answer('q0', 'file:///a');
  clientSession.put.set('q1', asked);
  noteRoots({ method: 'notifications/roots/list_changed' }, clientSession, '');
  answer('q1', 'file:///a');
  answer('q2', 'file:///b');
  assert.deepEqual([clientSession.roots.isSilent, clientSession.roots.wasTold], [false, true]);
  answer('q3', 'file:///c');
  assert.equal(clientSession.roots.isSilent, true);
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

const newestSays = (id: unknown, method: string, params: Readonly<Record<string, unknown>> = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

test('an id that comes again breaks http-063 where one client counts up alone, and not where several may', () => {
  const newest = revisionOf('2026-07-28') ?? assert.fail('it is known');
  const rule = clientRules.find(({ id }) => id === 'http-063') ?? assert.fail('it is judged');
  /** Verdict on a call whose id comes again after ids of others. */
  const again = (id: unknown, ...before: readonly unknown[]): unknown => {
    const clientSession = new ClientSession('http', newest);
    for (const other of before) clientSession.asked(newestSays(other, 'tools/list'));
    const message = newestSays(id, 'tools/call', { name: droppedTool });
    clientSession.asked(message);
    clientSession.dropped.push(new DroppedCall(id, newest));
    return rule.watch?.({ message, clientSession, batch: 0, revision: newest });
  };
  assert.notEqual(again(3, 1, 2), 'not-seen');
  assert.equal(again(1), 'not-seen');
  assert.equal(again(3, 1, 1, 2, 2), 'not-seen');
  assert.equal(again('b', 'a'), 'not-seen');
});

test('calls by an old list break http-104 where one client counts up alone, and not where several may', () => {
  const rule = clientRules.find(({ id }) => id === 'http-104') ?? assert.fail('it is judged');
  const found = (...ids: readonly number[]): unknown => {
    const clientSession = new ClientSession('http', revisionOf('2026-07-28'));
    for (const id of ids) {
      clientSession.asked(newestSays(id, 'tools/list'));
      clientSession.moving.listed();
      clientSession.moving.called(
        { place: 'x' },
        { method: 'POST', path: '/mcp', headers: { 'mcp-param-place-1': 'x' } },
      );
    }
    return rule.atEnd?.(clientSession, { fetches: 0, icons: 0, pages: [], listed: new Set(), isGone: true });
  };
  assert.notEqual(found(1, 2, 3), 'not-seen');
  assert.equal(found(1, 1, 2), 'not-seen');
});

test('clients that begin are counted', () => {
  const tool = new MovingTool();
  for (const method of ['server/discover', 'tools/list', 'server/discover']) tool.passed({ method });
  assert.equal(tool.begun, 2);
});
