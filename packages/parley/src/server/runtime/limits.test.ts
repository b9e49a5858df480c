/** Limits of the server's side of a conversation, each at its value and one above, and records at their edges. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withMeta } from '../../../../../test/support/raw.ts';
import { served } from '../../../../../test/support/tested-server.ts';
import { McpError } from '../../protocol/error.ts';
import { revisionOf, type Revision } from '../../protocol/revision.ts';
import { createSeal } from '../../sealing/seal.ts';
import { answerReceived, opensStream, type BatchAnswer } from './batch.ts';
import { callerKey } from './caller.ts';
import { Fullness } from './events/fullness.ts';
import { Reports, type Stage } from './reports.ts';
import { freshState, packState, unpackState, type RoundSettings } from './input/request-state.ts';
import { SingleUse } from './input/single-use.ts';
import { memoryRoundStore } from './input/state-store.ts';
import { maxRemembered, ReportedMessages, saidWords } from './reported-messages.ts';
import { changedRecord, readSessionRecord, type SessionRecord } from './session-record.ts';

describe('the store of states in memory', () => {
  const clocked = (limits: { maxEntries?: number; maxCharacters?: number; maxMarks?: number } = {}) => {
    const clock = { now: 0 };
    return { clock, store: memoryRoundStore({ ...limits, now: () => clock.now }) };
  };

  test('keeps a state and a mark up to the end of their time, and no longer', async () => {
    for (const text of ['x', '']) {
      const { clock, store } = clocked();
      assert.equal(await store.add('a', text, 10), true);
      assert.equal(await store.add('a', text, 10), false);
      clock.now = 10;
      assert.equal(await store.get('a'), text);
      assert.equal(await store.add('a', text, 10), false);
      clock.now = 11;
      assert.equal(await store.get('a'), undefined);
      assert.equal(await store.add('a', text, 10), true);
    }
  });

  test('drops states whose time is over with the next one, and counts their characters no more', async () => {
    const { clock, store } = clocked({ maxCharacters: 4 });
    await store.add('old', 'xxxx', 10);
    clock.now = 11;
    assert.equal(await store.get('old'), undefined);
    await store.add('a', 'xx', 100);
    await store.add('b', 'xx', 100);
    assert.deepEqual([await store.get('a'), await store.get('b')], ['xx', 'xx']);
    await store.add('c', 'x', 100);
    assert.deepEqual([await store.get('a'), await store.get('b'), await store.get('c')], [undefined, 'xx', 'x']);
  });

  test('takes a new mark when one has expired, and keeps those that have not', async () => {
    const { clock, store } = clocked({ maxMarks: 2 });
    await store.add('short', '', 1_000);
    await store.add('long', '', 9_000);
    clock.now = 1_000;
    await assert.rejects(store.add('next', '', 1), (error) => error instanceof McpError && error.kind === 'busy');
    clock.now = 1_001;
    assert.equal(await store.add('next', '', 100_000), true);
    assert.equal(await store.get('long'), '');
    await assert.rejects(store.add('more', '', 1), { data: { retryAfterMs: 10_000 } });
    clock.now = 9_001;
    assert.equal(await store.add('more', '', 100_000), true);
    clock.now = 20_000;
    assert.deepEqual([await store.get('next'), await store.get('more'), await store.get('long')], ['', '', undefined]);
  });
});

test('a state travels up to its longest size, and is good up to the end of its time', async () => {
  const clock = { now: 0 };
  const stored: string[] = [];
  const inner = memoryRoundStore({ now: () => clock.now });
  const settings: RoundSettings = {
    seal: createSeal(),
    ttlMs: 100,
    maxStateLength: 400,
    singleUse: false,
    used: new SingleUse(inner, inner, 0),
    now: () => clock.now,
    store: { get: inner.get, add: (handle, text, ttlMs) => (stored.push(text), inner.add(handle, text, ttlMs)) },
  };
  const empty = JSON.stringify({ id: crypto.randomUUID(), expires: 100, state: { ...freshState, own: '' } }).length;
  const state = (length: number) => ({ ...freshState, own: 'x'.repeat(length - empty) });
  const travels = await packState(state(400), 'b', settings);
  assert.equal(stored.length, 0);
  const waits = await packState(state(401), 'b', settings);
  assert.equal(stored.length, 1);
  clock.now = 100;
  assert.deepEqual((await unpackState(travels, 'b', settings)).state, state(400));
  assert.deepEqual((await unpackState(waits, 'b', settings)).state, state(401));
  clock.now = 600_101;
  for (const packed of [travels, waits]) await assert.rejects(unpackState(packed, 'b', settings), McpError);
  let opened = 0;
  const counting = { ...settings, seal: { ...settings.seal, open: async () => void opened++ } };
  for (const length of [4 * 400 + 1024, 4 * 400 + 1025])
    await assert.rejects(unpackState('x'.repeat(length), 'b', counting as never), McpError);
  assert.equal(opened, 1);
});

test('a state that is too long to travel is handed out only once it is stored', async () => {
  const inner = memoryRoundStore();
  let stored!: (error?: Error) => void;
  const adding = (): Promise<never> =>
    new Promise(
      (resolve, reject) => (stored = (error) => (error === undefined ? resolve(undefined as never) : reject(error))),
    );
  const used = new SingleUse(inner, inner, 0);
  const fixed = { seal: createSeal(), ttlMs: 100, maxStateLength: 1, singleUse: false, used, now: () => 0 };
  for (const error of [undefined, new Error('the store is full')]) {
    let isOut = false;
    const packed = packState(freshState, 'b', { ...fixed, store: { ...inner, add: adding } }).then(
      () => (isOut = true),
    );
    await new Promise(setImmediate);
    assert.equal(isOut, false);
    stored(error);
    if (error === undefined) await packed;
    else await assert.rejects(packed, error);
  }
});

describe('log messages of earlier runs', () => {
  test('are remembered up to 1,000 texts, and counted beyond', () => {
    const said = new ReportedMessages();
    for (let index = 0; index < maxRemembered + 2; index += 1) assert.equal(said.isNew(`t${index}`), true);
    assert.deepEqual([said.texts.length, said.more], [maxRemembered, 2]);
    assert.equal(saidWords(['x'.repeat(252)]).length, 256);
    assert.equal(saidWords(['x'.repeat(253)]), '257');
    assert.equal(saidWords([10n]), '');
  });

  test('are not sent again, as many as there were', () => {
    const said = new ReportedMessages();
    for (let index = 0; index < maxRemembered + 1; index += 1) said.isNew(`t${index}`);
    const [first] = new Reports([], said).sent;
    assert.deepEqual([first?.repeated.length, first?.inEffects, first?.more], [maxRemembered, [], 1]);
    const again = new Reports([first as Stage]);
    for (let index = 0; index < maxRemembered + 1; index += 1)
      assert.equal(again.isNew(`t${index}`), false, `${index}`);
    assert.equal(again.isNew('another'), true);
    assert.deepEqual([again.sent[0]?.repeated.length, again.sent[0]?.more], [maxRemembered, 2]);
  });

  test('of an effect are known by their words alone, wherever they come', async () => {
    const first = new Reports([]);
    first.answered();
    await first.during(async () => {
      await Promise.resolve();
      first.isNew('in effect');
    });
    first.isNew('after');
    assert.deepEqual(
      first.sent.map(({ repeated, inEffects }) => [repeated.length, inEffects.length]),
      [
        [0, 0],
        [1, 1],
      ],
    );
    const again = new Reports(first.sent);
    assert.equal(again.isNew('new before'), true);
    again.answered();
    assert.equal(again.isNew('in effect'), false);
    assert.equal(again.isNew('in effect'), false, 'it takes the place of the other one');
    assert.equal(again.isNew('after'), true);
    assert.deepEqual(first.sent[1]?.inEffects.length, 1);
    await assert.rejects(
      again.during(() => Promise.reject(new Error('x'))),
      /x/,
    );
    again.isNew('outside');
    assert.equal(again.sent[1]?.inEffects.length, 1);
  });
});

describe('a batch', () => {
  const answered = async (values: readonly unknown[], protocolVersion = '2025-03-26'): Promise<BatchAnswer> => {
    const conversation = served().endpoint.openConnection({ lasting: true, send: () => undefined });
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await conversation.receive({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    return await new Promise((resolve) => answerReceived(conversation, values, resolve));
  };
  const pings = (count: number) => Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));

  test('may have 1 to 100 messages where the version has batches', async () => {
    assert.equal(((await answered(pings(100))) as readonly unknown[]).length, 100);
    assert.partialDeepStrictEqual(await answered(pings(101)), { error: { code: -32600 } });
    assert.partialDeepStrictEqual(await answered([]), { error: { message: 'a batch must not be empty' } });
    assert.partialDeepStrictEqual(await answered(pings(1), '2025-06-18'), { error: { code: -32600 } });
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
    assert.equal(await answered([notification]), undefined);
    assert.equal(((await answered([notification, ...pings(1)])) as readonly unknown[]).length, 1);
  });

  test('must not have initialize', async () => {
    const initialize = { jsonrpc: '2.0', id: 7, method: 'initialize', params: {} };
    assert.deepEqual(await answered([initialize]), [
      { jsonrpc: '2.0', id: 7, error: { code: -32600, message: 'initialize must not be part of a batch' } },
    ]);
    // What has no id gets no answer of its own, and what is no object is told of like everywhere.
    const { id: _, ...told } = initialize;
    assert.equal(await answered([told]), undefined);
    for (const value of [null, 5])
      assert.partialDeepStrictEqual(await answered([value, ...pings(1)]), [
        { error: { code: -32600 } },
        { id: 0, result: {} },
      ]);
    assert.equal(opensStream({ method: 'subscriptions/listen' }), true);
    assert.equal(opensStream({ method: 'ping' }), false);
    assert.equal(opensStream(null), false);
  });
});

test('a client may say 131,072 characters of itself, and no more', async () => {
  const clientInfo = { name: 'c', version: '1' };
  const capabilities = (text: string) => ({ experimental: { own: { text } } });
  const empty = JSON.stringify({ info: clientInfo, capabilities: capabilities('') }).length;
  const initialize = async (length: number) => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: capabilities('x'.repeat(length - empty)),
      clientInfo,
    };
    const conversation = served().endpoint.openConnection({ lasting: true, send: () => undefined });
    return await conversation.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  };
  assert.partialDeepStrictEqual(await initialize(131_072), { result: { protocolVersion: '2025-11-25' } });
  assert.partialDeepStrictEqual(await initialize(131_073), { error: { code: -32602 } });
});

test('a version that a request asks for is cut at 64 characters in the error', async () => {
  const conversation = served().endpoint.openConnection({ lasting: true, send: () => undefined });
  for (const [length, cut] of [
    [64, ''],
    [65, '…'],
  ] as const) {
    const params = withMeta({}) as { readonly _meta: object };
    const _meta = { ...params._meta, 'io.modelcontextprotocol/protocolVersion': 'v'.repeat(length) };
    const answer = await conversation.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { ...params, _meta },
    });
    assert.equal(JSON.stringify(answer).includes(`${'v'.repeat(64)}…`), cut === '…');
  }
});

test('a token exchange is that of the last request only when both tokens say the same', () => {
  const exchange = async (): Promise<never> => Promise.reject(new Error('not used'));
  const auth = {
    principal: 'ann',
    clientId: 'c',
    scopes: ['a', 'b'],
    claims: { sub: 'ann', exp: 1, iat: 1, nbf: 1, jti: 'x' },
  };
  const later = {
    ...auth,
    scopes: ['b', 'a'],
    claims: { sub: 'ann', exp: 2, iat: 2, nbf: 2, jti: 'y' },
    exchange,
  } as never;
  assert.equal(callerKey(auth as never), callerKey(later));
  for (const other of [{ clientId: 'd' }, { scopes: ['a'] }, { claims: { sub: 'bob' } }])
    assert.notEqual(callerKey({ ...auth, ...other } as never), callerKey(auth as never));
  assert.equal(callerKey({ principal: 'p' } as never), '[null,[],{}]');
});

describe('the record of a session', () => {
  const spoken = ['2025-06-18', '2025-11-25'].map((date) => revisionOf(date)) as Revision[];
  const record: SessionRecord = {
    revision: '2025-11-25',
    client: { info: { name: 'c', version: '1' }, capabilities: { roots: {} } },
    offered: {},
    isReady: false,
    level: 'info',
    watched: ['a'],
  };

  test('is read as it was written, and rejected where a part is wrong', () => {
    assert.deepEqual(readSessionRecord(JSON.parse(JSON.stringify(record)), spoken), record);
    for (const wrong of [
      { revision: '2024-11-05' },
      { revision: 1 },
      { client: 'c' },
      { client: { info: { name: 1 }, capabilities: {} } },
      { client: { info: record.client.info } },
      { offered: null },
      { isReady: 'no' },
      { level: 'loud' },
      { watched: 'a' },
      { watched: [1] },
    ])
      assert.equal(readSessionRecord({ ...record, ...wrong }, spoken), undefined, JSON.stringify(wrong));
    assert.equal(readSessionRecord('x', spoken), undefined);
  });

  test('changes with what the client asked for, once', () => {
    assert.deepEqual(changedRecord(record, { kind: 'ready' }), { ...record, isReady: true });
    assert.deepEqual(changedRecord(record, { kind: 'level', level: 'error' }), { ...record, level: 'error' });
    assert.deepEqual(changedRecord(record, { kind: 'watch', uri: 'b' }).watched, ['a', 'b']);
    assert.deepEqual(changedRecord(record, { kind: 'watch', uri: 'a' }).watched, ['a']);
    assert.deepEqual(changedRecord(record, { kind: 'unwatch', uri: 'a' }).watched, []);
    assert.deepEqual(changedRecord(record, { kind: 'unwatch', uri: 'b' }).watched, ['a']);
  });
});

test('a store is full until it refuses nothing for five seconds', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const told: unknown[] = [];
  const fullness = new Fullness((event) => told.push(event));
  const pass = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  fullness.went('put');
  pass(10_000);
  fullness.refused('put');
  fullness.refused('add');
  assert.deepEqual(told.splice(0), [{ type: 'store-full' }]);
  fullness.went('get');
  pass(5_000);
  fullness.went('put');
  fullness.went('put');
  pass(4_999);
  fullness.refused('put');
  pass(5_000);
  assert.deepEqual(told, []);
  fullness.went('add');
  pass(4_999);
  assert.deepEqual(told, []);
  pass(1);
  assert.deepEqual(told.splice(0), [{ type: 'store-roomy', fullMs: 14_999 }]);
  fullness.refused('put');
  assert.deepEqual(told, [{ type: 'store-full' }]);
});
