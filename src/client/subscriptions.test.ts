import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { createHandler } from '../http/fetch.ts';
import { httpTransport } from '../http/client.ts';
import { ConnectionError, type Transport, type TransportKind } from '../jsonrpc/transport.ts';
import { memoryTransport } from '../peer/memory.ts';
import { revisions } from '../protocol/revision.ts';
import { createServer, type Server } from '../server/server.ts';
import { scriptedTransport, type Script, type ScriptedPeer, type ScriptedTransport } from '../testing/scripted.ts';
import type { Client } from './client.ts';
import { createConnect } from './connect.ts';
import type { ConnectOptions } from './options.ts';
import type { SubscriptionEvent, Topics } from './subscription.ts';

const stateless = '2026-07-28';
const handshake = '2025-11-25';
const declared = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};
const idKey = 'io.modelcontextprotocol/subscriptionId';

type Filter = Readonly<Record<string, unknown>>;

interface Listened {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly warnings: string[];
  readonly events: SubscriptionEvent[];
  readonly clock: { now: number };
  readonly heard: (event: SubscriptionEvent) => void;
  readonly peer: () => ScriptedPeer;
  /** The ids of the listen requests so far. */
  readonly ids: () => readonly unknown[];
}

interface Settings {
  readonly revision?: string;
  readonly kind?: TransportKind;
  readonly capabilities?: object;
  readonly options?: ConnectOptions;
}

/** Connects to a server that settles on one revision and then follows the script. */
async function listened(
  script: Script,
  { revision = stateless, kind = 'stdio', capabilities = declared, options = {} }: Settings = {},
): Promise<Listened> {
  const transport = scriptedTransport(kind, (sent, peer) => {
    const { method } = sent.message;
    if (method === 'server/discover' && revision === stateless)
      return peer.reply(sent, { supportedVersions: [stateless], capabilities, ttlMs: 0, cacheScope: 'private' });
    if (method === 'server/discover') return peer.refuse(sent, { code: -32601, message: 'no' });
    if (method === 'initialize')
      return peer.reply(sent, { protocolVersion: revision, capabilities, serverInfo: { name: 's', version: '1' } });
    if (method === 'notifications/initialized') return;
    return script(sent, peer);
  });
  const warnings: string[] = [];
  const events: SubscriptionEvent[] = [];
  const clock = { now: 0 };
  const client = await createConnect({ http: () => transport })(transport, {
    now: () => clock.now,
    random: () => 0,
    ...options,
    onWarning: (message) => void warnings.push(message),
  });
  return {
    client,
    transport,
    warnings,
    events,
    clock,
    heard: (event) => void events.push(event),
    peer: () => {
      const peer = transport.peers.at(-1);
      assert.ok(peer);
      return peer;
    },
    ids: () =>
      transport.sent
        .filter(({ message }) => message['method'] === 'subscriptions/listen')
        .map(({ message }) => message['id']),
  };
}

function notification(method: string, id: unknown, params: object = {}): object {
  return { jsonrpc: '2.0', method, params: { ...params, _meta: { [idKey]: id } } };
}

/** Acknowledges every listen request, wholly or as told, and leaves it open. */
const acknowledging =
  (agreed?: Filter): Script =>
  (sent, peer) => {
    if (sent.message['method'] !== 'subscriptions/listen') return undefined;
    const { notifications } = sent.message['params'] as { readonly notifications: Filter };
    peer.send(
      notification('notifications/subscriptions/acknowledged', sent.message['id'], {
        notifications: agreed ?? notifications,
      }),
    );
    // Over HTTP sending lasts as long as the stream.
    return new Promise(() => {});
  };

function paramsOf(one: Listened, method: string): readonly unknown[] {
  return one.transport.sent
    .filter(({ message }) => message['method'] === method)
    .map(({ message }) => message['params']);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

const everything: Topics = { tools: true, prompts: true, resourceList: true, resources: ['file:///x', 'file:///y'] };

describe('a subscription at a stateless revision', () => {
  it('is one listen request, with what is wanted alone [C64] [C65] [C67]', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe(everything, one.heard);
    await one.client.subscribe({ prompts: true, tools: false, resources: [] }, one.heard);
    const filters = paramsOf(one, 'subscriptions/listen').map(
      (params) => (params as { notifications: unknown }).notifications,
    );
    assert.deepEqual(filters, [
      {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['file:///x', 'file:///y'],
      },
      { promptsListChanged: true },
    ]);
    assert.equal(one.transport.listens, 0);
  });

  it('never opens the stream that handshake revisions have [C62] [C63]', async () => {
    const one = await listened(acknowledging(), { kind: 'http' });
    await one.client.subscribe(everything, one.heard);
    assert.equal(one.transport.listens, 0);
    assert.ok(!one.transport.methods.includes('resources/subscribe'));
  });

  it('says what the server agreed to, and no more than was asked [subs-005] [C66]', async () => {
    const agreed = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['file:///y', 'file:///z'],
    };
    const one = await listened(acknowledging(agreed));
    const topics = { tools: true, resourceList: true, resources: ['file:///x', 'file:///y'] };
    const subscription = await one.client.subscribe(topics, one.heard);
    assert.deepEqual(subscription.honoured, { tools: true, resources: ['file:///y'] });
  });

  it('tells what changed', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe(everything, one.heard);
    const [id] = one.ids();
    one.peer().send(notification('notifications/tools/list_changed', id));
    one.peer().send(notification('notifications/prompts/list_changed', id));
    one.peer().send(notification('notifications/resources/list_changed', id));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 'file:///x' }));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 'part-of-y' }));
    assert.deepEqual(one.events, [
      { type: 'list', list: 'tools' },
      { type: 'list', list: 'prompts' },
      { type: 'list', list: 'resources' },
      { type: 'resource', uri: 'file:///x' },
      { type: 'resource', uri: 'part-of-y' },
    ]);
    assert.deepEqual(one.warnings, []);
  });

  it('is told apart from others by its id [subs-007] [stdio-008]', async () => {
    const one = await listened(acknowledging());
    const own: SubscriptionEvent[][] = [[], []];
    for (const events of own) await one.client.subscribe({ tools: true }, (event) => void events.push(event));
    const [first, second] = one.ids();
    one.peer().send(notification('notifications/tools/list_changed', second));
    assert.deepEqual(
      own.map((events) => events.length),
      [0, 1],
    );
    one.peer().send(notification('notifications/tools/list_changed', first));
    one.peer().send(notification('notifications/tools/list_changed', 'nobody'));
    one.peer().send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    assert.deepEqual(
      own.map((events) => events.length),
      [1, 1],
    );
  });

  it('of several opened at once each gets its own acknowledgement, in any order', async () => {
    const waiting: (() => void)[] = [];
    const one = await listened((sent, peer) => void waiting.unshift(() => void acknowledging()(sent, peer)));
    const opening = [{ tools: true }, { prompts: true }].map((topics) => one.client.subscribe(topics, one.heard));
    await turns();
    for (const acknowledge of waiting) acknowledge();
    const subscriptions = await Promise.all(opening);
    assert.deepEqual(
      subscriptions.map(({ honoured }) => honoured),
      [{ tools: true }, { prompts: true }],
    );
  });

  it('does not take progress and log messages, which is a warning [C64]', async () => {
    const logs: unknown[] = [];
    const options = {
      onLog: (message: unknown) => void logs.push(message),
      onProgress: (message: unknown) => void logs.push(message),
    };
    const one = await listened(acknowledging(), { options });
    await one.client.subscribe({ tools: true }, one.heard);
    const [id] = one.ids();
    one.peer().send(notification('notifications/message', id, { level: 'info', data: 'x' }));
    one.peer().send(notification('notifications/progress', id, { progressToken: 1, progress: 1 }));
    assert.deepEqual([logs, one.events], [[], []]);
    assert.equal(one.warnings.length, 2);
    one.peer().send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    assert.equal(logs.length, 1);
  });

  it('does not take what was not asked for, which is a warning', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe({ tools: true }, one.heard);
    const [id] = one.ids();
    one.peer().send(notification('notifications/prompts/list_changed', id));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 'file:///x' }));
    one.peer().send(notification('notifications/resources/updated', id, { uri: 7 }));
    assert.deepEqual(one.events, []);
    assert.equal(one.warnings.length, 2);
  });

  it('survives a listener that throws', async () => {
    const one = await listened(acknowledging());
    await one.client.subscribe({ tools: true }, () => {
      throw new Error('mine');
    });
    one.peer().send(notification('notifications/tools/list_changed', one.ids()[0]));
    assert.match(one.warnings.join(), /threw/);
  });

  for (const [name, script, kind] of [
    ['a refusal', (sent, peer) => peer.refuse(sent, { code: -32601, message: 'no' }), 'methodNotFound'],
    [
      'a malformed acknowledgement',
      (sent, peer) =>
        peer.send(notification('notifications/subscriptions/acknowledged', sent.message['id'], { notifications: 7 })),
      'invalid-message',
    ],
    [
      'an end without acknowledgement',
      (sent, peer) => peer.reply(sent, { _meta: { [idKey]: sent.message['id'] } }),
      'closed',
    ],
  ] as readonly (readonly [string, Script, string])[]) {
    it(`fails with ${name}`, async () => {
      const one = await listened(script);
      await assert.rejects(
        one.client.subscribe({ tools: true }, one.heard),
        (error: { kind?: string; reason?: string }) => {
          assert.equal(error.kind ?? error.reason, kind);
          return true;
        },
      );
      assert.equal(one.ids().length, 1);
    });
  }

  it('is refused here when it is about nothing, or about too much', async () => {
    const one = await listened(acknowledging());
    const many = Array.from({ length: 10_001 }, (_, at) => `file:///${at}`);
    for (const topics of [{}, { tools: false, resources: [] }, { resources: many }])
      await assert.rejects(one.client.subscribe(topics, one.heard), TypeError);
    assert.deepEqual(one.ids(), []);
  });

  it('is closed with the client, which is graceful', async () => {
    const one = await listened(acknowledging());
    const subscription = await one.client.subscribe({ tools: true }, one.heard);
    await one.client.close();
    assert.deepEqual(await subscription.closed, { graceful: true });
  });

  it('settles first whether a server that is only remembered still speaks so', async () => {
    const first = await listened(acknowledging());
    const prior = first.client.verdict;
    const one = await listened((sent, peer) => (sent.message['id'] === undefined ? undefined : peer.reply(sent, {})), {
      revision: handshake,
      options: { prior },
    });
    assert.equal(one.client.revision, stateless);
    const subscription = await one.client.subscribe({ tools: true, resources: ['file:///x'] }, one.heard);
    assert.equal(one.client.revision, handshake);
    assert.deepEqual(subscription.honoured, { tools: true, resources: ['file:///x'] });
  });
});

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
      reason: 'aborted',
    });
    await turns();
    second.abort();
    await opening;
    await assert.rejects(one.client.subscribe({ tools: true }, one.heard, { signal: second.signal }));
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
    it(`by ${name} of the server is graceful, and it is not opened again [C13]`, async () => {
      const one = await listened(acknowledging());
      const subscription = await one.client.subscribe({ tools: true }, one.heard);
      one.peer().send(end(one));
      assert.deepEqual(await subscription.closed, { graceful: true });
      mock.timers.tick(100_000);
      await turns();
      assert.equal(one.ids().length, 1);
      assert.ok(!one.transport.methods.includes('notifications/cancelled'));
    });
  }

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

  it('by an overloaded server waits as long as that asks', async () => {
    let tries = 0;
    const one = await listened(
      (sent, peer) => {
        if (++tries === 2) throw new ConnectionError('http', 'HTTP 503', { status: 503, retryAfterMs: 7_000 });
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
    mock.timers.tick(6_999);
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

describe('a subscription at a handshake revision', () => {
  const answering: Script = (sent, peer) => (sent.message['id'] === undefined ? undefined : peer.reply(sent, {}));
  const settings = { revision: handshake } as const;

  it('needs no request for lists, which are told unasked [E07] [E08] [E13]', async () => {
    const one = await listened(answering, settings);
    const subscription = await one.client.subscribe({ tools: true, prompts: true, resourceList: true }, one.heard);
    assert.deepEqual(subscription.honoured, { tools: true, prompts: true, resourceList: true });
    assert.equal(one.transport.methods.at(-1), 'notifications/initialized');
    for (const list of ['tools', 'prompts', 'resources'])
      one.peer().send({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
    assert.deepEqual(
      one.events,
      ['tools', 'prompts', 'resources'].map((list) => ({ type: 'list', list })),
    );
    assert.deepEqual(one.warnings, []);
  });

  it('says what the server declared to tell', async () => {
    const one = await listened(answering, {
      ...settings,
      capabilities: { tools: {}, resources: { listChanged: true } },
    });
    const subscription = await one.client.subscribe(everything, one.heard);
    assert.deepEqual(subscription.honoured, { resourceList: true });
    assert.ok(!one.transport.methods.includes('resources/subscribe'));
  });

  it('asks for each resource once, however many want it, until nobody does [C63] [E09] [E14]', async () => {
    const one = await listened(answering, settings);
    const first = await one.client.subscribe({ resources: ['file:///x', 'file:///y', 'file:///x'] }, one.heard);
    const second = await one.client.subscribe({ resources: ['file:///x'] }, one.heard);
    assert.deepEqual(paramsOf(one, 'resources/subscribe'), [{ uri: 'file:///x' }, { uri: 'file:///y' }]);
    assert.deepEqual(
      [first.honoured, second.honoured],
      [{ resources: ['file:///x', 'file:///y'] }, { resources: ['file:///x'] }],
    );
    await first.close();
    assert.deepEqual(paramsOf(one, 'resources/unsubscribe'), [{ uri: 'file:///y' }]);
    one.peer().send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///x' } });
    assert.deepEqual(one.events, [{ type: 'resource', uri: 'file:///x' }]);
    await second.close();
    await second.close();
    assert.deepEqual(paramsOf(one, 'resources/unsubscribe'), [{ uri: 'file:///y' }, { uri: 'file:///x' }]);
    const third = await one.client.subscribe({ resources: ['file:///x'] }, one.heard);
    assert.equal(paramsOf(one, 'resources/subscribe').length, 3);
    assert.deepEqual(third.honoured, { resources: ['file:///x'] });
  });

  it('tells the server one thing after the other about a resource', async () => {
    const waiting: (() => void)[] = [];
    const one = await listened((sent, peer) => void waiting.push(() => peer.reply(sent, {})), settings);
    const next = async (): Promise<void> => {
      await turns();
      waiting.shift()?.();
      await turns();
    };
    const topics = { resources: ['file:///x'] };
    const opening = one.client.subscribe(topics, one.heard);
    await next();
    const closing = (await opening).close();
    const again = one.client.subscribe(topics, one.heard);
    await next();
    await next();
    await closing;
    await again;
    const said = one.transport.methods.filter((method) => method.startsWith('resources/'));
    assert.deepEqual(
      said,
      ['resources/subscribe', 'resources/unsubscribe', 'resources/subscribe'].slice(0, said.length),
    );
    assert.equal(said.at(-1), 'resources/subscribe');
  });

  it('leaves out a resource that the server refuses, with a warning', async () => {
    const one = await listened((sent, peer) => {
      const { uri } = sent.message['params'] as { readonly uri: string };
      if (uri === 'file:///x') peer.refuse(sent, { code: -32602, message: 'no' });
      else peer.reply(sent, {});
    }, settings);
    const subscription = await one.client.subscribe({ resources: ['file:///x', 'file:///y'] }, one.heard);
    assert.deepEqual(subscription.honoured, { resources: ['file:///y'] });
    assert.match(one.warnings.join(), /file:\/\/\/x/);
  });

  it('fails when the server does not answer, and holds nothing', async () => {
    let down = true;
    const one = await listened(
      (sent, peer) => {
        if (down) throw new ConnectionError('refused', 'down');
        peer.reply(sent, {});
      },
      { ...settings, kind: 'http' },
    );
    await assert.rejects(one.client.subscribe({ resources: ['file:///x'] }, one.heard), { reason: 'refused' });
    down = false;
    const subscription = await one.client.subscribe({ resources: ['file:///x'] }, one.heard);
    await subscription.close();
    assert.equal(one.transport.methods.at(-1), 'resources/unsubscribe');
  });

  it('tells of parts of a resource to who watches it, and of the unknown to who watches any [E09]', async () => {
    const one = await listened(answering, settings);
    const own: Record<string, unknown[]> = { x: [], y: [], tools: [] };
    await one.client.subscribe({ resources: ['file:///x'] }, (event) => void own['x']?.push(event));
    await one.client.subscribe({ resources: ['file:///y/'] }, (event) => void own['y']?.push(event));
    await one.client.subscribe({ tools: true }, (event) => void own['tools']?.push(event));
    for (const uri of ['file:///x/part', 'file:///x#part', 'file:///xyz', 'file:///y/part'])
      one.peer().send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    const uris = (events: unknown) => (events as { uri: string }[]).map(({ uri }) => uri);
    assert.deepEqual(uris(own['x']), ['file:///x/part', 'file:///x#part', 'file:///xyz']);
    assert.deepEqual(uris(own['y']), ['file:///xyz', 'file:///y/part']);
    assert.deepEqual(own['tools'], []);
  });

  describe('of a server that was lost', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
    afterEach(() => mock.timers.reset());

    it('is told to the next one, by itself after a second', async () => {
      const one = await listened(answering, settings);
      const topics = { tools: true, resources: ['file:///x', 'file:///y'] };
      const subscription = await one.client.subscribe(topics, one.heard);
      await one.client.subscribe({ resources: ['file:///x'] }, one.heard);
      one.peer().end();
      await turns();
      mock.timers.tick(1_000);
      await turns();
      const again = one.transport.sent
        .filter(({ conversation }) => conversation > 1)
        .map(({ message }) => message['method']);
      assert.deepEqual(again, [
        'initialize',
        'notifications/initialized',
        'resources/subscribe',
        'resources/subscribe',
      ]);
      assert.deepEqual(one.events, [{ type: 'reopened' }, { type: 'reopened' }]);
      assert.deepEqual(subscription.honoured, topics);
      one.peer().send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      assert.equal(one.events.length, 3);
    });

    it('ends when the next one cannot be reached ten times', async () => {
      let down = false;
      const inner = scriptedTransport('stdio', (sent, peer) =>
        sent.message['method'] === 'initialize'
          ? peer.reply(sent, {
              protocolVersion: handshake,
              capabilities: declared,
              serverInfo: { name: 's', version: '1' },
            })
          : undefined,
      );
      let opened = 0;
      const transport: Transport = {
        ...inner,
        open: (receiver) => {
          opened++;
          return down ? Promise.reject(new ConnectionError('refused', 'not found')) : inner.open(receiver);
        },
      };
      const client = await createConnect({ http: () => transport })(transport, {
        revisions: [handshake],
        random: () => 0,
      });
      const subscription = await client.subscribe({ tools: true }, () => undefined);
      down = true;
      inner.peers[0]?.end();
      for (let seconds = 0; seconds < 300; seconds++) {
        mock.timers.tick(1_000);
        await turns();
      }
      const end = await subscription.closed;
      assert.ok(!end.graceful && end.error instanceof ConnectionError && end.error.reason === 'refused');
      assert.equal(opened, 11);
    });

    it('ends when the next one subscribes in another way', async () => {
      let revision = handshake;
      const transport = scriptedTransport('stdio', (sent, peer) => {
        const { method } = sent.message;
        if (method === 'initialize' && revision === handshake)
          return peer.reply(sent, {
            protocolVersion: handshake,
            capabilities: declared,
            serverInfo: { name: 's', version: '1' },
          });
        if (method === 'server/discover' && revision === stateless)
          return peer.reply(sent, {
            supportedVersions: [stateless],
            capabilities: declared,
            ttlMs: 0,
            cacheScope: 'private',
          });
        return sent.message['id'] === undefined ? undefined : peer.refuse(sent, { code: -32601, message: 'no' });
      });
      const client = await createConnect({ http: () => transport })(transport);
      const subscription = await client.subscribe({ tools: true }, () => undefined);
      revision = stateless;
      transport.peers.at(-1)?.end();
      await turns();
      mock.timers.tick(1_000);
      await turns();
      assert.equal((await subscription.closed).graceful, false);
      assert.equal(client.revision, stateless);
    });

    it('ends with the client where nothing is to be opened again', async () => {
      const one = await listened(answering, { ...settings, options: { reconnect: false } });
      const subscription = await one.client.subscribe({ tools: true }, one.heard);
      one.peer().end();
      const end = await subscription.closed;
      assert.ok(!end.graceful && end.error instanceof ConnectionError && end.error.reason === 'exited');
    });
  });
});

interface Way {
  readonly name: string;
  reach(server: Server): Transport;
}

const ways: readonly Way[] = [
  { name: 'memory', reach: (server) => memoryTransport(server) },
  {
    name: 'HTTP',
    reach(server) {
      const handler = createHandler(server);
      return httpTransport('http://127.0.0.1/mcp', { fetch: (url, request) => handler(new Request(url, request)) });
    },
  },
];

for (const way of ways) {
  for (const { date, era } of revisions) {
    // The oldest revision has another HTTP transport, with a pair of endpoints.
    if (way.name === 'HTTP' && date === revisions[0]?.date) continue;
    it(`changes of a server of our own are heard over ${way.name} at ${date}`, async () => {
      const server = createServer({ name: 's', version: '1' });
      server.tool('first', {}, () => 'x');
      server.resource('memo://one', { name: 'one' }, () => 'x');
      const client = await createConnect({ http: () => way.reach(server) })(way.reach(server), { revisions: [date] });
      const events: SubscriptionEvent[] = [];
      let arrived = (): void => {};
      const subscription = await client.subscribe({ tools: true, resources: ['memo://one'] }, (event) => {
        events.push(event);
        arrived();
      });
      assert.deepEqual(subscription.honoured, { tools: true, resources: ['memo://one'] });
      const change = async (make: () => void): Promise<void> => {
        const next = new Promise<void>((resolve) => (arrived = resolve));
        make();
        await next;
      };
      await change(() => server.changed('tools'));
      await change(() => server.resourceUpdated('memo://one'));
      assert.deepEqual(events, [
        { type: 'list', list: 'tools' },
        { type: 'resource', uri: 'memo://one' },
      ]);
      await subscription.close();
      if (era === 'stateless') {
        const other = await client.subscribe({ tools: true }, () => undefined);
        void server.close();
        assert.deepEqual(await other.closed, { graceful: true });
      }
      await client.close();
      await server.close();
    });
  }
}
