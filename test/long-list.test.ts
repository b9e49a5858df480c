import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHandler } from '../packages/parley/src/transports/http/server/fetch.ts';
import { listen } from '../packages/parley/src/transports/node/server/http.ts';
import { createServer } from '../packages/parley/src/server/server.ts';
import { dates, open } from './support/raw.ts';

const server = createServer({ name: 'long', version: '1' });
for (let at = 0; at < 200; at++) server.tool(`t${at}`, { description: 'für alle — 日本' }, () => 'x');
const listening = await listen(server, { port: 0 });
const handle = createHandler(server);
after(async () => {
  await listening.close();
  await handle.close();
});

const entries = {
  listen: (init: RequestInit) => fetch(listening.url, init),
  createHandler: (init: RequestInit) => handle(new Request('http://localhost/mcp', init)),
};

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

for (const [name, send] of Object.entries(entries)) {
  test(`a long list arrives whole over ${name}, again and again, and as a stream`, async () => {
    const raw = await open(server, '2026-07-28');
    const expected = await raw.result('tools/list');
    for (const accept of ['application/json, text/event-stream', 'application/json', 'text/event-stream']) {
      for (const id of ['one', 2]) {
        const response = await send({
          method: 'POST',
          headers: {
            accept,
            'content-type': 'application/json',
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/list',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: meta } }),
        });
        const text = await response.text();
        const json = accept === 'text/event-stream' ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text;
        assert.deepEqual(JSON.parse(json), { jsonrpc: '2.0', id, result: expected });
        const length = response.headers.get('content-length');
        if (length !== null) assert.equal(Number(length), Buffer.byteLength(text));
      }
    }
  });
}

test('every revision has a long list of its own', async () => {
  const texts = new Set<string>();
  for (const date of dates) {
    for (let time = 0; time < 2; time++) {
      const raw = await open(server, date);
      const result = await raw.result('tools/list');
      assert.equal((result['tools'] as readonly unknown[]).length, 200);
      assert.equal('resultType' in result, date === '2026-07-28');
      if (time === 0) texts.add(JSON.stringify(result));
    }
  }
  assert.ok(texts.size >= 2);
});
