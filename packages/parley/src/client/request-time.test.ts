import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { capabilities, handshake, recovering, type Recovering } from '../../../../test/support/recovering.ts';
import { turns } from '../../../../test/support/turns.ts';
import { ConnectionError } from '../jsonrpc/transport.ts';
import { scriptedTransport, type ScriptedKind, type SentMessage } from '../testing/scripted.ts';
import { createConnect } from './connect.ts';
import type { ConnectOptions } from './api/options.ts';

describe('the time that a request may take', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const silent = async (options: ConnectOptions = {}, kind: ScriptedKind = 'stdio'): Promise<Recovering> =>
    await recovering(({ message }) => (message['id'] === undefined ? undefined : new Promise(() => {})), {
      kind,
      options,
    });

  it('begins anew with each progress, up to the longest time [C10]', async () => {
    const one = await silent();
    const call = assert.rejects(
      one.client.callTool('x', undefined, { timeoutMs: 100, maxTotalTimeoutMs: 250, progressToken: 't' }),
      /250 ms/,
    );
    await turns();
    for (let progress = 1; progress <= 2; progress++) {
      mock.timers.tick(99);
      one.transport.peers[0]?.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 't', progress },
      });
    }
    await turns();
    assert.ok(!one.transport.methods.includes('notifications/cancelled'));
    mock.timers.tick(52);
    await call;
    await turns();
    assert.equal(one.transport.methods.at(-1), 'notifications/cancelled');
  });

  it('ends without progress, and the server is told [C10] [C12]', async () => {
    const one = await silent();
    const call = assert.rejects(one.client.callTool('x', undefined, { timeoutMs: 100 }), { reason: 'timeout' });
    await turns();
    mock.timers.tick(100);
    await call;
    await turns();
    const params = one.transport.sent.at(-1)?.message['params'];
    assert.match(JSON.stringify(params), /"reason":"[^"]*100 ms/);
  });

  it('ends with an error that names an answer whose id no request has', async () => {
    const one = await silent();
    one.transport.peers[0]?.send({ jsonrpc: '2.0', id: 'before', result: {} });
    await turns();
    const call = one.client.callTool('x', undefined, { timeoutMs: 100 });
    const later = one.client.callTool('y', undefined, { timeoutMs: 100 });
    await turns();
    one.transport.peers[0]?.send({ jsonrpc: '2.0', id: 'call)7', result: {} });
    await turns();
    const last = one.client.callTool('z', undefined, { timeoutMs: 100 });
    const ended = Promise.allSettled([call, later, last]);
    await turns();
    mock.timers.tick(100);
    const words = (await ended).map((end) => end.status === 'rejected' && String(end.reason.message));
    const stray = ', after an answer with the id "call?7", which no request has)';
    assert.deepEqual(
      words.map((message) => message !== false && message.endsWith(stray)),
      [true, true, false],
    );
  });

  it('does not begin anew with a second try', async () => {
    const one = await recovering(
      (sent) => {
        if (one.said(1).filter((method) => method === 'tools/list').length > 1) return new Promise(() => {});
        one.clock.now += 200;
        assert.equal(sent.message['method'], 'tools/list');
        throw new ConnectionError('closed', 'dropped');
      },
      { kind: 'http' },
    );
    const list = assert.rejects(one.client.listTools({ maxTotalTimeoutMs: 250 }), { reason: 'timeout' });
    await turns();
    mock.timers.tick(50);
    await list;
  });

  it('holds while a lost connection is opened again, and so does the signal', async () => {
    const transport = scriptedTransport('stdio', (sent, peer) => {
      if (sent.message['method'] === 'initialize' && sent.conversation === 1)
        peer.reply(sent, { protocolVersion: handshake, capabilities, serverInfo: { name: 's', version: '1' } });
    });
    const client = await createConnect({ http: () => transport })(transport, { revisions: [handshake] });
    transport.peers[0]?.end();
    const late = assert.rejects(client.listTools({ timeoutMs: 100 }), { reason: 'timeout' });
    const controller = new AbortController();
    const given = assert.rejects(client.listPrompts({ signal: controller.signal }), { name: 'AbortError' });
    const patient = assert.rejects(client.listResources(), { reason: 'closed' });
    await turns();
    mock.timers.tick(100);
    controller.abort();
    await Promise.all([late, given]);
    await client.close();
    await patient;
  });

  const question = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

  /** A server that asks within a call, and answers it, or never does, when it has the answer. */
  const asking = async (
    onElicit: NonNullable<ConnectOptions['onElicit']>,
    { isSilent = false, ...options }: ConnectOptions & { readonly isSilent?: boolean } = {},
  ): Promise<Recovering> => {
    let call: SentMessage | undefined;
    return await recovering(
      (sent, peer) => {
        if (sent.message['method'] === 'tools/call') {
          call = sent;
          peer.send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: question });
        } else if (sent.message['id'] === 'q' && call !== undefined && !isSilent) peer.reply(call, { content: [] });
      },
      { kind: 'stdio', options: { ...options, onElicit } },
    );
  };

  it('does not run while a person is asked within it', async () => {
    let answer = (): void => undefined;
    const one = await asking(() => new Promise((resolve) => (answer = () => resolve({ action: 'decline' }))));
    const call = one.client.callTool('x', undefined, { timeoutMs: 100, maxTotalTimeoutMs: 150 });
    await turns();
    mock.timers.tick(3_600_000);
    await turns();
    answer();
    assert.deepEqual((await call).content, []);
    assert.ok(!one.transport.methods.includes('notifications/cancelled'));
  });

  it('goes on when the person has answered, or could not be asked', async () => {
    for (const onElicit of [
      async () => ({ action: 'decline' }) as const,
      async () => {
        throw new Error('nobody is there');
      },
    ]) {
      const one = await asking(onElicit, { isSilent: true });
      const call = assert.rejects(one.client.callTool('x', undefined, { timeoutMs: 100 }), { reason: 'timeout' });
      await turns();
      mock.timers.tick(100);
      await call;
    }
  });

  it('goes on when the server takes its question back, whatever becomes of that', async () => {
    const one = await asking(() => new Promise(() => {}), { isSilent: true });
    const call = assert.rejects(one.client.callTool('x', undefined, { timeoutMs: 100 }), { reason: 'timeout' });
    await turns();
    mock.timers.tick(1_000);
    one.transport.peers[0]?.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
    await turns();
    mock.timers.tick(100);
    await call;
  });

  it('names its limit in whole milliseconds, what was asked for and whom, which the server is not told', async () => {
    const one = await silent();
    const call = assert.rejects(one.client.readResource('memo://one', { maxTotalTimeoutMs: 49.998 }), {
      message: 'resources/read was not answered within 50 ms (maxTotalTimeoutMs, "memo://one" at scripted stdio)',
    });
    await turns();
    mock.timers.tick(50);
    await call;
    await turns();
    const { message } = one.transport.sent.at(-1) ?? assert.fail();
    assert.equal(Object(message['params']).reason, 'resources/read was not answered within 50 ms');
  });

  it('is told to who waits, where nothing else keeps the process', () => {
    const source = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `import { createServer } from ${source('../server/server.ts')};
      import { connectInMemory } from ${source('../testing/pair.ts')};
      const server = createServer({ name: 's', version: '1' });
      server.tool('never', {}, () => new Promise(() => {}));
      const client = await connectInMemory(server);
      await client.callTool('never', {}, { timeoutMs: 10 }).catch((error) => console.log(error.message));`;
    const said = execFileSync(execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    assert.equal(said, 'tools/call was not answered within 10 ms (timeoutMs, "never" at memory)\n');
  });
});
