import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  capabilities,
  content,
  forgetful,
  gone,
  handshake,
  recovering,
  requests,
  stateless,
} from '../../../../../test/support/recovering.ts';
import { turns } from '../../../../../test/support/turns.ts';
import { ConnectionError, unknownSessions } from '../../jsonrpc/transport.ts';
import { scriptedTransport } from '../../testing/scripted.ts';
import type { Client } from '../api/client.ts';
import { createConnect } from '../connect.ts';
import type { SubscriptionEvent } from '../api/subscription.ts';

describe('a session that the server forgot', () => {
  for (const [method, ask] of Object.entries({ ...requests, ping: (client: Client) => client.ping() })) {
    it(`is begun anew, and ${method} is sent once more in it [http-048]`, async () => {
      const server = forgetful();
      const one = await recovering(server.script);
      server.lost = true;
      await ask(one.client);
      assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', method]);
      assert.deepEqual([one.reopened, one.ends], [['session-lost'], []]);
      assert.equal(one.client.server?.name, 's2');
      assert.deepEqual(one.transport.closed, [1]);
    });
  }

  for (const when of ['as the next page is asked for', 'between two pages'] as const) {
    it(`takes its cursors with it: lost ${when}, the list is begun again [page-003]`, async () => {
      const cursors: unknown[] = [];
      const one = await recovering((sent, peer) => {
        const { id, method, params } = sent.message as { id?: unknown; method: string; params?: { cursor?: string } };
        if (method !== 'tools/list') return void (id !== undefined && peer.reply(sent, {}));
        if (sent.conversation === 1 && params?.cursor !== undefined) return gone();
        cursors.push([sent.conversation, params?.cursor]);
        const tool = { name: `t${sent.conversation}${params?.cursor ?? ''}`, inputSchema: { type: 'object' } };
        peer.reply(sent, { tools: [tool], ...(params?.cursor === undefined ? { nextCursor: 'a' } : {}) });
        if (when === 'between two pages' && sent.conversation === 1)
          peer.end(new ConnectionError('session-lost', 'HTTP 404', { status: 404 }));
      });
      const tools = await one.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['t2', 't2a'],
      );
      assert.deepEqual(cursors, [
        [1, undefined],
        [2, undefined],
        [2, 'a'],
      ]);
    });
  }

  it('is begun anew where the transport found that the server does not know it', async () => {
    let lost = false;
    const one = await recovering((sent, peer) => {
      if (!lost || sent.conversation !== 1) return peer.reply(sent, content);
      const failure = new ConnectionError('unauthorized', 'HTTP 401', { status: 401 });
      unknownSessions.add(failure);
      throw failure;
    });
    lost = true;
    await assert.rejects(one.client.callTool('x'), { reason: 'session-lost', status: 401, message: /nothing ran/ });
    await one.client.callTool('x');
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'tools/call']);
  });

  it('makes the call of a tool fail, and the next one work [http-048]', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.callTool('x'), (error: unknown) => {
      assert.ok(error instanceof ConnectionError);
      assert.deepEqual([error.reason, error.status], ['session-lost', 404]);
      assert.match(error.message, /refused tools\/call, so that nothing ran: it may be sent again/);
      return true;
    });
    await one.client.callTool('x');
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'tools/call']);
  });

  it('is begun anew even when nothing is asked any more [http-048]', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.callTool('x'), { reason: 'session-lost' });
    await turns();
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized']);
  });

  it("has the call of a tool sent once more, with sessionLost: 'repeat', since a 404 ran nothing [http-048]", async () => {
    const server = forgetful();
    const one = await recovering(server.script, { options: { sessionLost: 'repeat' } });
    server.lost = true;
    await one.client.callTool('x');
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'tools/call']);
    await assert.rejects(
      recovering(server.script, { options: { sessionLost: 'again' as 'repeat' } }),
      /sessionLost is 'fail' or 'repeat', not again/,
    );
  });

  it("fails a call that was under way beside the refused one, even with sessionLost: 'repeat'", async () => {
    const one = await recovering(
      (sent, peer) => {
        if (sent.conversation > 1) return peer.reply(sent, content);
        return sent.message['method'] === 'prompts/list' ? gone() : new Promise(() => {});
      },
      { options: { sessionLost: 'repeat' } },
    );
    const call = assert.rejects(one.client.callTool('x'), /while tools\/call was under way, which may have run/);
    await turns();
    await one.client.listPrompts();
    await call;
    assert.ok(!one.said(2).includes('tools/call'));
  });

  it("keeps what says repeat: false from being sent once more, even with sessionLost: 'repeat'", async () => {
    const server = forgetful();
    const one = await recovering(server.script, { options: { sessionLost: 'repeat' } });
    server.lost = true;
    await assert.rejects(one.client.callTool('x', {}, { repeat: false }), { reason: 'session-lost' });
  });

  it('does not keep a call from being sent once more, where that is said to do no harm', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await one.client.callTool('x', undefined, { repeat: true });
    assert.deepEqual(one.said(2).at(-1), 'tools/call');
  });

  it('keeps a list from being sent once more, where that is not wanted', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.listTools({ repeat: false }), { reason: 'session-lost' });
  });

  for (const [hint, trusted, again] of [
    ['readOnlyHint', true, true],
    ['idempotentHint', true, true],
    ['readOnlyHint', false, false],
    ['destructiveHint', true, false],
  ] as const) {
    it(`${again ? 'lets' : 'does not let'} a tool with ${hint} be called once more, its hints ${trusted ? '' : 'not '}trusted`, async () => {
      const server = forgetful();
      const one = await recovering(server.script, { options: { trustToolHints: trusted } });
      one.client.primeTools([{ name: 'x', inputSchema: { type: 'object' }, annotations: { [hint]: true } }]);
      server.lost = true;
      const call = one.client.callTool('x');
      await (again ? call : assert.rejects(call, { reason: 'session-lost' }));
    });
  }

  it('is begun anew once for all that are under way', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await Promise.all([one.client.listTools(), one.client.listPrompts(), one.client.ping()]);
    assert.equal(one.said(2).filter((method) => method === 'initialize').length, 1);
    assert.equal(one.transport.peers.length, 2);
  });

  it('takes what waits in it along: the harmless is sent once more, the rest fails', async () => {
    const one = await recovering((sent, peer) => {
      if (sent.conversation > 1) return peer.reply(sent, content);
      return sent.message['method'] === 'prompts/list' ? gone() : new Promise(() => {});
    });
    const read = one.client.readResource('x:a');
    const call = assert.rejects(one.client.callTool('x'), { reason: 'session-lost' });
    await turns();
    await one.client.listPrompts();
    await Promise.all([read, call]);
    assert.deepEqual(
      new Set(one.said(2)),
      new Set(['initialize', 'notifications/initialized', 'prompts/list', 'resources/read']),
    );
  });

  it('is an error once its successor is lost as well', async () => {
    const one = await recovering((sent) => (sent.message['id'] === undefined ? undefined : gone()));
    await assert.rejects(one.client.listTools(), { reason: 'session-lost' });
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'tools/list']);
  });

  it('is an error when no new one can be begun, and the next request tries again', async () => {
    let down = true;
    const server = forgetful();
    const transport = scriptedTransport('http', (sent, peer) => {
      if (sent.message['method'] === 'initialize') {
        if (sent.conversation > 1 && down) throw new ConnectionError('refused', 'down');
        return peer.reply(sent, { protocolVersion: handshake, capabilities, serverInfo: { name: 's', version: '1' } });
      }
      return server.script(sent, peer);
    });
    const client = await createConnect({ http: () => transport })(transport, { revisions: [handshake] });
    server.lost = true;
    await assert.rejects(client.listTools(), (error: unknown) => {
      assert.ok(error instanceof ConnectionError && error.cause instanceof ConnectionError);
      assert.deepEqual([error.reason, error.cause.reason], ['session-lost', 'refused']);
      return true;
    });
    await assert.rejects(client.listTools(), { reason: 'refused' });
    down = false;
    await client.listTools();
  });

  it('ends the connection for good where nothing is to be opened again', async () => {
    const server = forgetful();
    const one = await recovering(server.script, { options: { reconnect: false } });
    server.lost = true;
    await assert.rejects(one.client.listTools(), { reason: 'session-lost' });
    assert.deepEqual([one.ends, one.transport.peers.length], [['session-lost'], 1]);
    assert.equal((await one.client.closed)?.reason, 'session-lost');
  });

  it('is told to be lost by a notification too, and the next one reaches the new session', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    server.lost = true;
    await assert.rejects(one.client.notify('com.example/mine'), { reason: 'session-lost' });
    await one.client.notify('com.example/mine');
    assert.equal(one.said(2).at(-1), 'com.example/mine');
  });

  it('may be told to be lost by the transport', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    one.transport.peers[0]?.end(new ConnectionError('session-lost', 'HTTP 404', { status: 404 }));
    await one.client.listTools();
    assert.deepEqual(one.reopened, ['session-lost']);
  });

  it('gives its log level to its successor', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    await one.client.setLogLevel('warning');
    server.lost = true;
    await one.client.listTools();
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'logging/setLevel', 'tools/list']);
  });

  it('is begun once more for a call that waits while its successor is lost as well', async () => {
    let hanging = (): void => {};
    const hung = new Promise<void>((resolve) => (hanging = resolve));
    const server = forgetful();
    const one = await recovering((sent, peer) => {
      if (sent.conversation !== 2 || sent.message['method'] !== 'logging/setLevel') return server.script(sent, peer);
      hanging();
      return new Promise(() => {});
    });
    await one.client.setLogLevel('warning');
    one.transport.peers[0]?.end(new ConnectionError('session-lost', 'HTTP 404', { status: 404 }));
    const call = one.client.callTool('t');
    await hung;
    one.transport.peers[1]?.end(new ConnectionError('session-lost', 'HTTP 404', { status: 404 }));
    await call;
    assert.deepEqual(one.said(3), ['initialize', 'notifications/initialized', 'logging/setLevel', 'tools/call']);
  });

  it('gives its subscriptions to its successor, before anything else is asked', async () => {
    const server = forgetful();
    const one = await recovering(server.script);
    const events: SubscriptionEvent[] = [];
    await one.client.subscribe({ updates: ['file:///x'] }, (event) => void events.push(event));
    server.lost = true;
    await one.client.listTools();
    assert.deepEqual(one.said(2), ['initialize', 'notifications/initialized', 'resources/subscribe', 'tools/list']);
    assert.deepEqual(events, [{ type: 'reopened' }]);
    await one.client.close();
  });

  it('is not what a server without sessions, a bad request or an unknown resource is about', async () => {
    const notFound = (): never => {
      throw new ConnectionError('http', 'HTTP 404', { status: 404 });
    };
    const at = await recovering(notFound, { revision: stateless });
    await assert.rejects(at.client.listTools(), { reason: 'http' });
    const sessionless = await recovering(notFound, { options: { sessionLost: 'repeat' } });
    await assert.rejects(sessionless.client.callTool('x'), { reason: 'http', status: 404 });
    const bad = await recovering(() => {
      const body = 'Bad Request: Mcp-Session-Id header is required';
      throw new ConnectionError('http', 'HTTP 400', { status: 400, body });
    });
    await assert.rejects(bad.client.listTools(), { reason: 'http' });
    const unknown = await recovering((sent, peer) => peer.refuse(sent, { code: -32002, message: 'no' }, 404));
    await assert.rejects(unknown.client.readResource('x:a'), { kind: 'resourceNotFound' });
    for (const { transport } of [at, sessionless, bad, unknown]) assert.equal(transport.peers.length, 1);
  });
});
