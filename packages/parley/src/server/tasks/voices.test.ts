/** Where progress and log messages of a task of 2025-11-25 go. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../runtime/call.ts';
import type { ServerSession } from '../runtime/server-core.ts';
import { metaKey } from '../../protocol/meta.ts';
import { Voices } from './voices.ts';

const _meta = { [metaKey.relatedTask]: { taskId: 'task' } };

/** A session and requests of sessions, which all write to one list. */
function scene() {
  const sent: unknown[] = [];
  const sessionOf = (name: string): ServerSession =>
    ({ notify: (method: string, params: unknown) => sent.push([name, method, params]) }) as unknown as ServerSession;
  const callOf = (session: ServerSession, name: string): Call =>
    ({ session, send: (method: string, params: unknown) => sent.push([name, method, params]) }) as unknown as Call;
  return { sent, sessionOf, callOf, voices: new Voices() };
}

test('progress of a task rises, has its token, and says of which task it is', () => {
  const { sent, sessionOf, voices } = scene();
  const notifier = voices.of('task', sessionOf('own'), { meta: { progressToken: 7 }, admits: () => true });
  notifier.progress(1, 4, 'first');
  for (const progress of [1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    notifier.progress(progress, undefined, undefined);
  notifier.progress(2, Number.NaN, undefined);
  const base = { progressToken: 7, _meta };
  assert.deepEqual(sent, [
    ['own', 'notifications/progress', { ...base, progress: 1, total: 4, message: 'first' }],
    ['own', 'notifications/progress', { ...base, progress: 2 }],
  ]);
});

test('without a progress token no progress is sent', () => {
  const { sent, sessionOf, voices } = scene();
  for (const progressToken of [undefined, {}, true]) {
    const notifier = voices.of('task', sessionOf('own'), { meta: { progressToken }, admits: () => true });
    notifier.progress(1, undefined, undefined);
  }
  assert.deepEqual(sent, []);
});

test('log messages are sent from the level that the session wants', () => {
  const { sent, sessionOf, voices } = scene();
  const notifier = voices.of('task', sessionOf('own'), { meta: {}, admits: (level) => level === 'error' });
  notifier.log('info', 'no', undefined);
  notifier.log('error', undefined, 'db');
  notifier.log('error', 0, undefined);
  assert.deepEqual(sent, [
    ['own', 'notifications/message', { level: 'error', data: null, logger: 'db', _meta }],
    ['own', 'notifications/message', { level: 'error', data: 0, _meta }],
  ]);
});

test('messages go on the stream of a request of their own session that waits for the result, while it does', () => {
  const { sent, sessionOf, callOf, voices } = scene();
  const [own, other] = [sessionOf('own'), sessionOf('other')];
  const notifier = voices.of('task', own, { meta: {}, admits: () => true });
  const say = (): unknown => {
    notifier.log('info', 'x', undefined);
    return (sent.pop() as readonly unknown[])[0];
  };
  const leaveOther = voices.enter('task', callOf(other, 'other waits'));
  assert.equal(say(), 'own');
  const first = callOf(own, 'first waits');
  const leaveFirst = voices.enter('task', first);
  assert.equal(say(), 'first waits');
  const leaveSecond = voices.enter('task', callOf(own, 'second waits'));
  leaveOther();
  assert.equal(say(), 'first waits');
  leaveFirst();
  assert.equal(say(), 'second waits');
  leaveSecond();
  assert.equal(say(), 'own');
  const leaveAgain = voices.enter('task', callOf(own, 'again'));
  // Leaving twice leaves nobody else.
  leaveSecond();
  assert.equal(say(), 'again');
  leaveAgain();
  voices.enter('another task', callOf(own, 'another task'));
  assert.equal(say(), 'own');
});
