import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import {
  stateless,
  handshake,
  declared,
  listened,
  paramsOf,
  everything,
} from '../../../../../test/support/listened.ts';
import { keptAlive } from '../../../../../test/support/kept-alive.ts';
import { settling } from '../../../../../test/support/settling.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { ConnectionError, type Transport } from '../../jsonrpc/transport.ts';
import { scriptedTransport, type Script } from '../../testing/scripted.ts';
import { createConnect } from '../connect.ts';

describe('a subscription at a handshake revision', () => {
  const answering: Script = (sent, peer) => (sent.message['id'] === undefined ? undefined : peer.reply(sent, {}));
  const settings = { revision: handshake } as const;

  it('needs no request for lists, which are told unasked [E07] [E08] [E13]', async () => {
    const one = await listened(answering, settings);
    const subscription = await one.client.subscribe({ tools: true, prompts: true, resources: true }, one.heard);
    assert.deepEqual(subscription.honored, { tools: true, prompts: true, resources: true });
    assert.equal(one.transport.methods.at(-1), 'notifications/initialized');
    for (const list of ['tools', 'prompts', 'resources'])
      one.peer().send({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
    assert.deepEqual(
      one.events,
      ['tools', 'prompts', 'resources'].map((list) => ({ type: 'list', list })),
    );
    assert.deepEqual(one.warnings, []);
  });

  it('says that anything may have changed after the stream of notifications was opened anew', async () => {
    const one = await listened(answering, settings);
    await one.client.subscribe({ tools: true, updates: ['file:///x'] }, one.heard);
    one.peer().gap();
    assert.deepEqual(one.events, [{ type: 'reopened' }]);
    assert.deepEqual(one.warnings, []);
  });

  it('says what the server declared to tell', async () => {
    const one = await listened(answering, {
      ...settings,
      capabilities: { tools: {}, resources: { listChanged: true } },
    });
    const subscription = await one.client.subscribe(everything, one.heard);
    assert.deepEqual(subscription.honored, { resources: true });
    assert.ok(!one.transport.methods.includes('resources/subscribe'));
  });

  it('asks for each resource once, however many want it, until nobody does [C63] [E09] [E14]', async () => {
    const one = await listened(answering, settings);
    const first = await one.client.subscribe({ updates: ['file:///x', 'file:///y', 'file:///x'] }, one.heard);
    const second = await one.client.subscribe({ updates: ['file:///x'] }, one.heard);
    assert.deepEqual(paramsOf(one, 'resources/subscribe'), [{ uri: 'file:///x' }, { uri: 'file:///y' }]);
    assert.deepEqual(
      [first.honored, second.honored],
      [{ updates: ['file:///x', 'file:///y'] }, { updates: ['file:///x'] }],
    );
    await first.close();
    assert.deepEqual(paramsOf(one, 'resources/unsubscribe'), [{ uri: 'file:///y' }]);
    one.peer().send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///x' } });
    assert.deepEqual(one.events, [{ type: 'update', uri: 'file:///x' }]);
    await second.close();
    await second.close();
    assert.deepEqual(paramsOf(one, 'resources/unsubscribe'), [{ uri: 'file:///y' }, { uri: 'file:///x' }]);
    const third = await one.client.subscribe({ updates: ['file:///x'] }, one.heard);
    assert.equal(paramsOf(one, 'resources/subscribe').length, 3);
    assert.deepEqual(third.honored, { updates: ['file:///x'] });
  });

  it('tells the server one thing after the other about a resource', async () => {
    const waiting: (() => void)[] = [];
    const one = await listened((sent, peer) => void waiting.push(() => peer.reply(sent, {})), settings);
    const next = async (): Promise<void> => {
      await turns();
      waiting.shift()?.();
      await turns();
    };
    const topics = { updates: ['file:///x'] };
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

  describe('that is aborted while it is opened', () => {
    const topics = { updates: ['file:///x'] };
    const silent: Script = ({ message }) => (message['id'] === undefined ? undefined : new Promise(() => {}));

    it('cancels its request and unsubscribes', async () => {
      const one = await listened(silent, settings);
      const controller = new AbortController();
      const opening = one.client.subscribe(topics, one.heard, { signal: controller.signal });
      await turns();
      controller.abort(new Error('enough'));
      await assert.rejects(opening, /enough/);
      await turns();
      assert.deepEqual(one.transport.methods.slice(-3), [
        'resources/subscribe',
        'notifications/cancelled',
        'resources/unsubscribe',
      ]);
      assert.deepEqual(one.warnings, []);
    });

    it('does not cancel the request that another subscription waits for', async () => {
      let answer = (): void => {};
      const one = await listened((sent, peer) => void (answer = () => peer.reply(sent, {})), settings);
      const controller = new AbortController();
      const first = one.client.subscribe(topics, one.heard, { signal: controller.signal });
      const second = one.client.subscribe(topics, one.heard);
      await turns();
      controller.abort();
      await assert.rejects(first);
      answer();
      assert.deepEqual((await second).honored, topics);
      assert.equal(paramsOf(one, 'resources/subscribe').length, 1);
      assert.equal(paramsOf(one, 'notifications/cancelled').length, 0);
    });

    it('is followed by a new request of the next subscription', async () => {
      let isSilent = true;
      const one = await listened((sent, peer) => (isSilent ? silent : answering)(sent, peer), settings);
      const controller = new AbortController();
      const first = one.client.subscribe(topics, one.heard, { signal: controller.signal });
      await turns();
      isSilent = false;
      controller.abort();
      const second = await one.client.subscribe(topics, one.heard);
      await assert.rejects(first);
      assert.deepEqual(second.honored, topics);
      assert.equal(paramsOf(one, 'resources/subscribe').length, 2);
      await second.close();
      assert.equal(one.transport.methods.at(-1), 'resources/unsubscribe');
    });

    it('does not wait for the stream of the server', async (t) => {
      const transport = scriptedTransport('http', settling(answering, handshake, declared));
      const undecided: Transport = {
        ...transport,
        open: async (receiver) => ({ ...(await transport.open(receiver)), listen: () => new Promise(() => {}) }),
      };
      const client = await createConnect({ http: () => undecided })(undecided, { revisions: [handshake] });
      const timers = keptAlive(t);
      const controller = new AbortController();
      let outcome: unknown;
      void client
        .subscribe(topics, () => undefined, { signal: controller.signal })
        .catch((error: unknown) => (outcome = error));
      await turns();
      controller.abort('enough');
      await turns();
      assert.equal(outcome, 'enough');
      assert.equal(timers(), 0);
      await client.close();
    });
  });

  it('leaves out a resource that the server refuses, with a warning', async () => {
    const one = await listened((sent, peer) => {
      const { uri } = sent.message['params'] as { readonly uri: string };
      if (uri === 'file:///x') peer.refuse(sent, { code: -32602, message: 'no' });
      else peer.reply(sent, {});
    }, settings);
    const subscription = await one.client.subscribe({ updates: ['file:///x', 'file:///y'] }, one.heard);
    assert.deepEqual(subscription.honored, { updates: ['file:///y'] });
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
    await assert.rejects(one.client.subscribe({ updates: ['file:///x'] }, one.heard), { reason: 'refused' });
    down = false;
    const subscription = await one.client.subscribe({ updates: ['file:///x'] }, one.heard);
    await subscription.close();
    assert.equal(one.transport.methods.at(-1), 'resources/unsubscribe');
  });

  it('tells of parts of a resource to who watches it, and of the unknown to who watches any [E09]', async () => {
    const one = await listened(answering, settings);
    const own: Record<string, unknown[]> = { x: [], y: [], tools: [] };
    await one.client.subscribe({ updates: ['file:///x'] }, (event) => void own['x']?.push(event));
    await one.client.subscribe({ updates: ['file:///y/'] }, (event) => void own['y']?.push(event));
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
      const topics = { tools: true, updates: ['file:///x', 'file:///y'] };
      const subscription = await one.client.subscribe(topics, one.heard);
      await one.client.subscribe({ updates: ['file:///x'] }, one.heard);
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
      assert.deepEqual(subscription.honored, topics);
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
