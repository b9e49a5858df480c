import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { createServer, type Server } from '../../server.ts';
import { createHandler } from '../../transports/http/server/fetch.ts';
import { metaKey } from '../../protocol/meta-key.ts';
import { newestRevision } from '../../protocol/revision.ts';
import { connectInMemory } from '../../testing/pair.ts';
import { memoryStore } from '../../storage/memory/store.ts';
import { StoreError, type Store } from '../../storage/store.ts';
import type { ServerParts } from '../parts/parts.ts';
import { eventually } from '../../../../../test/support/redis-nodes.ts';
import { SharedChanges } from './changes.ts';

const rounds = { keys: [new Uint8Array(32)] };

/** One of the processes of a server. */
function processOf(t: TestContext, store: Store): Server {
  const server = createServer({ name: 's', version: '1' }, { store: { ...store, shared: true }, rounds });
  for (const uri of ['a:shared', 'a:own']) server.resource(uri, { name: uri }, () => 'x');
  t.after(() => server.close());
  return server;
}

test('who begins to listen to a resource while the last one leaves it hears of its changes elsewhere', async (t) => {
  const store = memoryStore();
  let isAsked = (): void => undefined;
  let goOn = (): void => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const going = new Promise<void>((resolve) => (goOn = resolve));
  const subscribe: Store['bus']['subscribe'] = async (channel, hear, onGap) => {
    if (channel.endsWith(' a:own')) {
      isAsked();
      await going;
    }
    return await store.bus.subscribe(channel, hear, onGap);
  };
  const elsewhere = processOf(t, store);
  const here = createHandler(processOf(t, { ...store, bus: { ...store.bus, subscribe } }));
  t.after(() => here.close({ drainTimeoutMs: 0 }));
  const listen = (id: number, uris: readonly string[], signal?: AbortSignal): Promise<Response> =>
    here(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-method': 'subscriptions/listen',
          'mcp-protocol-version': newestRevision.date,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'subscriptions/listen',
          params: {
            notifications: { resourceSubscriptions: uris },
            _meta: { [metaKey.protocolVersion]: newestRevision.date, [metaKey.clientCapabilities]: {} },
          },
        }),
        ...(signal && { signal }),
      }),
    );
  const first = (await listen(1, ['a:shared'])).body?.getReader();
  await first?.read();
  const beginning = listen(2, ['a:shared', 'a:own']);
  await asked;
  await first?.cancel();
  await pause(0);
  goOn();
  const second = (await beginning).body?.getReader();
  assert.match(new TextDecoder().decode((await second?.read())?.value), /acknowledged/);
  elsewhere.resourceUpdated('a:shared');
  const heard = await Promise.race([second?.read(), pause(2_000).then(() => undefined)]);
  assert.match(new TextDecoder().decode(heard?.value), /notifications\/resources\/updated.*a:shared/);
  await second?.cancel();
});

test('a resource that is left while what could not be heard is tried again is not heard any more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const subscribed: string[] = [];
  let goOn = (): void => undefined;
  const going = new Promise<void>((resolve) => (goOn = resolve));
  let isAway = true;
  const bus = {
    publish: () => 0,
    subscribe: async (channel: string) => {
      if (isAway) throw new StoreError('unavailable', 'away');
      if (channel.endsWith(' a:one')) await going;
      subscribed.push(channel);
      return () => undefined;
    },
  };
  const watched = new Map(['a:one', 'a:two'].map((uri) => [uri, true]));
  const none = new Map();
  const options = { onError: () => undefined };
  // It needs no more of a server.
  const parts = { options, tools: none, prompts: none, resources: none, templates: none } as unknown as ServerParts;
  const here = { tellList: () => undefined, tellUpdate: () => undefined, watched };
  const changes = new SharedChanges(parts, { name: 's', bus, here });
  t.after(() => changes.close());
  await changes.listen(['a:one', 'a:two'], true);
  isAway = false;
  t.mock.timers.tick(2_000);
  await new Promise((resolve) => setImmediate(resolve));
  watched.delete('a:two');
  changes.left('a:two');
  goOn();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(subscribed, ['changes s', 'updates s a:one']);
});

test('a process that begins with other lists is a change of those lists elsewhere, and one that begins with the same is none', async (t) => {
  const store = memoryStore();
  const client = await connectInMemory(processOf(t, store));
  t.after(() => client.close());
  const told: string[] = [];
  await client.subscribe({ tools: true, prompts: true, resources: true }, (change) => {
    if (change.type === 'list') told.push(change.list);
  });
  processOf(t, store);
  // Changes are gathered for a tenth of a second.
  await pause(400);
  assert.deepEqual(told, []);
  const other = createServer({ name: 's', version: '1' }, { store: { ...store, shared: true }, rounds });
  t.after(() => other.close());
  for (const uri of ['a:shared', 'a:own']) other.resource(uri, { name: `${uri} anew` }, () => 'x');
  await eventually(() => told.length > 0, 'a change of the lists of another process');
  assert.deepEqual([...new Set(told)], ['resources']);
});
