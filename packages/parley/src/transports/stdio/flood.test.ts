import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { echoServed } from '../../../../../test/support/echo-served.ts';
import { spawn } from './client/transport.ts';
import { serveStdio } from './server/serve.ts';

function serve() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const errors: string[] = [];
  const written = text(output);
  const server = serveStdio(echoServed(), { input, output, onError: (error) => errors.push(error.message) });
  return { input, output, errors, written, server };
}

test('a client that writes other lines without end is left with a clear error', async () => {
  const { input, output, errors, written, server } = serve();
  input.write('y\n'.repeat(20_000));
  await server.closed;
  output.end();
  assert.match(String(errors.at(-1)), /^the client wrote 10000 lines in a row that are no JSON-RPC messages/);
  assert.equal(errors.length, 10_000);
  assert.ok((await written).split('\n').length <= 10_000);
});

test('a flood of a client leaves turns of the event loop to the server', async () => {
  const { input, server } = serve();
  const notifications = '{"jsonrpc":"2.0","method":"notifications/a"}\n'.repeat(500);
  let turns = 0;
  let isOver = false;
  void server.closed.then(() => (isOver = true));
  for (let part = 0; part < 20; part++) input.write(notifications);
  input.end();
  while (!isOver) {
    await setImmediate();
    turns++;
  }
  assert.ok(turns >= 10, `${turns} turns`);
});

test('a child that prints without end is ended with a clear error', async () => {
  const flood = `const { writeSync } = require('node:fs');
const lines = 'y\\n'.repeat(4000);
for (;;) try { writeSync(1, lines); } catch (error) { if (error.code !== 'EAGAIN') throw error; }`;
  let problems = 0;
  let channel: { close(): Promise<void> } | undefined;
  const ended = await new Promise<Error>((resolve, reject) => {
    spawn(process.execPath, ['-e', flood], { killTimeoutMs: 100, stderr: 'ignore' })
      .open({ message: () => undefined, problem: () => void problems++, closed: resolve })
      .then((opened) => (channel = opened), reject);
  });
  assert.match(ended.message, /^the server wrote 10000 lines in a row that are no JSON-RPC messages/);
  assert.equal(problems, 100);
  await channel?.close();
});
