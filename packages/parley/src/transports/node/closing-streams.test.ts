import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { connect } from '../../client.ts';
import { createServer } from '../../server/server.ts';
import { listen } from './server/http.ts';

test('a tool that calls closeStream twelve times is answered all the same', async (t) => {
  const server = createServer({ name: 'polled', version: '1' });
  let closed = 0;
  server.tool('long', {}, async (_input, ctx) => {
    for (; closed < 12; closed++) {
      ctx.closeStream(1);
      // Longer than the client waits before it comes back, so that each stream is one of its own.
      await pause(130);
    }
    return 'done';
  });
  const listening = await listen(server, { port: 0, drainTimeoutMs: 10 });
  t.after(() => listening.close());
  const client = await connect(listening.url, { revisions: ['2025-11-25'] });
  t.after(() => client.close());
  const { content } = await client.callTool('long');
  assert.deepEqual([closed, content], [12, [{ type: 'text', text: 'done' }]]);
});
