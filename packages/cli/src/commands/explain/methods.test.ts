import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '../../../../parley/src/server.ts';
import { memoryTransport } from '../../../../parley/src/testing/memory-transport.ts';
import { renderExplanation } from './render.ts';
import { explainServer } from './server.ts';

test('the methods of its own that a server names are listed, with the extension of each', async () => {
  const server = createServer({ name: 's', version: '1' }, { extensions: { 'com.example/search': {} } });
  server.method('com.example/echo', {}, (params) => params);
  server.method('com.example/find', { extension: 'com.example/search' }, () => ({ hits: [] }));
  const signal = new AbortController().signal;
  const found = await explainServer({
    reach: () => memoryTransport(server),
    timeoutMs: undefined,
    wire: false,
    signal,
  });
  assert.deepEqual(found.offer?.methods, [
    { name: 'com.example/echo' },
    { name: 'com.example/find', extension: 'com.example/search' },
  ]);
  const text = renderExplanation(found, 110);
  assert.match(
    text,
    /methods \(2\)[^]*com\.example\/echo[^]*com\.example\/find +of the extension com\.example\/search/,
  );
});
