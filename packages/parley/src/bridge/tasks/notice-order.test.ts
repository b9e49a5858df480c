/** Notices about tasks to the clients of sessions, whose ids are sealed on the way. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, type Json } from '../../../../../test/support/raw.ts';
import type { ServerSession } from '../../server/runtime/server-core.ts';
import { McpError } from '../../protocol/error.ts';
import { metaKey } from '../../protocol/meta.ts';
import { revisionOf, type Revision } from '../../protocol/revision.ts';
import type { ForwardedTasks } from './forwarded-tasks.ts';
import { TaskNotices } from './task-notices.ts';

const core = revisionOf('2025-11-25') as Revision;

const taskOf = (taskId: string): Json => ({
  taskId,
  status: 'working',
  createdAt: '2025-11-25T00:00:00Z',
  lastUpdatedAt: '2025-11-25T00:00:00Z',
  ttl: null,
});

const about = (taskId: unknown): Json => ({ own: 1, _meta: { own: 2, [metaKey.relatedTask]: { taskId } } });

/** Notices whose ids are sealed as the test lets them be. */
function scene(revision: Revision = core) {
  const told: unknown[] = [];
  const sealing = new Map<string, { resolve: (id: string) => void; reject: (error: Error) => void }>();
  const forwarded = {
    seal: (id: string, principal?: string) =>
      new Promise<string>((resolve, reject) => sealing.set(`${id} of ${principal}`, { resolve, reject })),
  };
  const session = {
    state: {},
    revision,
    principal: 'ann',
    notify: (method: string, params: unknown) => told.push([method, params]),
  };
  const notices = new TaskNotices(forwarded as unknown as ForwardedTasks);
  const sealed = async (id: string, error?: Error): Promise<void> => {
    const one = sealing.get(`${id} of ann`) ?? assert.fail(`${id} is not sealed`);
    if (error === undefined) one.resolve(`sealed ${id}`);
    else one.reject(error);
    await settle();
  };
  return { notices, told, sealing, sealed, session: session as unknown as ServerSession };
}

test('they come in the order in which they were said, under the ids that the client knows', async () => {
  const { notices, told, sealed, session } = scene();
  notices.status(taskOf('one'), session, core);
  notices.related(about('two'), session, (named) => told.push(named));
  await sealed('two');
  assert.deepEqual(told, []);
  await sealed('one');
  assert.deepEqual(told, [['notifications/tasks/status', taskOf('sealed one')], about('sealed two')]);
});

test('one whose id cannot be sealed is dropped, and the next one comes', async () => {
  const { notices, told, sealed, session } = scene();
  for (const id of ['one', 'two', 'three']) notices.status(taskOf(id), session, core);
  await sealed('one', new McpError('invalidParams', 'too long'));
  await sealed('two', new Error('failed'));
  await sealed('three');
  assert.deepEqual(told, [['notifications/tasks/status', taskOf('sealed three')]]);
});

test('a malformed one is dropped, and a session of a version without such tasks gets none', async () => {
  const { notices, sealing, session } = scene();
  notices.status({ taskId: 'one' }, session, core);
  const older = scene(revisionOf('2025-06-18'));
  older.notices.status(taskOf('one'), older.session, core);
  await settle();
  assert.deepEqual([sealing.size, older.sealing.size], [0, 0]);
});

test('1000 wait for one client, and more once some were told', async () => {
  const { notices, told, sealing, sealed, session } = scene();
  for (let count = 0; count < 1_001; count++) notices.status(taskOf(`${count}`), session, core);
  assert.equal(sealing.size, 1_000);
  const other = { ...session, state: {} } as unknown as ServerSession;
  notices.status(taskOf('of another'), other, core);
  assert.equal(sealing.size, 1_001);
  await sealed('0');
  assert.equal(told.length, 1);
  notices.status(taskOf('one more'), session, core);
  assert.equal(sealing.size, 1_002);
});

test('a question about a task has the id of the client, and its answer that of the server', async () => {
  const { notices, sealed, session } = scene();
  const asked: unknown[] = [];
  const answer = notices.asked(about('one'), session, async (named) => {
    asked.push(named);
    return { action: 'accept', _meta: { more: 3 } };
  });
  await sealed('one');
  const related = { [metaKey.relatedTask]: { taskId: 'one' } };
  assert.deepEqual(asked, [about('sealed one')]);
  assert.deepEqual(await answer, { action: 'accept', _meta: { more: 3, ...related } });
  const plain = notices.asked(about('two'), session, async () => ({ action: 'decline' }));
  await sealed('two');
  assert.deepEqual(await plain, { action: 'decline', _meta: { [metaKey.relatedTask]: { taskId: 'two' } } });
});

test('what belongs to no task is told as it is', async () => {
  const { notices, told, sealing, session } = scene();
  notices.related({ own: 1 }, session, (named) => told.push(named));
  await settle();
  assert.deepEqual([told, sealing.size], [[{ own: 1 }], 0]);
});
