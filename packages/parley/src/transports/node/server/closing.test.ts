import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { fakeEndpoint } from '../../../../../../test/support/fake-endpoint.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { listen } from './http.ts';

/** A client that keeps its connections, as balancers and browsers do. */
function keepingClient(t: TestContext, url: string) {
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  return async (method: string): Promise<{ readonly status: number | undefined; readonly connection: unknown }> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    };
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const sent = request(url, { method: 'POST', agent, headers });
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return { status: answer.statusCode, connection: answer.headers.connection };
  };
}

test('answers while a server closes tell the client to use another connection', async (t) => {
  const fake = fakeEndpoint();
  const listening = await listen(fake, { port: 0, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  const send = keepingClient(t, listening.url);
  assert.deepEqual(await send('echo'), { status: 200, connection: 'keep-alive' });
  const slow = send('slow');
  await until(() => fake.conversations.length === 2, 'the slow request arrives');
  t.after(() => fake.conversations[1]?.release(1));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closed = listening.close({ readyTimeoutMs: 500, drainTimeoutMs: 60_000 });
  // Whoever balances connections, not requests, moves this client to another process before it is refused here.
  assert.deepEqual(await send('echo'), { status: 200, connection: 'close' });
  t.mock.timers.tick(500);
  t.mock.timers.reset();
  assert.deepEqual(await send('echo'), { status: 503, connection: 'close' });
  fake.conversations[1]?.release(1);
  assert.equal((await slow).status, 200);
  await closed;
});
