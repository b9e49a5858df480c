/** One connection of a bridge to its server, whose client the test plays. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callOf, connection, loud, type ConnectionSetup } from '../../../../../test/support/played-connection.ts';
import { settle } from '../../../../../test/support/raw.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { McpError } from '../../protocol/error.ts';

describe('a connection', () => {
  test('is opened once, by what needs it first', async () => {
    const { upstream, opened, requests, took } = connection();
    assert.ok(upstream.latest === undefined);
    const both = [upstream.carry({}, callOf().call), upstream.carry({}, callOf().call)];
    await settle();
    assert.deepEqual([opened.length, requests.length], [1, 2]);
    for (const request of requests) await request.answer();
    await Promise.all(both);
    assert.equal((await upstream.client()).revision, '2025-11-25');
    assert.deepEqual(took(), []);
  });

  test('that cannot be opened is warned of, and opened by the next call', async () => {
    const { upstream, state, opened, took } = connection();
    state.open = new ConnectionError('refused', 'nobody is there');
    await assert.rejects(upstream.carry({}, callOf().call), (error: McpError) => error.cause === state.open);
    const given = callOf();
    given.abort();
    await assert.rejects(upstream.carry({}, callOf({ ...given.call, method: 'x/y' }).call));
    assert.deepEqual(took(), ['"tools/list" failed upstream: nobody is there']);
    state.open = undefined;
    await upstream.notify('x/y', {});
    assert.equal(opened.length, 1);
  });

  test('that ended is opened again, after which something may have been missed', async () => {
    const { upstream, opened, events, took } = connection();
    const first = await upstream.client();
    opened[0]?.end();
    await settle();
    assert.notEqual(await upstream.client(), first);
    assert.deepEqual(took(), ['missed']);
    events().onReconnect();
    events().onGap();
    assert.deepEqual(took(), ['missed', 'missed']);
    // The end of the first one is not that of the second.
    assert.equal(await upstream.client(), upstream.latest);
    assert.equal(opened.length, 2);
  });

  test('that is closed closes its client, gives up what opens, and opens nothing more', async () => {
    const { upstream, took } = connection();
    await upstream.client();
    await upstream.close();
    assert.deepEqual(took(), ['given up', 'closed']);
    await assert.rejects(upstream.client(), /the bridge is closed/);
    const unopened = connection();
    await unopened.upstream.close();
    assert.deepEqual(unopened.took(), []);
  });

  test('knows what runs on it', async () => {
    const { upstream, requests, subscriptions } = connection();
    const standing = (): readonly boolean[] => [upstream.quiet, upstream.idle, upstream.followed, upstream.stateful];
    const used = upstream.usedAt;
    assert.deepEqual(standing(), [true, true, false, false]);
    const listing = upstream.carry({}, callOf().call);
    assert.deepEqual(standing(), [false, false, false, false]);
    await settle();
    await requests[0]?.answer();
    await listing;
    assert.deepEqual([...standing(), upstream.usedAt > used], [true, true, false, false, true]);

    const following = upstream.follow({ tools: true }, () => assert.fail('nothing was missed'));
    assert.deepEqual(standing(), [true, false, false, false]);
    await following;
    assert.deepEqual(standing(), [true, true, true, true]);
    subscriptions[0]?.event({ type: 'list', list: 'tools' });
    subscriptions[0]?.end();
    await settle();
    assert.deepEqual(standing(), [true, true, false, false]);

    let done!: () => void;
    const during = upstream.during(() => new Promise<void>((resolve) => (done = resolve)));
    await settle();
    assert.deepEqual(standing(), [true, true, true, true]);
    done();
    await during;
    assert.deepEqual(standing(), [true, true, false, false]);

    const before = upstream.usedAt;
    const notifying = upstream.notify('x/y', {});
    assert.deepEqual(standing(), [true, false, false, true]);
    await notifying;
    assert.deepEqual([...standing(), upstream.usedAt > before], [true, true, false, true, true]);
  });

  test('may lose what a call left in the server', async () => {
    const { upstream, requests } = connection();
    const calling = upstream.carry({ name: 'x' }, callOf({ method: 'tools/call' }).call);
    await settle();
    await requests[0]?.answer({ content: [] });
    await calling;
    assert.equal(upstream.stateful, true);
  });

  test('is free for a call that needs it alone if nothing runs, and for others if no such call runs', async () => {
    const { upstream, requests } = connection();
    const free = (): readonly boolean[] => [upstream.free(true), upstream.free(false)];
    assert.deepEqual(free(), [true, true]);
    for (const [alone, expected] of [
      [false, [false, true]],
      [true, [false, false]],
    ] as const) {
      const calling = upstream.carry({}, callOf().call, alone);
      assert.deepEqual(free(), expected);
      await settle();
      await requests.at(-1)?.answer();
      await calling;
      assert.deepEqual(free(), [true, true]);
    }
    upstream.calls.began('task');
    assert.deepEqual(free(), [false, true]);
    upstream.ended('task');
    assert.deepEqual(free(), [true, true]);
  });

  test('fails to follow as one that cannot be reached, or as the server says', async () => {
    const { upstream } = connection();
    const client = await upstream.client();
    for (const [error, kind] of [
      [new ConnectionError('closed', 'lost'), 'internalError'],
      [new McpError('methodNotFound', 'no'), 'methodNotFound'],
    ] as const) {
      Object.assign(client, { subscribe: () => Promise.reject(error) });
      await assert.rejects(
        upstream.follow({}, () => undefined),
        { kind },
      );
      assert.deepEqual([upstream.followed, upstream.idle], [false, true]);
    }
  });

  test('hears of what a stream may have missed', async () => {
    const { upstream, subscriptions } = connection();
    let missed = 0;
    await upstream.follow({ tools: true }, () => void missed++);
    subscriptions[0]?.event({ type: 'update', uri: 'a:b' });
    subscriptions[0]?.event({ type: 'reopened' });
    assert.equal(missed, 1);
  });
});

describe('a call that is given up', () => {
  async function givenUp(setup: ConnectionSetup = {}) {
    const scene = connection(setup);
    const { call, abort } = callOf({ ask: async () => ({}) });
    const calling = scene.upstream.carry({}, call).catch(() => 'given up');
    await settle();
    abort();
    scene.requests[0]?.options.onGivenUp?.();
    await scene.requests[0]?.fail(new ConnectionError('aborted', 'given up'));
    assert.equal(await calling, 'given up');
    return scene;
  }

  test('leaves the connection in doubt until it is answered, or the connection begins anew', async () => {
    for (const end of ['answer', 'reconnect', 'close'] as const) {
      const { upstream, requests, events, opened, took } = await givenUp();
      assert.deepEqual([upstream.doubtful, upstream.free(true), upstream.free(false), took()], [true, false, true, []]);
      let isCleared = false;
      const cleared = upstream.cleared().then(() => (isCleared = true));
      await settle();
      assert.equal(isCleared, false);
      if (end === 'answer') requests[0]?.options.onLateAnswer?.();
      else if (end === 'reconnect') events().onReconnect();
      else opened[0]?.end();
      await cleared;
      assert.equal(upstream.doubtful, false);
    }
  });

  test('leaves none where that closes its stream', async () => {
    const { upstream } = await givenUp({ up: '2026-07-28' });
    assert.equal(upstream.doubtful, false);
    const facts = { cancelsByClosing: false, ownsProcess: false } as never;
    assert.equal((await givenUp({ up: '2026-07-28', options: { facts } })).upstream.doubtful, true);
  });

  test('has nobody else asked, nor sent its log messages', async () => {
    const { upstream, events, took } = await givenUp({ options: {} });
    const next = upstream.carry({}, loud().call).catch(() => undefined);
    await settle();
    await assert.rejects(
      events().onRequest('roots/list', {}, { signal: AbortSignal.timeout(60_000), request: undefined } as never),
    );
    assert.equal(took()[0], 'asked');
    await upstream.close();
    void next;
  });
});

describe('the log level of a connection', () => {
  test('is that at which each call hears what it wants, and is set once', async () => {
    const { upstream, requests, levels } = connection();
    const calls = ([undefined, 'error', 'debug', 'info'] as const).map((logLevel) =>
      upstream.carry({}, callOf({ logLevel }).call),
    );
    await settle();
    assert.deepEqual(levels, ['debug']);
    for (const request of requests) await request.answer();
    await Promise.all(calls);
    const last = upstream.carry({}, callOf({ logLevel: 'error' }).call);
    await settle();
    await requests.at(-1)?.answer();
    await last;
    assert.deepEqual(levels, ['debug', 'error']);
  });

  test('is that of its session, which the first call sets, and a later wish at once', async () => {
    const { upstream, requests, levels, opened } = connection({ isOwn: true });
    const { call } = callOf({ session: { state: {} } as never, logLevel: 'debug' });
    await upstream.setLevel('warning', call);
    assert.deepEqual([upstream.level, opened.length, levels], ['warning', 0, []]);
    for (let times = 0; times < 2; times++) {
      const calling = upstream.carry({}, call);
      await settle();
      await requests.at(-1)?.answer();
      await calling;
    }
    assert.deepEqual(levels, ['warning']);
    const setting = upstream.setLevel('error', call);
    assert.equal(upstream.idle, false);
    await setting;
    assert.deepEqual([upstream.level, upstream.idle, levels], ['error', true, ['warning', 'error']]);
    // Another connection was told nothing.
    opened[0]?.end();
    await settle();
    const calling = upstream.carry({}, call);
    await settle();
    await requests.at(-1)?.answer();
    await calling;
    assert.deepEqual(levels, ['warning', 'error', 'error']);
  });

  test('that the server refuses is warned of by a call, and thrown to who sets it', async () => {
    const { upstream, requests, state, took } = connection();
    state.level = new McpError('invalidParams', 'no such level');
    const calling = upstream.carry({}, loud().call);
    await settle();
    await requests[0]?.answer();
    await calling;
    assert.deepEqual(took(), ['the log level of the upstream could not be set: no such level']);
    await assert.rejects(upstream.setLevel('error', callOf().call), /no such level/);
  });

  test('is not set where the server has none', async () => {
    for (const setup of [{ logging: false }, { up: '2026-07-28' }] as const) {
      const { upstream, requests, levels } = connection(setup);
      const calling = upstream.carry({}, loud().call);
      await settle();
      await upstream.setLevel('error', callOf().call);
      await requests[0]?.answer();
      await calling;
      assert.deepEqual(levels, []);
    }
  });
});
