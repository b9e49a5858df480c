/** One connection of a bridge to its server, whose client the test plays. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../../../test/support/raw.ts';
import type { Client } from '../../client/client.ts';
import type { RequestOptions } from '../../client/connection/request-options.ts';
import type { SubscriptionEvent } from '../../client/subscriptions/subscription.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { isWanted, type LoggingLevel } from '../../protocol/features/logging.ts';
import { McpError } from '../../protocol/error.ts';
import { newestRevision, type RevisionDate } from '../../protocol/revision.ts';
import type { Carried } from './carried.ts';
import { Failures } from './failures.ts';
import type { ClientEvents, UpstreamConnectionOptions } from './upstream-options.ts';
import { Upstream } from './upstream.ts';

/** A request that the server has. */
interface Request {
  readonly method: string;
  readonly options: RequestOptions;
  answer(result?: JsonObject): Promise<void>;
  fail(error: Error): Promise<void>;
}

interface Setup {
  readonly up?: RevisionDate;
  readonly logging?: boolean;
  readonly options?: Partial<UpstreamConnectionOptions>;
  /** Whether the connection is that of one session. */
  readonly isOwn?: boolean;
}

function connection({ up = '2025-11-25', logging = true, options = {}, isOwn = false }: Setup = {}) {
  const log: unknown[] = [];
  const requests: Request[] = [];
  const [levels, notified]: [string[], string[]] = [[], []];
  const opened: { readonly events: ClientEvents; end(): void }[] = [];
  const state: { open?: Error | undefined; level?: Error | undefined } = {};
  const subscriptions: { event(event: SubscriptionEvent): void; end(): void }[] = [];
  const clientOf = (closed: Promise<void>, end: () => void): Client =>
    ({
      revision: up,
      capabilities: logging ? { logging: {} } : {},
      closed,
      close: async () => (log.push('closed'), end()),
      setLogLevel: async (level: string) => {
        levels.push(level);
        if (state.level !== undefined) throw state.level;
      },
      notify: async (method: string) => void notified.push(method),
      request: (method: string, _: JsonObject, given: RequestOptions) =>
        new Promise((resolve, reject) => {
          given.onSent?.(requests.length + 1);
          requests.push({
            method,
            options: given,
            answer: async (result = { tools: [] }) => (resolve(result), await settle()),
            fail: async (error) => (reject(error), await settle()),
          });
        }),
      subscribe: async (_: unknown, event: (event: SubscriptionEvent) => void) => {
        let stop!: () => void;
        const over = new Promise<void>((resolve) => (stop = resolve));
        subscriptions.push({ event, end: stop });
        return { closed: over };
      },
    }) as unknown as Client;
  let ticks = 0;
  const onRequest = async (
    method: string,
    _: JsonObject,
    { on }: { on: Carried | undefined },
  ): Promise<JsonObject> => ({
    method,
    on: on?.requestId,
  });
  const upstream = new Upstream({
    open: async (events, _, signal) => {
      signal.addEventListener('abort', () => log.push('given up'));
      if (state.open !== undefined) throw state.open;
      let end!: () => void;
      const closed = new Promise<void>((resolve) => (end = resolve));
      opened.push({ events, end });
      return clientOf(closed, end);
    },
    facts: { cancelsByClosing: true, ownsProcess: false } as never,
    events: {
      onLog: ({ data }) => void log.push(`heard ${String(data)}`),
      onNotification: (method) => void log.push(method),
      onMissed: () => void log.push('missed'),
      onWarning: (message) => void log.push(message),
      ...(isOwn ? { onRequest } : {}),
    },
    onAsked: () => void log.push('asked'),
    failures: new Failures(
      (message) => void log.push(message),
      () => 0,
    ),
    tick: () => ++ticks,
    ...options,
  });
  return {
    upstream,
    log,
    took: () => log.splice(0),
    requests,
    levels,
    notified,
    opened,
    state,
    subscriptions,
    events: (): ClientEvents => opened.at(-1)?.events ?? assert.fail('nothing was opened'),
  };
}

let ids = 0;

/** A call of a client, with what it hears. */
function callOf(more: Partial<Carried> = {}) {
  const heard: unknown[] = [];
  const controller = new AbortController();
  const call = {
    method: 'tools/list',
    requestId: ++ids,
    facts: newestRevision,
    client: { info: undefined, capabilities: {}, supports: () => false },
    meta: {},
    signal: controller.signal,
    logLevel: undefined,
    session: undefined,
    admits: (level: LoggingLevel) => isWanted(level, more.logLevel),
    send: (method: string, { data }: JsonObject) => void heard.push(data ?? method),
    ...more,
  } as unknown as Carried;
  return { call, heard, abort: () => controller.abort() };
}

const loud = (): ReturnType<typeof callOf> => callOf({ logLevel: 'debug' });
const message = { level: 'info', data: 'text' } as const;

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
  async function givenUp(setup: Setup = {}) {
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

describe('a log message', () => {
  async function running(...calls: readonly ReturnType<typeof callOf>[]) {
    // Requests go in their order where no level is set first.
    const scene = connection({ logging: false });
    const all = calls.map(({ call }) => scene.upstream.carry({}, call));
    await settle();
    return {
      ...scene,
      end: async () => {
        for (const request of scene.requests) await request.answer();
        await Promise.all(all);
        scene.took();
      },
    };
  }

  test('is for the call in whose exchange it came, if that wants it', async () => {
    const [one, other] = [loud(), callOf({ logLevel: 'error' })];
    const { events, took, end } = await running(one, other);
    events().onLog(message, { request: 1 } as never);
    events().onLog(message, { request: 2 } as never);
    events().onLog({ ...message, level: 'error' }, { request: 2 } as never);
    assert.deepEqual([one.heard, other.heard, took()], [['text'], ['text'], []]);
    await end();
  });

  test('that names no call is for the only one that can have caused it', async () => {
    const only = loud();
    const alone = await running(only);
    alone.events().onLog(message, { request: undefined } as never);
    assert.deepEqual([only.heard, alone.took()], [['text'], []]);
    await alone.end();

    const two = [loud(), callOf()];
    const scene = await running(...two);
    scene.events().onLog(message, { request: undefined } as never);
    assert.deepEqual([two.map(({ heard }) => heard), scene.took()], [[[], []], ['heard text']]);
    await scene.end();
  });

  test('after the last call is for whoever hears the connection, as that call wanted it', async () => {
    const scene = await running(callOf({ logLevel: 'warning' }));
    await scene.end();
    scene.events().onLog(message, { request: undefined } as never);
    scene.events().onLog({ ...message, level: 'error' }, { request: undefined } as never);
    assert.deepEqual(scene.took(), ['heard text']);
  });
});

describe('a notification', () => {
  test('that the protocol knows is for whoever hears the connection', async () => {
    const { upstream, events, took } = connection();
    await upstream.client();
    upstream.calls.began('t');
    const told = (method: string, params: JsonObject, request?: number): void =>
      events().onNotification(method, params, { request } as never);
    told('notifications/tools/list_changed', {}, 7);
    told('notifications/tasks/status', { taskId: 't', status: 'working' });
    assert.equal(upstream.calls.hasTasks, true);
    told('notifications/tasks/status', { taskId: 't', status: 'completed' });
    assert.equal(upstream.calls.hasTasks, false);
    told('notifications/progress', { progressToken: 1, progress: 1 });
    const status = 'notifications/tasks/status';
    assert.deepEqual(took(), ['notifications/tools/list_changed', status, status]);
  });

  test('of an extension is for the call in whose exchange it came, and for nobody else if that is over', async () => {
    for (const isOwn of [false, true]) {
      const { upstream, requests, events, took } = connection({ isOwn });
      const { call, heard } = callOf();
      const calling = upstream.carry({}, call);
      await settle();
      const moved = 'notifications/x.example/moved';
      events().onNotification(moved, {}, { request: 1 } as never);
      events().onNotification(moved, {}, { request: undefined } as never);
      await requests[0]?.answer();
      await calling;
      events().onNotification(moved, {}, { request: 1 } as never);
      assert.deepEqual([heard, took()], [[moved], isOwn ? [moved, moved] : [moved]]);
    }
  });
});

describe('a question of the server', () => {
  const signal = new AbortController().signal;
  const asked = { signal, request: undefined } as never;

  test('on the connection of a session is for its call, or for the latest', async () => {
    const { upstream, requests, events, took } = connection({ isOwn: true });
    const calls = [callOf(), callOf()];
    const all = calls.map(({ call }) => upstream.carry({}, call));
    await settle();
    const [one, other] = calls.map(({ call }) => call.requestId);
    const on = async (request: number | undefined): Promise<unknown> =>
      (await events().onRequest('roots/list', {}, { signal, request } as never))['on'];
    assert.deepEqual([await on(1), await on(2), await on(undefined), await on(9)], [one, other, other, other]);
    for (const request of requests) await request.answer();
    await Promise.all(all);
    assert.deepEqual([await on(undefined), took()], [undefined, []]);
  });

  test('on a shared one is for the call that may be asked', async () => {
    const { upstream, requests, events, took } = connection();
    const calling = upstream.carry({}, callOf({ ask: async () => ({ roots: [] }) }).call);
    await settle();
    assert.deepEqual(await events().onRequest('roots/list', {}, asked), { roots: [] });
    assert.deepEqual([took(), upstream.doubtful], [['asked'], false]);
    await requests[0]?.answer();
    await calling;
    // It comes for a call that has ended: nobody knows when that stops.
    await assert.rejects(events().onRequest('roots/list', {}, asked));
    assert.equal(upstream.doubtful, true);
    events().onReconnect();
    await assert.rejects(events().onRequest('roots/list', {}, asked));
    assert.equal(upstream.doubtful, false);
  });
});
