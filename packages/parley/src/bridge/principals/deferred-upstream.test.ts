/** A server behind a bridge that answers nobody, as one principal has it. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { settle } from '../../../../../test/support/raw.ts';
import type { Call } from '../../server/runtime/call.ts';
import type { Handler, ServerSession } from '../../server/runtime/server-core.ts';
import type { Single } from '../single/single.ts';
import { bridgeSettingsOf } from '../options.ts';
import { loginRequired } from './login-question.ts';
import { deferredSingle } from './deferred-upstream.ts';

test('who gives a server up that does not answer waits for it no longer', async (t) => {
  // No time passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closing = new AbortController();
  const reasons: unknown[] = [];
  const opening = deferredSingle({
    settings: bridgeSettingsOf({}),
    signal: closing.signal,
    open: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push('given up');
          reject(new Error('given up'));
        });
      }),
  });
  closing.abort();
  const single = await opening;
  await single.close();
  assert.deepEqual(reasons, ['given up']);
});

test('who listens before their person signs in hears of it, by whatever process they did', async () => {
  let isSignedIn = false;
  const inner = {
    host: { capabilities: () => ({ tools: { listChanged: true } }), handler: () => undefined },
    reach: async () => undefined,
    close: async () => undefined,
  } as unknown as Single;
  const single = await deferredSingle({
    settings: bridgeSettingsOf({}),
    open: async () => {
      if (!isSignedIn) throw loginRequired();
      return inner;
    },
    // Nobody is asked here.
    login: { onGranted: () => () => undefined } as never,
  });
  assert.deepEqual([single.host.maxRounds, single.host.requestTimeoutMs], [32, 600_000]);
  const told: string[] = [];
  const call = {
    method: 'subscriptions/listen',
    requestId: 7,
    session: undefined,
    send: (method: string) => void told.push(method),
    onAbort: () => undefined,
    onLeave: () => undefined,
  } as unknown as Call;
  const listening = single.host.handler('subscriptions/listen')?.({ notifications: { toolsListChanged: true } }, call);
  await new Promise((resolve) => setImmediate(resolve));
  isSignedIn = true;
  await single.reach();
  await listening;
  assert.deepEqual(told, ['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed']);
  await single.close();
});

/** A server that opens when the test says so, and what it was told. */
function opening(t: TestContext, more: { readonly logging?: object | undefined; setLevel?(): Promise<void> } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { logging = {}, setLevel = async () => undefined } = more;
  const log: unknown[] = [];
  let open!: () => void;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const handlers: Readonly<Record<string, Handler>> = {
    'logging/setLevel': async ({ level }) => (log.push(level), await setLevel(), {}),
    'tools/call': async ({ name }) => ({ name }),
  };
  const inner = {
    host: {
      capabilities: () => ({ tools: {}, prompts: undefined, logging }),
      handler: (method: string) => handlers[method],
      opened: () => void log.push('opened'),
      closed: () => void log.push('session closed'),
      unknown: async () => ({ unknown: true }),
    },
    idle: true,
    reach: async () => undefined,
    keeps: async (taskId: string) => taskId === 'mine',
    stop: () => void log.push('stopped'),
    close: async () => void log.push('closed'),
  } as unknown as Single;
  const warnings: string[] = [];
  const made = deferredSingle({
    settings: bridgeSettingsOf({ onWarning: (message) => void warnings.push(message) }),
    open: async () => (await gate, inner),
    onClose: () => void log.push('over'),
  });
  return { made, open, log, warnings };
}

/** A late server that nobody waits for any more, and a session of it. */
async function entered(t: TestContext, scene: ReturnType<typeof opening>) {
  await settle();
  t.mock.timers.tick(10_000);
  const single = await scene.made;
  const session = { state: {}, notify: (method: string) => void scene.log.push(method) } as unknown as ServerSession;
  single.host.opened?.(session);
  const call = (method: string, params: object = {}, of: ServerSession | undefined = session): Promise<unknown> =>
    Promise.resolve(single.host.handler(method)?.(params as never, { method, session: of } as unknown as Call));
  return { single, session, call };
}

test('a session that waits for a server is announced to it, with its level, and notified of its lists', async (t) => {
  const scene = opening(t);
  const { single, session, call } = await entered(t, scene);
  assert.deepEqual(await call('logging/setLevel', { level: 'info' }), {});
  assert.equal(single.idle, false);
  assert.deepEqual(scene.log, []);
  scene.open();
  await single.reach();
  await settle();
  assert.deepEqual(scene.log.splice(0), ['opened', 'info', 'notifications/tools/list_changed']);
  assert.equal(single.idle, true);
  assert.deepEqual(await call('tools/call', { name: 'x' }), { name: 'x' });
  await call('logging/setLevel', { level: 'error' });
  assert.deepEqual(scene.log.splice(0), ['error']);
  const call0 = { method: 'x.example/any' } as Call;
  assert.deepEqual(await single.host.unknown?.({}, call0), { unknown: true });
  assert.deepEqual(
    [
      await single.keeps('mine', call0),
      await single.keeps('other', call0),
      single.host.handler('sampling/createMessage'),
    ],
    [true, false, undefined],
  );
  await assert.rejects(call('prompts/get'), { kind: 'methodNotFound', message: 'prompts/get is not served here' });
  single.host.closed?.(session);
  single.stop();
  assert.deepEqual(scene.log.splice(0), ['session closed', 'stopped']);
});

test('a level is not set if the server does not log, and warned of if it refuses', async (t) => {
  const refusal = (): Promise<void> => Promise.reject(new Error('no such level'));
  for (const [more, levels, warnings] of [
    [{ logging: null }, ['info'], []],
    [{ setLevel: refusal }, ['info'], ['the log level could not be set: no such level']],
  ] as const) {
    const scene = opening(t, more as never);
    const { single, call } = await entered(t, scene);
    await call('logging/setLevel', { level: 'info' });
    scene.open();
    await single.reach();
    await settle();
    assert.deepEqual([scene.log.includes('info'), scene.warnings], [levels.length === 1, warnings]);
    t.mock.timers.reset();
  }
});

test('a server that opens after its bridge was closed is closed too, and no other is opened', async (t) => {
  const scene = opening(t);
  const { single, call } = await entered(t, scene);
  const waiting = call('tools/call', { name: 'x' });
  const closed = single.close();
  scene.open();
  await closed;
  for (const work of [waiting, single.reach()]) await assert.rejects(work, /the bridge is closed/);
  assert.deepEqual(scene.log, ['over', 'closed']);
});

test('sessions of a server that is there are told of its lists when their person signs in', async () => {
  let granted = async (): Promise<void> => undefined;
  let signedIn = 0;
  const inner = {
    host: { capabilities: () => ({ tools: {} }), handler: () => undefined, opened: () => undefined },
    reach: async () => undefined,
    close: async () => undefined,
  } as unknown as Single;
  const login = {
    onGranted: (listener: () => Promise<void>) => {
      granted = listener;
      return () => undefined;
    },
    person: { signedIn: async () => void signedIn++ },
  };
  const single = await deferredSingle({
    settings: bridgeSettingsOf({}),
    open: async () => inner,
    login: login as never,
  });
  await single.reach();
  const told: string[] = [];
  single.host.opened?.({ state: {}, notify: (method: string) => void told.push(method) } as unknown as ServerSession);
  await granted();
  await settle();
  assert.deepEqual(told.toSorted(), [
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/tools/list_changed',
  ]);
  assert.equal(signedIn, 1);
  await single.close();
});
