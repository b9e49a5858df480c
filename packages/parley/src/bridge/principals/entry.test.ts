/** The bridge of one principal, from when it is wanted until nobody has used it for long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import type { ReplyChannel } from '../../server/runtime/request-handler.ts';
import { PrincipalEntry, restMs, type OfPrincipal } from './entry.ts';

interface Watched {
  readonly entry: PrincipalEntry;
  rested(): number;
}

function watched(idle: () => boolean): Watched {
  let [rested, ticks] = [0, 0];
  const bridge: OfPrincipal = {
    // Nobody converses with it here.
    endpoint: undefined as unknown as OfPrincipal['endpoint'],
    get idle() {
      return idle();
    },
    heard: () => undefined,
    standings: () => [],
    close: async () => undefined,
  };
  const entry = new PrincipalEntry({ open: async () => bridge, tick: () => ++ticks, onRested: () => rested++ });
  return { entry, rested: () => rested };
}

const link: ReplyChannel = { lasting: true, send: () => undefined };

test('a bridge that nobody uses rests after a while, and not while somebody does', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isIdle = false;
  const { entry, rested } = watched(() => isIdle);
  await entry.opening;
  entry.entered(link);
  t.mock.timers.tick(3 * restMs);
  assert.equal(rested(), 0);
  entry.left(link);
  t.mock.timers.tick(restMs - 1);
  let done!: () => void;
  const work = entry.during(undefined, () => new Promise<void>((resolve) => (done = resolve)));
  t.mock.timers.tick(3 * restMs);
  done();
  await work;
  // Something of it is awaited by nobody who has a conversation.
  t.mock.timers.tick(restMs);
  assert.equal(rested(), 0);
  isIdle = true;
  t.mock.timers.tick(restMs);
  assert.equal(rested(), 1);
});

test('a bridge that is closed rests no more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { entry, rested } = watched(() => true);
  entry.entered(link);
  await entry.close();
  entry.left(link);
  t.mock.timers.tick(3 * restMs);
  assert.equal(rested(), 0);
});

test('what could not be opened is waited for no longer, whoever leaves it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let ticks = 0;
  const open = (): Promise<OfPrincipal> => Promise.reject(new Error('nobody there'));
  const entry = new PrincipalEntry({ open, tick: () => ++ticks, onRested: () => assert.fail('it never stood') });
  entry.entered(link);
  await assert.rejects(entry.opening, /nobody there/);
  await settle();
  entry.left(link);
  const before = ticks;
  for (let at = 0; at < 3; at++) t.mock.timers.tick(restMs);
  assert.equal(ticks, before);
});

test('a bridge makes way with sessions that can be ended, and with no others', async () => {
  const { entry } = watched(() => true);
  const ended: string[] = [];
  const session: ReplyChannel = { ...link, dismiss: () => void ended.push('session') };
  entry.entered(session);
  assert.equal(entry.isIdle, false);
  await entry.opening;
  await settle();
  assert.equal(entry.isIdle, true);
  entry.entered(link);
  assert.equal(entry.isIdle, false);
  entry.left(link);
  entry.dismiss();
  assert.deepEqual(ended, ['session']);
});

test('a bridge is kept while a session is open or a request runs, though both could end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { entry, rested } = watched(() => true);
  await entry.opening;
  await settle();
  const session: ReplyChannel = { ...link, dismiss: () => undefined };
  entry.entered(session);
  t.mock.timers.tick(3 * restMs);
  assert.equal(rested(), 0);
  let done!: () => void;
  const work = entry.during(undefined, () => new Promise<void>((resolve) => (done = resolve)));
  entry.left(session);
  t.mock.timers.tick(3 * restMs);
  assert.equal(rested(), 0);
  done();
  await work;
  t.mock.timers.tick(restMs);
  assert.equal(rested(), 1);
});
