import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connected, handshake, text } from '../../../../test/support/connected-client.ts';
import { turns } from '../../../../test/support/turns.ts';
import { scriptedTransport, type Script } from '../testing/scripted.ts';
import { createConnect } from './connect.ts';
import type { ConnectOptions } from './api/options.ts';

describe('what a server sends by itself', () => {
  it('a ping is answered while the handshake runs [ping-001]', async () => {
    const transport = scriptedTransport('stdio', (sent, peer) => {
      const { method, id } = sent.message;
      if (method === 'initialize') peer.send({ jsonrpc: '2.0', id: 'p', method: 'ping' });
      if (id === 'p')
        peer.send({
          jsonrpc: '2.0',
          id: 1,
          result: { protocolVersion: handshake, capabilities: {}, serverInfo: { name: 's', version: '1' } },
        });
    });
    const connect = createConnect({ http: () => transport });
    const client = await connect(transport, { revisions: [handshake] });
    assert.equal(client.revision, handshake);
    assert.deepEqual(transport.sent[1]?.message, { jsonrpc: '2.0', id: 'p', result: {} });
  });

  it('a ping is answered after the handshake [ping-001]', async () => {
    const one = await connected(undefined, { revision: handshake });
    one.peer.send({ jsonrpc: '2.0', id: 'p', method: 'ping' });
    await turns();
    assert.deepEqual(one.transport.sent.at(-1)?.message, { jsonrpc: '2.0', id: 'p', result: {} });
  });

  for (const method of ['sampling/createMessage', 'nonsense', '__proto__']) {
    it(`${method} without a handler is no method [C89] [C90] [C94]`, async () => {
      const one = await connected(undefined, { revision: handshake });
      one.peer.send({ jsonrpc: '2.0', id: 7, method });
      await turns();
      const answer = one.transport.sent.at(-1)?.message;
      assert.deepEqual([answer?.['id'], (answer?.['error'] as { code: number } | undefined)?.code], [7, -32601]);
    });
  }

  for (const [what, message] of [
    ['with params that are no object', { jsonrpc: '2.0', id: 7, method: 'ping', params: [] }],
    ['with a method that is no text', { jsonrpc: '2.0', id: 7, method: 1 }],
    ['of another protocol', { id: 7, method: 'ping' }],
  ] as const) {
    it(`a request ${what} is answered as none, since its server waits`, async () => {
      const one = await connected(undefined, { revision: handshake });
      one.peer.send(message);
      await turns();
      const answer = one.transport.sent.at(-1)?.message;
      assert.deepEqual([answer?.['id'], (answer?.['error'] as { code: number } | undefined)?.code], [7, -32600]);
      assert.match(one.warnings.join(), /malformed/);
    });
  }

  it('a malformed request with the id of one that is being answered changes nothing', async () => {
    let answer: (roots: []) => void = () => undefined;
    const asked = new Promise<[]>((resolve) => (answer = resolve));
    const one = await connected(undefined, { revision: handshake, options: { roots: () => asked } });
    one.peer.send({ jsonrpc: '2.0', id: 7, method: 'roots/list' });
    one.peer.send({ jsonrpc: '2.0', id: 7, method: 'roots/list', params: [] });
    answer([]);
    await turns();
    const answers = one.transport.sent.filter(({ message }) => message['id'] === 7);
    assert.deepEqual(
      answers.map(({ message }) => message),
      [{ jsonrpc: '2.0', id: 7, result: { roots: [] } }],
    );
  });

  it('a malformed request at a stateless revision is not answered', async () => {
    const one = await connected();
    const before = one.transport.sent.length;
    one.peer.send({ jsonrpc: '2.0', id: 7, method: 'ping', params: 1 });
    await turns();
    assert.equal(one.transport.sent.length, before);
  });

  it('a request at a stateless revision is ignored with a warning [C96] [basic-038] [stdio-006]', async () => {
    const one = await connected();
    const before = one.transport.sent.length;
    one.peer.send({ jsonrpc: '2.0', id: 7, method: 'ping' });
    await turns();
    assert.equal(one.transport.sent.length, before);
    assert.match(one.warnings.join(), /ping/);
  });

  it('is heard by its listeners [C91] [C92]', async () => {
    const logs: unknown[] = [];
    const heard: unknown[] = [];
    const options: ConnectOptions = {
      onLog: ({ level, data }) => void logs.push([level, data]),
      onNotification: (method, params) => void heard.push([method, params]),
    };
    const one = await connected(undefined, { revision: handshake, options });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 7 } });
    assert.deepEqual(logs, [['info', 'x']]);
    assert.deepEqual(heard, [
      ['notifications/message', { level: 'info', data: 'x' }],
      ['notifications/tools/list_changed', {}],
    ]);
    assert.equal(one.warnings.length, 1);
  });

  it('a log message without its data is ignored, and blames no listener', async () => {
    const heard: string[] = [];
    const options: ConnectOptions = {
      onLog: () => void heard.push('log'),
      onNotification: (method) => void heard.push(method),
    };
    const one = await connected(undefined, { revision: handshake, options });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info' } });
    await turns();
    assert.deepEqual(heard, []);
    assert.deepEqual(one.warnings, ['a log message of the server was ignored, since it is malformed']);
  });

  it('a log message that nobody listens for is nothing to warn of', async () => {
    const one = await connected();
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
    await turns();
    assert.deepEqual(one.warnings, []);
  });

  it('unasked at a stateless revision is heard with a warning', async () => {
    const heard: string[] = [];
    const one = await connected(undefined, { options: { onNotification: (method) => void heard.push(method) } });
    one.peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    one.peer.send({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    });
    assert.equal(heard.length, 2);
    assert.equal(one.warnings.length, 1);
  });

  it('progress reaches the request and the client', async () => {
    const all: unknown[] = [];
    const own: unknown[] = [];
    const script: Script = (sent, peer) => {
      const { progressToken } = (sent.message['params'] as { _meta: Record<string, unknown> })._meta;
      peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
      peer.reply(sent, text);
    };
    const one = await connected(script, { options: { onProgress: (report) => void all.push(report) } });
    await one.client.callTool('x', undefined, { progressToken: 't', onProgress: (report) => void own.push(report) });
    assert.deepEqual([own, all], [[{ progress: 1, total: 2 }], [{ progressToken: 't', progress: 1, total: 2 }]]);
  });

  it('progress reaches both where a server makes text of the number of its token, in no other spelling', async () => {
    const all: unknown[] = [];
    const own: unknown[] = [];
    const script: Script = (sent, peer) => {
      for (const [at, progressToken] of ['7', '07', '7.0', '8'].entries())
        peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: at + 1 } });
      peer.reply(sent, text);
    };
    const one = await connected(script, { options: { onProgress: (report) => void all.push(report) } });
    await one.client.callTool('x', undefined, { progressToken: 7, onProgress: (report) => void own.push(report) });
    assert.deepEqual([own, all], [[{ progress: 1 }], [{ progressToken: 7, progress: 1 }]]);
  });
});
