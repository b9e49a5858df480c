/** Who may give up what, and what becomes of what comes late: part 1.3 of the behaviours. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, ConnectionError, IncompatibleError } from '../../packages/parley/src/client.ts';
import { revisions } from '../../packages/parley/src/protocol/revision.ts';
import { createServer } from '../../packages/parley/src/server.ts';
import { scriptedTransport, type SentMessage } from '../../packages/parley/src/testing.ts';
import { handshakeDates, open, statelessDate } from '../support/raw.ts';
import { connectScripted, replying } from '../support/scripted-client.ts';
import { turns } from '../support/turns.ts';

const text = { content: [] };

function cancellationsOf(sent: readonly SentMessage[]): readonly unknown[] {
  return sent.map(({ message }) => message).filter(({ method }) => method === 'notifications/cancelled');
}

for (const { date } of revisions) {
  describe(`a request at ${date}`, () => {
    test('that was answered is not cancelled any more [cancel-001] [cancel-013]', async () => {
      const { client, transport } = await connectScripted(replying(text), { date });
      const controller = new AbortController();
      await client.callTool('x', {}, { signal: controller.signal });
      controller.abort();
      await turns();
      assert.deepEqual(cancellationsOf(transport.sent), []);
    });

    test('is cancelled alone, by its own id [cancel-001] [cancel-013]', async () => {
      const { client, transport } = await connectScripted(() => {}, { date });
      const controller = new AbortController();
      const kept = client.callTool('kept');
      const given = client.callTool('x', {}, { signal: controller.signal }).catch((error: unknown) => error);
      await turns();
      const { id } = transport.sent.at(-1)?.message ?? {};
      controller.abort('enough');
      assert.equal(await given, 'enough');
      await turns();
      const params = { requestId: id, reason: 'enough' };
      assert.deepEqual(cancellationsOf(transport.sent), [
        { jsonrpc: '2.0', method: 'notifications/cancelled', params },
      ]);
      kept.catch(() => undefined);
      await client.close();
    });

    test('that was given up may be answered late, at once or never: any number of them, and twice [C38] [C39] [C40]', async () => {
      const { client, peer, transport, warnings } = await connectScripted(() => {}, { date });
      const controller = new AbortController();
      const before = transport.sent.length;
      const many = Array.from({ length: 1000 }, () => client.callTool('x', {}, { signal: controller.signal }));
      await turns();
      const ids = transport.sent.slice(before).map(({ message }) => message['id']);
      controller.abort();
      for (const { status } of await Promise.allSettled(many)) assert.equal(status, 'rejected');
      assert.equal(new Set(ids).size, 1000);
      for (const id of [ids.at(0), ids.at(-1), ids.at(0), ids.at(500)]) peer.send({ jsonrpc: '2.0', id, result: text });
      await turns();
      assert.deepEqual(warnings, []);
      // It is not that anything goes.
      peer.send({ jsonrpc: '2.0', id: 1_000_000, result: text });
      assert.equal(warnings.length, 1);
    });
  });
}

for (const date of handshakeDates) {
  test(`initialize at ${date} is given up without a word [C59] [cancel-002]`, async () => {
    const transport = scriptedTransport('stdio', () => {});
    const controller = new AbortController();
    const given = connect(transport, { revisions: [date], signal: controller.signal });
    const rejected = assert.rejects(given, { name: 'AbortError' });
    await turns();
    controller.abort();
    await rejected;
    await turns();
    assert.deepEqual(transport.methods, ['initialize']);
    assert.deepEqual(transport.closed, [1]);
  });

  test(`a server cancels at ${date} what it asked for a call that is over [C13]`, async () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.roots().catch(() => [])));
    const raw = await open(server, date, { capabilities: { roots: {} } });
    void raw.send('tools/call', { name: 'ask' }, 'call');
    await new Promise((resolve) => setImmediate(resolve));
    const [question] = raw.take();
    assert.equal(question?.['method'], 'roots/list');
    await raw.notify('notifications/cancelled', { requestId: 'call' });
    const [cancellation, ...rest] = raw.take();
    assert.deepEqual(rest, []);
    assert.equal(cancellation?.['method'], 'notifications/cancelled');
    assert.partialDeepStrictEqual(cancellation['params'], { requestId: question['id'] });
    raw.conversation.close();
  });
}

test('a server cancels nothing at a stateless revision [C13]', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  const raw = await open(server, statelessDate, { capabilities: { roots: {} } });
  await raw.result('tools/call', { name: 'ask' });
  const again = raw.send('tools/call', { name: 'ask' }, 'call');
  await raw.notify('notifications/cancelled', { requestId: 'call' });
  await again;
  raw.conversation.close();
  assert.deepEqual(raw.methods, []);
});

describe('what may be expected to fail has a kind of its own', () => {
  test('versions that do not meet, a missing capability and silence [lifecycle-023] [D36]', async (t) => {
    const date = '2025-11-25';
    const foreign = scriptedTransport('stdio', (sent, peer) => {
      if (sent.message['method'] === 'initialize')
        peer.reply(sent, { protocolVersion: '2020-01-01', capabilities: {}, serverInfo: { name: 's', version: '1' } });
    });
    await assert.rejects(connect(foreign, { revisions: [date] }), IncompatibleError);
    assert.deepEqual(foreign.methods, ['initialize']);
    const { client } = await connectScripted(() => {}, { date, capabilities: { tools: {} } });
    const watching = client.request('resources/subscribe', { uri: 'a:b' });
    await assert.rejects(watching, { name: 'McpError', kind: 'methodNotFound' });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const silence = assert.rejects(
      client.callTool('x', {}, { timeoutMs: 5 }),
      (error: unknown) => error instanceof ConnectionError && error.reason === 'timeout',
    );
    await turns();
    t.mock.timers.tick(5);
    await silence;
  });
});
