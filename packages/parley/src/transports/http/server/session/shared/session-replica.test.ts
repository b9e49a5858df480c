/** One replica of a session: what it does with messages of other processes, and with a store that others write too. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../../../test/support/raw.ts';
import { revisions } from '../../../../../protocol/revision.ts';
import type { SessionRecord } from '../../../../../server/runtime/session-record.ts';
import { memoryStore } from '../../../../../storage/memory/store.ts';
import type { Store } from '../../../../../storage/store.ts';
import type { HttpSession } from '../session.ts';
import { SessionReplica, type SessionReplicaParts } from './session-replica.ts';

const key = 'session s';
const minute = 60_000;

const record: SessionRecord = {
  revision: '2025-11-25',
  client: { info: { name: 'c', version: '1' }, capabilities: {} },
  offered: {},
  isReady: true,
  level: 'info',
  watched: [],
};

/** A replica, the announcements that it hears, and all that it does. */
function scene(changes: (store: Store) => Partial<Store['records']> = () => ({})) {
  const clock = { now: 0 };
  const log: unknown[] = [];
  const inner = memoryStore({ now: () => clock.now });
  let reads = 0;
  const store: Store = {
    ...inner,
    records: {
      ...inner.records,
      get: (of) => (reads++, inner.records.get(of)),
      put: (...given) => inner.records.put(...given),
      touch: (...given) => (log.push('touch'), inner.records.touch(...given)),
      delete: (of) => inner.records.delete(of),
      ...changes(inner),
    },
  };
  let announced: ((text: object) => void) | undefined;
  const state = { listens: true, isHeard: true, canAnnounce: true };
  const mailbox = {
    name: 'here',
    next: () => 1,
    hear: async (_: string, take: (text: object) => void) => {
      if (!state.listens) throw new Error('no bus');
      announced = take;
      return () => void log.push('unsubscribed');
    },
    announce: async (_: string, text: object) => {
      if (!state.canAnnounce) throw new Error('no bus');
      log.push(['announce', text]);
    },
    tell: async (process: string, text: object) => {
      log.push(['tell', process, text]);
      if (process === 'broken') throw new Error('no bus');
      return state.isHeard;
    },
    reply: async (_: unknown, reply: string) => (log.push(['reply', reply]), true),
    insist: async (process: string, text: object) => void log.push(['insist', process, text]),
  };
  const session = {
    ended: false,
    isBusy: false,
    listening: false,
    auth: undefined,
    address: undefined,
    restore: (now: SessionRecord) => log.push(['restore', now.level]),
    deliver: (json: string) => log.push(['deliver', json]),
    letGo: () => log.push('let go'),
    missed: () => log.push('missed'),
    take: (judged: { readonly message: object }) => log.push(['take', judged.message]),
    undelivered: () => ['{"waited":1}'],
  };
  const parts = {
    store,
    mailbox,
    settings: {
      now: () => clock.now,
      sessionIdleTimeoutMs: minute,
      onError: (error: Error) => log.push(error.message),
    },
    spoken: revisions,
    gone: (_: unknown, why?: string) => log.push(['gone', why]),
  } as unknown as SessionReplicaParts;
  const replica = new SessionReplica(parts, 's');
  const open = async (): Promise<boolean> => {
    const isOpen = await replica.open(session as unknown as HttpSession, null, record);
    await settle();
    log.length = 0;
    reads = 0;
    return isOpen;
  };
  return {
    replica,
    session,
    state,
    clock,
    inner,
    open,
    announce: async (text: object) => (announced?.(text), await settle()),
    took: () => log.splice(0),
    reads: () => reads,
  };
}

const write = async ({ inner }: ReturnType<typeof scene>, level: SessionRecord['level']): Promise<unknown> =>
  await inner.records.put(key, JSON.stringify({ owner: null, record: { ...record, level } }), minute);

test('an id that is taken opens no session', async () => {
  const one = scene();
  await one.inner.records.put(key, 'other', minute);
  assert.equal(await one.open(), false);
  assert.equal(one.replica.session, undefined);
});

test('a change of another process is read if it is newer than what is known', async () => {
  const one = scene();
  assert.equal(await one.open(), true);
  await write(one, 'error');
  const { version = 0 } = (await one.inner.records.get(key)) ?? {};
  await one.announce({ kind: 'changed', version: version - 1 });
  assert.deepEqual([one.reads(), one.took()], [0, []]);
  await one.announce({ kind: 'changed', version });
  assert.deepEqual([one.reads(), one.took()], [1, [['restore', 'error']]]);
  await one.announce({ kind: 'changed', version });
  assert.deepEqual([one.reads(), one.took()], [1, []]);
});

test('a record that is known already is not restored again', async () => {
  const one = scene();
  await one.open();
  const kept = (await one.inner.records.get(key)) ?? assert.fail('it is stored');
  one.replica.confirmed(kept);
  one.replica.confirmed({ ...kept, version: kept.version - 1 });
  assert.deepEqual(one.took(), []);
  one.replica.confirmed({ ...kept, version: kept.version + 1 });
  assert.deepEqual(one.took(), [['restore', 'info']]);
});

test('the end of a session elsewhere ends it here, and what comes afterwards means nothing', async () => {
  const one = scene();
  await one.open();
  await one.announce({ kind: 'ended' });
  assert.deepEqual(one.took(), [['gone', 'ended']]);
  one.session.ended = true;
  for (const kind of ['ended', 'changed', 'claimed', 'message'])
    await one.announce({ kind, version: 99, process: 'other', message: {} });
  assert.equal(one.replica.hear({ kind: 'deliver', session: 's', json: '{}' }), false);
  assert.equal(await one.replica.fix(), true);
  assert.deepEqual([one.took(), one.reads()], [[], 0]);
});

test('messages for the client that waited here go to the process that has its stream now', async () => {
  const one = scene();
  await one.open();
  await one.announce({ kind: 'claimed', process: 'here' });
  assert.deepEqual(one.took(), []);
  await one.inner.records.put('listening s', 'other', minute);
  await one.announce({ kind: 'claimed', process: 'other' });
  const told = { kind: 'deliver', session: 's', json: '{"waited":1}' };
  assert.deepEqual(one.took(), [['tell', 'other', told]]);
});

test('a message for the client is sent here if no other process takes it', async () => {
  const json = '{"jsonrpc":"2.0","method":"notifications/elicitation/complete"}';
  const message = JSON.parse(json) as never;
  for (const [holder, isHeard, expected] of [
    [undefined, true, [['deliver', json]]],
    ['here', true, [['deliver', json]]],
    ['other', true, [['tell', 'other', { kind: 'deliver', session: 's', json }]]],
    [
      'other',
      false,
      [
        ['tell', 'other', { kind: 'deliver', session: 's', json }],
        ['deliver', json],
      ],
    ],
    [
      'broken',
      true,
      [
        ['tell', 'broken', { kind: 'deliver', session: 's', json }],
        'a message to a client could not be passed on',
        ['deliver', json],
      ],
    ],
  ] as const) {
    const one = scene();
    await one.open();
    if (holder !== undefined) await one.inner.records.put('listening s', holder, minute);
    one.state.isHeard = isHeard;
    assert.equal(one.replica.deliver(json, message), true);
    await settle();
    assert.deepEqual(one.took(), expected, `${holder} ${isHeard}`);
    one.session.listening = true;
    assert.equal(one.replica.deliver(json, message), false);
    assert.deepEqual(one.took(), []);
  }
});

test('a process is answered whether the stream of the client is open here', async () => {
  const one = scene();
  await one.open();
  const there = { kind: 'there', session: 's', process: 'other', line: 'l' } as const;
  const reading = { kind: 'reading', session: 's', stream: 'x', process: 'other', line: 'l' } as const;
  assert.equal(one.replica.hear(there), true);
  one.session.listening = true;
  one.replica.hear(there);
  one.session.listening = false;
  await one.replica.claim();
  one.replica.hear(there);
  one.replica.hear(reading);
  assert.deepEqual(
    one.took().filter((entry) => entry !== 'touch'),
    [
      ['reply', 'not-open'],
      ['reply', 'open'],
      ['reply', 'open'],
      ['reply', 'not-here'],
    ],
  );
  one.replica.hear({ kind: 'deliver', session: 's', json: '{}' });
  one.replica.hear({ kind: 'taken', session: 's' });
  one.replica.hear({ kind: 'message', session: 's', message: { jsonrpc: '2.0', id: 'q', result: {} } });
  one.replica.hear({ kind: 'message', session: 's', message: { jsonrpc: '2.0', id: 'q', method: 'ping' } });
  assert.deepEqual(one.took(), [['deliver', '{}'], 'let go', ['take', { jsonrpc: '2.0', id: 'q', result: {} }]]);
});

test('a change of the client to a session that its store has lost ends the session', async () => {
  const one = scene();
  await one.open();
  await one.inner.records.delete(key);
  one.replica.changed({ kind: 'level', level: 'error' });
  await one.replica.saved();
  assert.deepEqual([one.took(), one.replica.failures], [[['gone', undefined]], 1]);
});

test('a session is renewed in the store once in an eighth of its life, and its claim if its stream is here', async () => {
  for (const [listening, touches] of [
    [false, 1],
    [true, 2],
  ] as const) {
    const one = scene();
    await one.open();
    one.session.listening = listening;
    one.clock.now = minute / 8 - 1;
    one.replica.used();
    await settle();
    assert.deepEqual(one.took(), []);
    one.clock.now = minute / 8;
    one.replica.used();
    one.replica.used();
    await settle();
    assert.equal(one.took().filter((entry) => entry === 'touch').length, touches);
  }
  const lost = scene();
  await lost.open();
  await lost.inner.records.delete(key);
  lost.clock.now = minute / 8;
  lost.replica.used();
  await settle();
  assert.deepEqual(lost.took(), ['touch', ['gone', undefined]]);
});

test('a replica is believed for less than half a minute after its store was seen', async () => {
  const one = scene();
  await one.open();
  one.clock.now = 29_999;
  assert.deepEqual([one.replica.isRecent, one.replica.restedMs], [true, 29_999]);
  one.clock.now = 30_000;
  one.session.isBusy = true;
  assert.deepEqual([one.replica.isRecent, one.replica.restedMs], [false, 0]);
});

test('a replica that could not be listened to is read again, and one that cannot be told of waits', async () => {
  const one = scene();
  one.state.listens = false;
  await one.open();
  one.session.isBusy = true;
  assert.equal(one.replica.isSure, false);
  one.state.listens = true;
  assert.equal(await one.replica.fix(), true);
  await settle();
  one.clock.now = minute / 8;
  one.replica.used();
  assert.equal(one.replica.isSure, true);
  one.state.canAnnounce = false;
  one.replica.listening();
  await settle();
  assert.deepEqual(one.took().includes('the other processes of a session could not be notified'), true);
  assert.equal(await one.replica.fix(), false);
  one.state.canAnnounce = true;
  one.took();
  assert.equal(await one.replica.fix(), true);
  assert.deepEqual(one.took(), [['announce', { kind: 'claimed', process: 'here' }]]);
  await one.replica.leave();
  assert.deepEqual([one.took(), one.replica.isSure], [['unsubscribed'], false]);
});

test('a store that cannot be read is reported, and not again while that is retried', async () => {
  const state = { isAway: false };
  const one = scene((inner) => ({
    get: (of) => {
      if (state.isAway) throw new Error('away');
      return inner.records.get(of);
    },
  }));
  await one.open();
  state.isAway = true;
  one.replica.missedSome();
  await settle();
  one.session.isBusy = true;
  assert.deepEqual([one.took(), await one.replica.fix(), one.took()], [['a session could not be read'], false, []]);
});

test('an answer is passed on to the process that asked, unless that is this one', async () => {
  const one = scene();
  await one.open();
  const [requester, own] = ['0123456789abcdef01-1-1', `${one.replica.idsBegin}1`];
  const answer = (id: string) => ({ kind: 'response', message: { jsonrpc: '2.0', id, result: {} } }) as never;
  for (const id of [own, 'x', '0123456789abcdef0-1-1'])
    assert.equal(
      one.replica.pass(answer(id), () => false),
      false,
    );
  assert.deepEqual(one.took(), []);
  assert.equal(
    one.replica.pass(answer(requester), () => false),
    true,
  );
  const message = { jsonrpc: '2.0', id: requester, result: {} };
  assert.deepEqual(one.took(), [['insist', '0123456789abcdef01', { kind: 'message', session: 's', message }]]);
});

test('a cancellation and the status of a task of the client are told to the others, if they may be about them', async () => {
  const one = scene();
  await one.open();
  const notification = (method: string, params: object) =>
    ({ kind: 'notification', message: { jsonrpc: '2.0', method, params } }) as never;
  const cancelled = notification('notifications/cancelled', { requestId: 7, reason: 'enough' });
  assert.equal(
    one.replica.pass(cancelled, (id) => id === 7),
    false,
  );
  await settle();
  assert.deepEqual(one.took(), []);
  assert.equal(
    one.replica.pass(cancelled, () => false),
    false,
  );
  one.replica.pass(notification('notifications/tasks/status', { taskId: 't' }), () => false);
  await settle();
  const told = one.took() as readonly (readonly [string, { readonly message: { readonly method: string } }])[];
  assert.deepEqual(
    told.map(([what, { message }]) => [what, message.method]),
    [
      ['announce', 'notifications/cancelled'],
      ['announce', 'notifications/tasks/status'],
    ],
  );
});
