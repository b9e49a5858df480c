/** A server over HTTP+SSE that asks on its stream before it answers the POST with which its session begins. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../test/support/raw.ts';
import { until } from '../../../../../../test/support/turns.ts';
import { connect } from '../../../client.ts';
import { isObject } from '../../../jsonrpc/message.ts';
import { ssePairTransport } from './sse-pair.ts';

/** A server that asks for roots when it gets one message, whose POST it answers later; and the answers that it got. */
function askingServer(at: string): { readonly fetch: typeof fetch; readonly answers: unknown[] } {
  const answers: unknown[] = [];
  let say: (message: object) => void = () => undefined;
  const accepted = (): Response => new Response('', { status: 202 });
  const answered: typeof fetch = async (_, init) => {
    if (init?.method === 'GET') {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          const write = (text: string): void => controller.enqueue(new TextEncoder().encode(text));
          write('event: endpoint\ndata: /messages\n\n');
          say = (message) => write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
          init.signal?.addEventListener('abort', () => controller.error(new DOMException('', 'AbortError')));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    const message: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '');
    assert.ok(isObject(message));
    const { id, method, result, error } = message;
    if (method === undefined) answers.push(result ?? error);
    if (method === at) {
      say({ id: 'early', method: 'roots/list' });
      // The client has the question by now.
      await settle();
      await settle();
    }
    const serverInfo = { name: 's', version: '1' };
    if (method === 'initialize') say({ id, result: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo } });
    return accepted();
  };
  return { fetch: answered, answers };
}

const roots = [{ uri: 'file:///a' }];

test('a question on the stream before the answer to notifications/initialized is answered', async () => {
  const { fetch, answers } = askingServer('notifications/initialized');
  const client = await connect(ssePairTransport('http://asking.example/sse', { fetch }), { roots });
  await until(() => answers.length > 0);
  assert.deepEqual(answers, [{ roots }]);
  await client.close();
});

test('a question before the answer to initialize is refused at once, so that nobody waits', async () => {
  const { fetch, answers } = askingServer('initialize');
  const client = await connect(ssePairTransport('http://asking.example/sse', { fetch }), { roots });
  await until(() => answers.length > 0);
  assert.partialDeepStrictEqual(answers, [{ code: -32601 }]);
  await client.close();
});
