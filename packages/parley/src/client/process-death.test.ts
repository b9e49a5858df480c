import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { content, handshake, recovering, stateless, type Recovering } from '../../../../test/support/recovering.ts';
import { turns } from '../../../../test/support/turns.ts';
import type { ConnectOptions } from './api/options.ts';

describe('a server process that died', () => {
  const dying = (revision: string, options: ConnectOptions = {}): Promise<Recovering> =>
    recovering(
      (sent, peer) => {
        if (sent.message['method'] === 'tools/call') return peer.end();
        if (sent.message['id'] !== undefined) peer.reply(sent, content);
      },
      { revision, kind: 'stdio', options },
    );

  for (const revision of [stateless, handshake]) {
    it(`is started again by the next request, at ${revision} [stdio-015]`, async () => {
      const one = await dying(revision);
      await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
      assert.equal(one.transport.peers.length, 1);
      await one.client.listTools();
      const opening = revision === stateless ? ['server/discover'] : ['initialize', 'notifications/initialized'];
      assert.deepEqual(one.said(2), [...opening, 'tools/list']);
      assert.deepEqual([one.reopened, one.ends], [['exited'], []]);
    });
  }

  it('fails what was under way, also what could be repeated', async () => {
    const one = await recovering(() => undefined, { kind: 'stdio' });
    const list = assert.rejects(one.client.listTools(), { reason: 'exited' });
    await turns();
    one.transport.peers[0]?.end();
    await list;
    assert.equal(one.transport.peers.length, 1);
  });

  it('is started once for all that ask', async () => {
    const one = await dying(handshake);
    await assert.rejects(one.client.callTool('x'));
    await Promise.all([one.client.listTools(), one.client.listPrompts(), one.client.notify('com.example/mine')]);
    assert.equal(one.transport.peers.length, 2);
  });

  it('five times within a minute is not started again, which is the end', async () => {
    const one = await dying(handshake);
    for (let death = 0; death < 6; death++) await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    assert.equal(one.transport.peers.length, 6);
    await assert.rejects(one.client.listTools(), /5 times within a minute.*exited/);
    await assert.rejects(one.client.listTools(), /5 times within a minute/);
    assert.equal(one.transport.peers.length, 6);
    assert.deepEqual(one.ends, ['exited']);
    assert.equal((await one.client.closed)?.reason, 'exited');
  });

  it('now and then is started again, however often', async () => {
    const one = await dying(handshake);
    for (let death = 0; death < 20; death++) {
      await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
      one.clock.now += 12_001;
    }
    await one.client.listTools();
    assert.equal(one.transport.peers.length, 21);
  });

  it('is started as often as is said', async () => {
    const one = await dying(handshake, { maxReconnects: 1 });
    for (let death = 0; death < 2; death++) await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    await assert.rejects(one.client.callTool('x'), /1 times/);
  });

  it('is the end where nothing is to be opened again', async () => {
    const one = await dying(handshake, { reconnect: false });
    await assert.rejects(one.client.callTool('x'), { reason: 'exited' });
    await assert.rejects(one.client.listTools(), { reason: 'exited' });
    assert.deepEqual([one.transport.peers.length, one.ends], [1, ['exited']]);
  });

  it('is not started by a client that is closed', async () => {
    const one = await dying(handshake);
    await assert.rejects(one.client.callTool('x'));
    await one.client.close();
    await assert.rejects(one.client.listTools(), { reason: 'closed' });
    assert.equal(await one.client.closed, undefined);
    assert.equal(one.transport.peers.length, 1);
  });

  it('asks for log messages as before', async () => {
    const one = await dying(stateless);
    await one.client.setLogLevel('error');
    await assert.rejects(one.client.callTool('x'));
    await one.client.listTools();
    const params = one.transport.sent.at(-1)?.message['params'];
    // Every stateless request has `_meta`.
    const { _meta } = params as { readonly _meta: Readonly<Record<string, unknown>> };
    assert.equal(_meta['io.modelcontextprotocol/logLevel'], 'error');
  });

  it('makes what it gave before stale', async () => {
    const one = await recovering(
      (sent, peer) => peer.reply(sent, { ...content, ttlMs: 60_000, cacheScope: 'private' }),
      { revision: stateless, kind: 'stdio' },
    );
    await one.client.listTools();
    one.transport.peers[0]?.end();
    await one.client.listPrompts();
    await one.client.listTools();
    assert.ok(one.said(2).includes('tools/list'));
  });

  it('is told to who listens to the client, until they stop', async () => {
    const one = await dying(handshake);
    const heard: string[] = [];
    const stop = one.client.onReconnect(({ reason }) => void heard.push(reason));
    one.client.onReconnect(() => {
      throw new Error('mine');
    });
    await assert.rejects(one.client.callTool('x'));
    await one.client.listTools();
    stop();
    await assert.rejects(one.client.callTool('x'));
    await one.client.listTools();
    assert.deepEqual(heard, ['exited']);
    assert.match(one.warnings.join(), /threw/);
  });
});
