/** A server behind a bridge that answers nobody, as one principal has it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../host/call.ts';
import type { Single } from '../single/single.ts';
import { bridgeSettingsOf } from '../options.ts';
import { loginRequired } from './asking.ts';
import { lateSingle } from './late-single.ts';

test('who gives a server up that does not answer waits for it no longer', async (t) => {
  // No time passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closing = new AbortController();
  const reasons: unknown[] = [];
  const opening = lateSingle({
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
  const single = await lateSingle({
    settings: bridgeSettingsOf({}),
    open: async () => {
      if (!isSignedIn) throw loginRequired();
      return inner;
    },
    // Nobody is asked here.
    login: { onGranted: () => () => undefined } as never,
  });
  assert.deepEqual([single.host.maxRounds, single.host.askTimeoutMs], [32, 600_000]);
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
