import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { handshake } from '../../../../test/support/listened.ts';
import { settling } from '../../../../test/support/settling.ts';
import { turns } from '../../../../test/support/turns.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { scriptedTransport, type SentMessage } from '../testing/scripted.ts';
import { createConnect } from './connect.ts';
import type { Subscription } from './api/subscription.ts';

const topics = { updates: ['file:///x'] };
const endings: Readonly<Record<string, (one: Subscription) => Promise<unknown>>> = {
  'closed while it was down': async (one) => await one.close(),
  'ended by it': async (one) => await one.closed,
};

for (const [name, ending] of Object.entries(endings)) {
  it(
    `a server that was lost is told anew of a resource whose subscription was ${name}`,
    { timeout: 30_000 },
    async (t) => {
      mock.timers.enable({ apis: ['setTimeout'] });
      t.after(() => mock.timers.reset());
      let down = false;
      const capabilities = { tools: {}, resources: { subscribe: true } };
      const settled = settling((sent, peer) => peer.reply(sent, { tools: [] }), handshake, capabilities);
      const transport = scriptedTransport('http', (sent, peer) => {
        if (down) throw new ConnectionError('refused', 'down');
        return settled(sent, peer);
      });
      const client = await createConnect({ http: () => transport })(transport, {
        revisions: [handshake],
        maxReopens: 1,
        random: () => 0,
      });
      const first = await client.subscribe(topics, () => undefined);
      down = true;
      transport.peers.at(-1)?.end();
      const ended = ending(first);
      for (let seconds = 0; seconds < 5; seconds++) {
        await turns();
        mock.timers.tick(1_000);
      }
      await ended;
      down = false;
      await client.listTools();
      const again = await client.subscribe(topics, () => undefined);
      assert.equal(transport.sent.at(-1)?.message['method'], 'resources/subscribe');
      assert.deepEqual(again.honored, topics);
      await client.close();
    },
  );
}

it('a server that is lost twice is opened twice for its subscriptions', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const capabilities = { tools: {}, resources: { subscribe: true } };
  const settled = settling((sent, peer) => peer.reply(sent, {}), handshake, capabilities);
  const transport = scriptedTransport('http', settled);
  const client = await createConnect({ http: () => transport })(transport, {
    revisions: [handshake],
    random: () => 0,
  });
  await client.subscribe(topics, () => undefined);
  for (const conversation of [2, 3]) {
    transport.peers.at(-1)?.end();
    for (let seconds = 0; seconds < 3; seconds++) {
      await turns();
      mock.timers.tick(1_000);
    }
    await turns();
    const last = transport.sent.findLast(({ message }) => message['method'] === 'resources/subscribe');
    assert.equal(last?.conversation, conversation);
  }
  await client.close();
});

for (const silent of ['resources/subscribe', 'logging/setLevel'] as const)
  it(`a server that came back and says nothing to ${silent} holds up nothing else for more than a second`, async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
    const settled = settling((sent, peer) => peer.reply(sent, { tools: [] }), handshake, capabilities);
    const hung: SentMessage[] = [];
    const transport = scriptedTransport('http', (sent, peer) => {
      if (sent.conversation === 1 || sent.message['method'] !== silent) return settled(sent, peer);
      hung.push(sent);
    });
    const heard: string[] = [];
    const client = await createConnect({ http: () => transport })(transport, { revisions: [handshake] });
    await client.setLogLevel('debug');
    await client.subscribe(topics, ({ type }) => void heard.push(type));
    transport.peers.at(-1)?.end();
    let listed = false;
    const listing = client.listTools().then(() => (listed = true));
    for (let ms = 0; ms < 4_000; ms += 500) {
      for (let turn = 0; turn < 5; turn++) await turns();
      if (hung.length > 0 && listed) break;
      mock.timers.tick(500);
    }
    assert.ok(listed, 'the list waits');
    // What it says late counts all the same.
    if (silent === 'resources/subscribe') {
      assert.deepEqual(heard, []);
      transport.peers.at(-1)?.reply(hung[0] as SentMessage, {});
      for (let turn = 0; turn < 5; turn++) await turns();
      assert.deepEqual(heard, ['reopened']);
    }
    await listing;
    await client.close();
  });

for (const [name, refusals, asked] of [
  ['refuses for a moment', 2, 3],
  ['refuses for good', Infinity, 4],
] as const)
  it(`a server that came back and ${name} is asked again to watch what it watched before`, async (t) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    t.after(() => mock.timers.reset());
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const settled = settling((sent, peer) => peer.reply(sent, {}), handshake, capabilities);
    let left: number = refusals;
    let times = 0;
    const error = { code: -32603, message: 'the upstream cannot be reached' };
    const transport = scriptedTransport('http', (sent, peer) => {
      if (sent.conversation === 1 || sent.message['method'] !== 'resources/subscribe') return settled(sent, peer);
      times++;
      if (left-- > 0) return peer.refuse(sent, error);
      return settled(sent, peer);
    });
    const heard: string[] = [];
    const client = await createConnect({ http: () => transport })(transport, {
      revisions: [handshake],
      maxReopens: 3,
      random: () => 0,
    });
    const watching = await client.subscribe(topics, ({ type }) => void heard.push(type));
    transport.peers.at(-1)?.end();
    for (let seconds = 0; seconds < 60; seconds++) {
      for (let turn = 0; turn < 5; turn++) await turns();
      mock.timers.tick(1_000);
    }
    assert.equal(times, asked);
    assert.deepEqual(heard, ['reopened', 'reopened']);
    assert.deepEqual(watching.honored, refusals === 2 ? topics : {});
    await client.close();
  });
