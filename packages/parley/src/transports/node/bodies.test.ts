/** How much of request bodies is held at once, on every entry. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { call } from '../../../../../test/support/stateless-call.ts';
import { fakeEndpoint } from '../../../../../test/support/fake-endpoint.ts';
import { entries, type Wire } from '../../../../../test/support/http-entries.ts';
import { listen } from './server/http.ts';

function large(method: string, id: number, chunked: boolean = false): Wire {
  return { ...call({ method, id, params: { text: 'a'.repeat(800) } }), chunked };
}

for (const [name, open] of Object.entries(entries)) {
  // A `Request` does not say who sent it; elsewhere the one address may take half.
  const [maxBodyBytesAtOnce, status] = name.startsWith('create') ? [1500, 503] : [2600, 429];
  describe(name, () => {
    for (const chunked of [false, true]) {
      test(`admission counts bodies too${chunked ? ', without a length as well' : ''}`, async () => {
        const fake = fakeEndpoint();
        const entrance = await open(fake, { maxBodyBytesAtOnce });
        const first = entrance.send(large('slow', 1, chunked));
        while (fake.conversations[0]?.waiting.length !== 1) await new Promise((resolve) => setImmediate(resolve));
        const refused = await entrance.send(large('echo', 2, chunked));
        assert.deepEqual([refused.status, refused.headers['retry-after']], [status, '1'], refused.text);
        assert.match(refused.text, /"data":\{"retryAfterMs":1000\}/);
        // What is small still fits.
        assert.equal((await entrance.send(call({ method: 'echo', id: 3 }))).status, 200);
        fake.conversations[0]?.release(1);
        assert.equal((await first).status, 200);
        assert.equal((await entrance.send(large('echo', 4, chunked))).status, 200);
        await entrance.close();
      });
    }

    test('one body alone is always taken, and refused ones leave nothing behind', async () => {
      const entrance = await open(fakeEndpoint(), { maxBodyBytesAtOnce: 10 });
      for (let id = 1; id < 5; id++) {
        assert.equal((await entrance.send(large('echo', id))).status, 200);
        assert.equal((await entrance.send({ ...large('echo', id), headers: {} })).status, 400);
      }
      await entrance.close();
    });
  });
}

test('what arrived of a body counts before the rest is there', async (t) => {
  const { port, close } = await listen(fakeEndpoint(), { port: 0, drainTimeoutMs: 100, maxBodyBytesAtOnce: 1500 });
  t.after(() => close());
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  const entrance = async (): Promise<number> => {
    const { headers, body } = large('echo', 1);
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
      body: String(body),
    });
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await entrance(), 200);
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n${'a'.repeat(1000)}`,
  );
  // It takes a moment to arrive.
  while ((await entrance()) !== 503) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  while ((await entrance()) !== 200) await new Promise((resolve) => setImmediate(resolve));
});
