import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEndpoint } from './fake-endpoint.test.ts';
import { settle } from './fake-http.test.ts';
import { createHandler } from './fetch.ts';

function call(method: string, signal?: AbortSignal): Request {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }),
    ...(signal === undefined ? {} : { signal }),
  });
}

test('a request gets a whole response', async () => {
  const response = await createHandler(fakeEndpoint())(call('echo'));
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.equal(((await response.json()) as { id: number }).id, 1);
});

test('a stream is a readable stream that ends after the response', async () => {
  const response = await createHandler(fakeEndpoint())(call('notify'));
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.equal((await response.text()).split('\n\n').length, 3);
});

test('cancelling the stream cancels the request', async () => {
  const fake = fakeEndpoint();
  const response = await createHandler(fake)(call('subscriptions/listen'));
  await response.body?.cancel();
  await settle();
  assert.equal(fake.conversations[0]?.closed, true);
});

test('aborting the request cancels it', async () => {
  const fake = fakeEndpoint();
  const controller = new AbortController();
  const answer = createHandler(fake)(call('slow', controller.signal));
  while (fake.conversations.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await answer;
  assert.equal(fake.conversations[0]?.closed, true);
});

test('a reader that takes nothing is cut off at the limit', async () => {
  const fake = fakeEndpoint();
  const response = await createHandler(fake, { maxStreamBuffer: 1000 })(call('subscriptions/listen'));
  for (let sent = 0; sent < 100; sent++)
    fake.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, 1);
  assert.equal(fake.conversations[0]?.closed, true);
  await assert.rejects(response.text());
});

test('the host of the URL counts where there is no Host header', async () => {
  const handler = createHandler(fakeEndpoint());
  const request = call('echo');
  assert.equal((await handler(new Request('http://evil.example/mcp', request))).status, 403);
});
