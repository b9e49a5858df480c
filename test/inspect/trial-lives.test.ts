/** Lives that are tried: of tasks and of subscriptions, by clients of every revision before servers of every other. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrialView } from '../../packages/cli/src/inspect/view.ts';
import { revisionOf, revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, type Server } from '../../packages/parley/src/server.ts';
import { memoryTransport } from '../../packages/parley/src/testing/memory-transport.ts';
import { connected, inspecting, noPage, outcomeOf, planAt, rowsOf, type InspectedScene } from '../support/inspected.ts';
import { stuckAfterMs } from '../support/stuck.ts';

const skip = noPage;

interface Living {
  readonly server: Server;
  readonly cancelled: () => number;
}

function living(): Living {
  const server = createServer({ name: 'lives', version: '1' });
  let cancelled = 0;
  server.tool('quick', { task: 'required' }, async (_, context) => {
    context.progress(1, 2, 'half');
    await new Promise((resolve) => setTimeout(resolve, 100));
    return 'done';
  });
  server.tool('slow', { task: 'optional' }, async (_, context) => {
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    cancelled += 1;
    return 'never';
  });
  server.resource('note://one', { name: 'one' }, () => 'text');
  return { server, cancelled: () => cancelled };
}

function planOf(server: Server): ReturnType<typeof planAt> {
  return planAt('memory:', { reach: () => Promise.resolve(memoryTransport(server)) });
}

function differing({ client, steps }: TrialView): readonly string[] {
  return steps
    .filter(({ verdict }) => verdict === 'differs')
    .map(({ what, differences }) => `${client} ${what}: ${differences.join(' ')}`);
}

function whatOf({ steps }: TrialView, hop: 'client' | 'server'): readonly string[] {
  return steps.filter((step) => step[hop] !== undefined).map(({ what }) => what);
}

function rowOf(scene: InspectedScene, what: RegExp): number {
  return rowsOf(scene).find((row) => row.from === 'client' && what.test(row.what))?.n ?? assert.fail(String(what));
}

for (const { date: revision, tasks } of revisions.filter((one) => one.tasks !== 'none'))
  test(
    `a task of a server of ${revision} is played with all of its life, to its result and to its end`,
    { skip },
    async (t) => {
      const { server, cancelled } = living();
      const scene = await inspecting(t, [planOf(server)], { revision });
      await connected(scene);
      await outcomeOf(scene, { kind: 'task', name: 'quick' });
      const call = rowOf(scene, /^tools\/call$/);
      const { call: running } = await scene.json<{ readonly call: number }>('call', {
        server: 'A',
        kind: 'task',
        name: 'slow',
        text: '{}',
      });
      await scene.line('call', (line) => line.call.id === running && line.call.task !== undefined);
      await scene.json('cancel', { call: running });
      await scene.line('rows', ({ rows }) => rows.some(({ what }) => what === 'tasks/cancel'));
      const cancel = rowOf(scene, /^tasks\/cancel$/);
      for (const { date } of revisions) {
        const has = revisionOf(date)?.tasks ?? 'none';
        const life = await scene.json<TrialView>('try', { n: call, revision: date });
        assert.deepEqual([life.failure, differing(life)], [undefined, []], date);
        const own = whatOf(life, 'client');
        assert.equal(
          own.some((what) => /^(tasks|notifications\/tasks)/.test(what)),
          has !== 'none',
          own.join(', '),
        );
        assert.equal(own.includes('tasks/result'), has === 'core', date);
        assert.match(JSON.stringify(life.steps.map(({ client }) => client)), /"text":"done"/, date);
        // The server is asked in its own form, whatever the client knows.
        const above = whatOf(life, 'server');
        assert.ok(above.includes(tasks === 'core' ? 'tasks/result' : 'tasks/get'), `${date}: ${above.join(', ')}`);
        const before = cancelled();
        const end = await scene.json<TrialView>('try', { n: cancel, revision: date });
        assert.deepEqual(differing(end), [], date);
        const told = has === 'none' ? 'notifications/cancelled' : 'tasks/cancel';
        assert.ok(whatOf(end, 'client').includes(told), `${date}: ${whatOf(end, 'client').join(', ')}`);
        const signal = AbortSignal.timeout(stuckAfterMs);
        while (cancelled() === before) {
          signal.throwIfAborted();
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    },
  );

for (const { date: revision } of revisions)
  test(
    `a subscription at a server of ${revision} is played: begun, told of an update, and ended`,
    { skip },
    async (t) => {
      const { server } = living();
      const scene = await inspecting(t, [planOf(server)], { revision });
      await connected(scene);
      await scene.json('watch', { server: 'A', uri: 'note://one', on: true });
      await scene.line('server', (line) => line.server.watched.includes('note://one'));
      const row = rowsOf(scene).findLast(({ what }) => /^(resources\/subscribe|subscriptions\/listen)$/.test(what))?.n;
      for (const { date } of revisions) {
        let isOver = false;
        const trying = scene.json<TrialView>('try', { n: row, revision: date }).finally(() => (isOver = true));
        while (!isOver) {
          server.resourceUpdated('note://one');
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const trial = await trying;
        assert.deepEqual([trial.failure, differing(trial)], [undefined, []], date);
        const own = whatOf(trial, 'client');
        const isSession = revisionOf(date)?.era === 'handshake';
        assert.ok(
          own.includes(isSession ? 'resources/subscribe' : 'subscriptions/listen'),
          `${date}: ${own.join(', ')}`,
        );
        assert.ok(own.includes('notifications/resources/updated'), `${date}: ${own.join(', ')}`);
        assert.ok(
          own.includes(isSession ? 'resources/unsubscribe' : 'notifications/cancelled'),
          `${date}: ${own.join(', ')}`,
        );
      }
    },
  );
