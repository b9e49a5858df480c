import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import {
  declared,
  idKey,
  type Listened,
  listened,
  stateless,
  notification,
  acknowledging,
  paramsOf,
} from '../../../../../test/support/listened.ts';
import { settling } from '../../../../../test/support/settling.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { scriptedTransport, type Script } from '../../testing/scripted.ts';
import { createConnect } from '../connect.ts';

describe('the end of a listen request', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  for (const [kind, told] of [
    ['stdio', true],
    ['http', false],
  ] as const) {
    it(`from here ${told ? 'is told by a cancellation' : 'closes the stream'} over ${kind} [C10] [C66] [stdio-009]`, async () => {
      const one = await listened(acknowledging(), { kind });
      const subscription = await one.client.subscribe({ tools: true }, one.heard);
      await subscription.close();
      await subscription.close();
      assert.deepEqual(await subscription.closed, { graceful: true });
      await turns();
      const cancelled = told ? [{ requestId: one.ids()[0] }] : [];
      assert.deepEqual(paramsOf(one, 'notifications/cancelled'), cancelled);
      const listen = one.transport.sent.find(({ message }) => message['method'] === 'subscriptions/listen');
      assert.equal(listen?.signal?.aborted, told ? undefined : true);
      one.peer().send(notification('notifications/tools/list_changed', one.ids()[0]));
      assert.deepEqual(one.events, []);
    });
  }

  it('comes with a signal, before or after it was opened', async () => {
    const one = await listened((sent, peer) => (one.ids().length === 1 ? acknowledging()(sent, peer) : undefined));
    const first = new AbortController();
    const subscription = await one.client.subscribe({ tools: true }, one.heard, { signal: first.signal });
    first.abort();
    assert.deepEqual(await subscription.closed, { graceful: true });
    const second = new AbortController();
    const opening = assert.rejects(one.client.subscribe({ tools: true }, one.heard, { signal: second.signal }), {
      name: 'AbortError',
    });
    await turns();
    second.abort();
    await opening;
    await assert.rejects(one.client.subscribe({ tools: true }, one.heard, { signal: second.signal }));
  });

  it('does not wait for a connection that is opened anew', async () => {
    const scripted = scriptedTransport('stdio', settling(acknowledging(), stateless, declared));
    let opens = 0;
    const transport: typeof scripted = {
      ...scripted,
      open: async (receiver) => (++opens === 1 ? await scripted.open(receiver) : await new Promise(() => undefined)),
    };
    const client = await createConnect({ http: () => transport })(transport, { random: () => 0 });
    const subscription = await client.subscribe({ tools: true }, () => undefined);
    scripted.peers.at(-1)?.end();
    for (let seconds = 0; seconds < 3 && opens < 2; seconds++) {
      await turns();
      mock.timers.tick(1_000);
    }
    await turns();
    assert.equal(opens, 2);
    let isOver = false;
    void subscription.closed.then(() => (isOver = true));
    void subscription.close();
    await turns();
    assert.equal(isOver, true);
    void client.close();
  });

  it('comes with the client, also before it is open, and is then no abort', async () => {
    const one = await listened(() => {});
    const opening = one.client.subscribe({ tools: true }, one.heard);
    await turns();
    await one.client.close();
    await assert.rejects(opening, { name: 'ConnectionError', reason: 'closed' });
  });

  it('comes when it is not acknowledged in time', async () => {
    const one = await listened(() => new Promise(() => {}), { options: { timeoutMs: 500 } });
    const opening = assert.rejects(one.client.subscribe({ tools: true }, one.heard), { reason: 'timeout' });
    await turns();
    mock.timers.tick(500);
    await opening;
    await turns();
    assert.equal(one.transport.methods.at(-1), 'notifications/cancelled');
  });

  it('never comes by a time limit once it is acknowledged', async () => {
    const one = await listened(acknowledging(), { options: { timeoutMs: 500, maxTotalTimeoutMs: 1_000 } });
    await one.client.subscribe({ tools: true }, one.heard);
    mock.timers.tick(100_000);
    await turns();
    one.peer().send(notification('notifications/tools/list_changed', one.ids()[0]));
    assert.equal(one.events.length, 1);
    assert.equal(one.ids().length, 1);
  });

  for (const [name, end] of [
    [
      'a response',
      (one: Listened) => ({ jsonrpc: '2.0', id: one.ids()[0], result: { _meta: { [idKey]: one.ids()[0] } } }),
    ],
    [
      'a cancellation',
      (one: Listened) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: one.ids()[0] } }),
    ],
  ] as const) {
    it(`by ${name} of the server is no end where it comes back: it is opened again after a second, and says so [C13]`, async () => {
      const one = await listened(acknowledging());
      const subscription = await one.client.subscribe({ tools: true }, one.heard);
      one.clock.now += 5_000;
      one.peer().send(end(one));
      await turns();
      mock.timers.tick(999);
      await turns();
      assert.equal(one.ids().length, 1);
      mock.timers.tick(1);
      await turns();
      assert.equal(one.ids().length, 2);
      one.peer().send(notification('notifications/tools/list_changed', one.ids()[1]));
      assert.deepEqual(one.events, [{ type: 'reopened' }, { type: 'list', list: 'tools' }]);
      assert.ok(!one.transport.methods.includes('notifications/cancelled'));
      await subscription.close();
      assert.deepEqual(await subscription.closed, { graceful: true });
    });

    it(`by ${name} of the server is one where nothing is to be opened again`, async () => {
      const one = await listened(acknowledging(), { options: { reconnect: false } });
      const subscription = await one.client.subscribe({ tools: true }, one.heard);
      one.peer().send(end(one));
      assert.deepEqual(await subscription.closed, { graceful: true });
      mock.timers.tick(100_000);
      await turns();
      assert.equal(one.ids().length, 1);
    });
  }

  it('at once, whenever it is opened, is tried ever more slowly and taken for the last after ten in a row', async () => {
    const one = await listened((sent, peer) => {
      if (sent.message['method'] !== 'subscriptions/listen') return;
      void acknowledging()(sent, peer);
      peer.reply(sent, { resultType: 'complete', _meta: { [idKey]: sent.message['id'] } });
    });
    const subscription = await one.client.subscribe({ tools: true }, one.heard);
    const waits: number[] = [];
    await turns();
    for (let seconds = 0; seconds < 400; seconds++) {
      const before = one.ids().length;
      mock.timers.tick(1_000);
      await turns();
      if (one.ids().length > before) waits.push(seconds + 1);
    }
    assert.deepEqual(
      waits.map((at, index) => at - (waits[index - 1] ?? 0)),
      [1, 2, 4, 8, 16, 30, 30, 30, 30],
    );
    assert.deepEqual(await subscription.closed, { graceful: true });
  });

  it('by a server that then refuses it says why', async () => {
    const one = await listened((sent, peer) => {
      if (one.ids().length > 1) return peer.refuse(sent, { code: -32602, message: 'no more of that' });
      return acknowledging()(sent, peer);
    });
    const subscription = await one.client.subscribe({ tools: true }, one.heard);
    one.peer().send({ jsonrpc: '2.0', id: one.ids()[0], result: { resultType: 'complete' } });
    await turns();
    mock.timers.tick(1_000);
    const { graceful, error } = await subscription.closed;
    assert.deepEqual([graceful, error?.message], [false, 'no more of that']);
  });

  it('by a server whose connection cannot be opened again was in good order', async () => {
    const scripted = scriptedTransport('memory', settling(acknowledging(), stateless, declared));
    const transport = Object.assign(scripted, { opensOnce: true });
    const client = await createConnect({ http: () => transport })(transport);
    const subscription = await client.subscribe({ tools: true }, () => undefined);
    const id = transport.sent.at(-1)?.message['id'];
    transport.peers[0]?.send({ jsonrpc: '2.0', id, result: { resultType: 'complete' } });
    await turns();
    transport.peers[0]?.end();
    assert.deepEqual(await subscription.closed, { graceful: true });
    assert.equal((await client.closed)?.reason, 'exited');
  });

  it('by a drop makes it be opened again after a second, under a new id, and says so [C66] [http-063]', async () => {
    const drops: ((error: Error) => void)[] = [];
    const dropping: Script = (sent, peer) => {
      void acknowledging()(sent, peer);
      return new Promise((_, reject) => drops.push(reject));
    };
    const one = await listened(dropping, { kind: 'http' });
    await one.client.subscribe({ tools: true }, one.heard);
    drops[0]?.(new ConnectionError('closed', 'HTTP 200 ended before the response'));
    await turns();
    mock.timers.tick(999);
    await turns();
    assert.equal(one.ids().length, 1);
    mock.timers.tick(1);
    await turns();
    const [first, second] = one.ids();
    assert.notEqual(first, second);
    assert.deepEqual(one.events, [{ type: 'reopened' }]);
    one.peer().send(notification('notifications/tools/list_changed', first));
    one.peer().send(notification('notifications/tools/list_changed', second));
    assert.deepEqual(one.events.slice(1), [{ type: 'list', list: 'tools' }]);
  });

  it('by a drop makes stale what may have changed meanwhile [caching-013]', async () => {
    const drops: ((error: Error) => void)[] = [];
    const one = await listened(
      (sent, peer) => {
        if (sent.message['method'] === 'tools/list') return peer.reply(sent, { tools: [], ttlMs: 60_000 });
        void acknowledging()(sent, peer);
        return new Promise((_, reject) => drops.push(reject));
      },
      { kind: 'http' },
    );
    await one.client.listTools();
    await one.client.subscribe({ tools: true }, (event) => {
      if (event.type === 'reopened') void one.client.listTools();
    });
    drops[0]?.(new ConnectionError('closed', 'dropped'));
    await turns();
    mock.timers.tick(1_000);
    await turns();
    assert.equal(paramsOf(one, 'tools/list').length, 2);
  });

  it('is tried ever more slowly up to half a minute, and given up after ten failures [C66]', async () => {
    let opened = false;
    const one = await listened(
      (sent, peer) => {
        if (opened) throw new ConnectionError('refused', 'cannot be reached');
        opened = true;
        void acknowledging()(sent, peer);
        throw new ConnectionError('closed', 'dropped');
      },
      { kind: 'http' },
    );
    const subscription = await one.client.subscribe({ tools: true }, one.heard);
    const waits: number[] = [];
    await turns();
    for (let seconds = 0; seconds < 300; seconds++) {
      const before = one.ids().length;
      mock.timers.tick(1_000);
      await turns();
      if (one.ids().length > before) waits.push(seconds + 1);
    }
    const pauses = waits.map((at, index) => at - (waits[index - 1] ?? 0));
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30, 30, 30, 30]);
    const end = await subscription.closed;
    assert.equal(end.graceful, false);
    assert.ok(end.error instanceof ConnectionError && end.error.reason === 'refused');
  });

  it('after a while of quiet is tried at once again', async () => {
    const drops: ((error: Error) => void)[] = [];
    const one = await listened(
      (sent, peer) => {
        void acknowledging()(sent, peer);
        return new Promise((_, reject) => drops.push(reject));
      },
      { kind: 'http' },
    );
    await one.client.subscribe({ tools: true }, one.heard);
    const pauseAfter = async (livedMs: number): Promise<number> => {
      one.clock.now += livedMs;
      const before = one.ids().length;
      drops.at(-1)?.(new ConnectionError('closed', 'dropped'));
      await turns();
      for (let seconds = 1; ; seconds++) {
        mock.timers.tick(1_000);
        await turns();
        if (one.ids().length > before) return seconds;
      }
    };
    assert.deepEqual([await pauseAfter(0), await pauseAfter(0), await pauseAfter(0)], [1, 2, 4]);
    assert.deepEqual([await pauseAfter(5_000), await pauseAfter(0)], [1, 2]);
  });

  for (const [asked, waited] of [
    [7_000, 7_000],
    [86_400_000, 60_000],
  ] as const)
    it(`by an overloaded server that asks for ${asked} ms waits ${waited} ms`, async () => {
      let tries = 0;
      const one = await listened(
        (sent, peer) => {
          if (++tries === 2) throw new ConnectionError('http', 'HTTP 503', { status: 503, retryAfterMs: asked });
          void acknowledging()(sent, peer);
          if (tries === 1) throw new ConnectionError('closed', 'dropped');
          return new Promise(() => {});
        },
        { kind: 'http' },
      );
      await one.client.subscribe({ tools: true }, one.heard);
      await turns();
      mock.timers.tick(1_000);
      await turns();
      mock.timers.tick(waited - 1);
      await turns();
      assert.equal(tries, 2);
      mock.timers.tick(1);
      await turns();
      assert.equal(tries, 3);
    });

  for (const error of [
    new ConnectionError('unauthorized', 'HTTP 401', { status: 401 }),
    new ConnectionError('http', 'HTTP 400', { status: 400 }),
  ]) {
    it(`by ${error.message} is final`, async () => {
      let tries = 0;
      const one = await listened(
        (sent, peer) => {
          if (++tries === 2) throw error;
          void acknowledging()(sent, peer);
          throw new ConnectionError('closed', 'dropped');
        },
        { kind: 'http' },
      );
      const subscription = await one.client.subscribe({ tools: true }, one.heard);
      await turns();
      mock.timers.tick(1_000);
      assert.deepEqual(await subscription.closed, { graceful: false, error });
      mock.timers.tick(100_000);
      await turns();
      assert.equal(tries, 2);
    });
  }

  it('is final where nothing is to be opened again', async () => {
    const one = await listened(
      (sent, peer) => {
        void acknowledging()(sent, peer);
        throw new ConnectionError('closed', 'dropped');
      },
      { kind: 'http', options: { reconnect: false } },
    );
    const subscription = await one.client.subscribe({ tools: true }, one.heard);
    assert.equal((await subscription.closed).graceful, false);
  });

  it('with the process of the server makes it be opened again in a new one [stdio-016] [subs-011] [stdio-015]', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe({ tools: true }, one.heard);
    await one.client.subscribe({ prompts: true }, one.heard);
    one.peer().end();
    await turns();
    mock.timers.tick(1_000);
    await turns();
    assert.equal(one.transport.peers.length, 2);
    const again = one.transport.sent
      .filter(({ conversation }) => conversation === 2)
      .map(({ message }) => message['method']);
    assert.deepEqual(again, ['server/discover', 'subscriptions/listen', 'subscriptions/listen']);
    assert.deepEqual(one.events, [{ type: 'reopened' }, { type: 'reopened' }]);
  });

  it('with the process does not wait once another request has started a new one', async () => {
    const one = await listened((sent, peer) =>
      sent.message['method'] === 'tools/list' ? peer.reply(sent, { tools: [] }) : acknowledging()(sent, peer),
    );
    await one.client.subscribe({ tools: true }, one.heard);
    one.peer().end();
    await turns();
    await one.client.listTools();
    await turns();
    assert.deepEqual(one.events, [{ type: 'reopened' }]);
  });
});
