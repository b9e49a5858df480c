import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  completion,
  content,
  handshake,
  recovering,
  requests,
  stateless,
} from '../../../../test/support/recovering.ts';
import { turns } from '../../../../test/support/turns.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import type { Script } from '../testing/scripted.ts';

describe('an answer that was lost on the way', () => {
  const dropping = (): { readonly script: Script; readonly ids: unknown[] } => {
    const ids: unknown[] = [];
    return {
      ids,
      script(sent, peer) {
        ids.push(sent.message['id']);
        if (ids.length === 1)
          throw new ConnectionError('closed', 'HTTP 200 ended before the response', { status: 200 });
        peer.reply(sent, { ...content, ...completion });
      },
    };
  };

  for (const revision of [stateless, handshake]) {
    for (const [method, ask] of Object.entries(requests)) {
      it(`of ${method} at ${revision} is asked for once more, by a new request [http-063]`, async () => {
        const server = dropping();
        const one = await recovering(server.script, { revision });
        await ask(one.client);
        const [first, second] = server.ids;
        assert.ok(server.ids.length === 2 && first !== second);
        assert.deepEqual([one.transport.peers.length, one.reopened], [1, []]);
      });
    }

    it(`of a tool at ${revision} is an error`, async () => {
      const server = dropping();
      const one = await recovering(server.script, { revision });
      await assert.rejects(one.client.callTool('x'), { reason: 'closed' });
      assert.equal(server.ids.length, 1);
      await one.client.callTool('x');
    });
  }

  for (const [what, options, request] of [
    ['repeat: true', {}, { repeat: true }],
    ['readOnlyHint', { trustToolHints: true }, {}],
    ['idempotentHint', { trustToolHints: true }, {}],
  ] as const)
    it(`of a tool that may be called twice is asked for once more: ${what}`, async () => {
      const server = dropping();
      const one = await recovering(server.script, { options });
      one.client.primeTools([{ name: 'x', inputSchema: { type: 'object' }, annotations: { [what]: true } }]);
      await one.client.callTool('x', {}, request);
      assert.equal(server.ids.length, 2);
    });

  it('is not asked for again where the server says that it has no room now', async () => {
    for (const status of [429, 503]) {
      let asked = 0;
      const one = await recovering(() => {
        asked++;
        throw new ConnectionError('http', `HTTP ${status}`, { status });
      });
      await assert.rejects(one.client.callTool('x', {}, { repeat: true }), { reason: 'http', status });
      assert.equal(asked, 1);
    }
  });

  it('twice is an error', async () => {
    let asked = 0;
    const one = await recovering(() => {
      asked++;
      throw new ConnectionError('closed', 'dropped');
    });
    await assert.rejects(one.client.listTools(), { reason: 'closed' });
    assert.equal(asked, 2);
  });

  it('is not asked for again where nothing is to be repeated, or nobody waits for it any more', async () => {
    const server = dropping();
    const off = await recovering(server.script, { options: { reconnect: false } });
    await assert.rejects(off.client.listTools(), { reason: 'closed' });
    const left = dropping();
    const one = await recovering(left.script);
    const controller = new AbortController();
    const list = assert.rejects(one.client.listTools({ signal: controller.signal }));
    controller.abort();
    await list;
    assert.equal(left.ids.filter((id) => id !== undefined).length, 1);
  });

  it('is not asked for again after the client was closed', async () => {
    let asked = 0;
    const one = await recovering(() => {
      asked++;
      return new Promise(() => {});
    });
    const list = assert.rejects(one.client.listTools(), { reason: 'closed' });
    await turns();
    await one.client.close();
    await list;
    assert.equal(asked, 1);
  });
});
