/** Watches of resources that are given up before the server agreed to them. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeTo } from '../../../../test/support/bridged.ts';
import { keptAlive } from '../../../../test/support/kept-alive.ts';
import { open, settle, statelessDate, type Json, type Raw } from '../../../../test/support/raw.ts';
import { scriptedUpstream } from '../../../../test/support/scripted-upstream.ts';
import type { RevisionDate } from '../protocol/revision.ts';
import type { ScriptedTransport } from '../testing/scripted.ts';
import { createBridge } from '../bridge.ts';
import type { Servable } from '../server/runtime/request-handler.ts';

const session = '2025-11-25';
const subscribe = 'resources/subscribe';
const listen = 'subscriptions/listen';

/** A server that agrees to nothing until it is told to. */
function silent(up: RevisionDate): { readonly upstream: ScriptedTransport; agree(): void } {
  let agree = (): void => undefined;
  const upstream = scriptedUpstream({
    up,
    capabilities: { resources: { subscribe: true } },
    answers: {
      'resources/list': { resources: [{ name: 'one', uri: 'memo:one' }] },
      'resources/templates/list': { resourceTemplates: [] },
      [subscribe]: (sent, peer) => void (agree = () => peer.reply(sent, {})),
      [listen]: () => undefined,
      'resources/unsubscribe': {},
    },
  });
  return { upstream, agree: () => agree() };
}

async function before(t: TestContext, upstream: ScriptedTransport, isMerged: boolean): Promise<Servable> {
  if (!isMerged) return await bridgeTo(t, upstream);
  const bridge = await createBridge({ upstreams: { one: { upstream } }, onWarning: () => undefined });
  t.after(() => bridge.close());
  return bridge;
}

/** Asks to be told of a resource, in the way of the client's revision. */
function watch(raw: Raw, down: RevisionDate, id: string): Promise<Json | undefined> {
  return down === session
    ? raw.send(subscribe, { uri: 'memo:one' }, id)
    : raw.send(listen, { notifications: { resourceSubscriptions: ['memo:one'] } }, id);
}

async function settled(isSo: () => boolean = () => false): Promise<void> {
  for (let turn = 0; turn < 50 && !isSo(); turn++) await settle();
}

const giveUps: Readonly<Record<string, (raw: Raw) => unknown>> = {
  'cancels its request': (raw) => raw.notify('notifications/cancelled', { requestId: 'w' }),
  'goes away': (raw) => raw.conversation.close(),
};

for (const isMerged of [false, true])
  describe(`a bridge before ${isMerged ? 'several servers' : 'one server'} gives up a watch`, () => {
    for (const down of [session, statelessDate] as const)
      for (const up of [session, statelessDate] as const)
        for (const [how, giveUp] of Object.entries(giveUps))
          it(`of ${up} when a client of ${down} ${how}`, async (t) => {
            const { upstream } = silent(up);
            const raw = await open(await before(t, upstream, isMerged), down);
            const timers = keptAlive(t);
            void watch(raw, down, 'w');
            const asking = up === session ? subscribe : listen;
            await settled(() => upstream.methods.includes(asking));
            const asked = upstream.sent.find(({ message }) => message['method'] === asking);
            assert.ok(asked !== undefined);
            await giveUp(raw);
            await settled();
            const cancelled = upstream.sent
              .filter(({ message }) => message['method'] === 'notifications/cancelled')
              .map(({ message }) => Object(message['params']).requestId);
            // The connection of a session ends with it, and with the connection what it waits for.
            const isClosed = upstream.closed.includes(asked.conversation);
            assert.ok(isClosed || cancelled.includes(asked.message['id']));
            assert.equal(timers(), 0);
          });
  });

it('a watch lives as long as one of the requests for it is not cancelled', async (t) => {
  const { upstream, agree } = silent(session);
  const raw = await open(await bridgeTo(t, upstream), session);
  void watch(raw, session, 'w');
  const second = watch(raw, session, 'x');
  await settled(() => upstream.methods.includes(subscribe));
  await raw.notify('notifications/cancelled', { requestId: 'w' });
  await settled();
  agree();
  assert.deepEqual((await second)?.['result'], {});
  assert.ok(!upstream.methods.includes('resources/unsubscribe'));
});

it('a watch whose request was cancelled can be asked for again', async (t) => {
  const { upstream, agree } = silent(session);
  const raw = await open(await bridgeTo(t, upstream), session);
  void watch(raw, session, 'w');
  await settled(() => upstream.methods.includes(subscribe));
  await raw.notify('notifications/cancelled', { requestId: 'w' });
  const again = watch(raw, session, 'x');
  await settled(() => upstream.methods.filter((method) => method === subscribe).length === 2);
  agree();
  assert.deepEqual((await again)?.['result'], {});
});
