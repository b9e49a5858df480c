import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { connect } from '../client.ts';
import { createServer } from '../server/server.ts';
import { serveStdio, streamTransport } from '../stdio.ts';

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`streams that break are lost for good at ${revision}, and whoever counts on them is told`, async () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool('t', {}, () => 'x');
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(server, { input: output, output: input, guardStdout: false });
    const ends: string[] = [];
    const client = await connect(streamTransport({ input, output }), {
      revisions: [revision],
      onClose: ({ message }) => void ends.push(message),
    });
    const subscription = await client.subscribe({ tools: true }, () => undefined);
    input.end();
    const broken = 'the server closed its output';
    await assert.rejects(client.callTool('t'), { reason: 'closed', message: broken });
    await assert.rejects(client.callTool('t'), { reason: 'closed', message: broken });
    assert.equal((await client.closed)?.message, broken);
    assert.equal((await subscription.closed).error?.message, broken);
    assert.deepEqual(ends, [broken]);
    await client.close();
    await served.close();
  });
}
