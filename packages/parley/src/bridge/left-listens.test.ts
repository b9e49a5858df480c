import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { open, resultOf, settle, statelessDate } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import type { Call } from '../server/runtime/call.ts';
import { metaKey } from '../protocol/meta.ts';
import type { ScriptedTransport } from '../testing/scripted.ts';
import { Changes } from './changes.ts';

/** A server that agrees to watch a resource as soon as it is told to. */
function hesitant(): { readonly upstream: ScriptedTransport; agree(): void } {
  let agree = (): void => undefined;
  const upstream = scriptedUpstream({
    up: '2025-11-25',
    capabilities: { resources: { subscribe: true } },
    answers: { 'resources/subscribe': (sent, peer) => void (agree = () => peer.reply(sent, {})) },
  });
  return { upstream, agree: () => agree() };
}

const notifications = { resourceSubscriptions: ['memo:one'] };

it('a listen stream that is to end before its server agreed ends with its response', async (t) => {
  const { upstream, agree } = hesitant();
  const raw = await open(await bridgeTo(t, upstream), statelessDate);
  const listening = raw.send('subscriptions/listen', { notifications }, 1);
  while (!upstream.methods.includes('resources/subscribe')) await settle();
  raw.conversation.end?.();
  agree();
  const { _meta: meta } = resultOf(await listening);
  assert.equal(Object(meta)[metaKey.subscriptionId], 1);
});

it('a listen stream whose client left before it begins is kept by nobody', async () => {
  let listeners = 0;
  const changes = new Changes({
    capabilities: () => ({ tools: { listChanged: true } }),
    stale: () => undefined,
    hearsItself: () => false,
    tellsUnasked: () => true,
    watched(telling) {
      while (telling.next().done !== true) listeners++;
      return telling;
    },
    onWarning: () => undefined,
  });
  const callOf = (isGone: boolean): Call => {
    const run = (end: () => void): void => void (isGone && end());
    // It needs no more of a call.
    return { send: () => undefined, onAbort: run, onLeave: run, requestId: 1 } as unknown as Call;
  };
  const filter = { toolsListChanged: true };
  await changes.listen(callOf(true), filter);
  void changes.listen(callOf(false), filter);
  changes.heard('notifications/tools/list_changed', {});
  await settle();
  assert.equal(listeners, 1);
});
