import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connect } from '../../../client.ts';
import { metaKey } from '../../../protocol/meta-key.ts';
import { revisionOf } from '../../../protocol/revision.ts';
import { createServer } from '../../../server/server.ts';
import { echoServed, type EchoServed } from '../../../../../../test/support/echo-served.ts';
import { streamTransport } from '../stream-transport.ts';
import { guardStdout } from './guard.ts';
import { noticeLingering } from './lingering.ts';
import { serveStdio, type StdioServer, type StdioServerOptions } from './serve.ts';

interface Serving {
  readonly input: PassThrough;
  readonly errors: string[];
  readonly server: StdioServer;
  /** Everything that was written, as parsed lines, once the conversation is over. */
  lines(): Promise<unknown[]>;
}

function serve(served: EchoServed, options: StdioServerOptions = {}): Serving {
  const input = new PassThrough();
  const output = new PassThrough();
  const errors: string[] = [];
  const server = serveStdio(served, { input, output, onError: (error) => errors.push(error.message), ...options });
  const written = text(output);
  return {
    input,
    errors,
    server,
    async lines() {
      input.end();
      await server.closed;
      output.end();
      const lines = (await written).split('\n');
      assert.equal(lines.pop(), '', 'the last line must be ended');
      return lines.map((line) => JSON.parse(line));
    },
  };
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const pong = { jsonrpc: '2.0', id: 1, result: {} };

function echo(id: number, params: Record<string, unknown> = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'echo', params });
}

test('each response is one line, whatever its text holds [stdio-002]', async () => {
  const { input, lines } = serve(echoServed());
  input.write(`${echo(1, { text: 'a\nb\r\n\u2028' })}\n`);
  assert.deepEqual(await lines(), [{ jsonrpc: '2.0', id: 1, result: { text: 'a\nb\r\n\u2028' } }]);
});

test('responses come in the order in which they are ready', async () => {
  const served = echoServed();
  const { input, lines } = serve(served);
  input.write(`{"jsonrpc":"2.0","id":1,"method":"wait"}\n${echo(2)}\n`);
  await setImmediate();
  served.conversations[0]?.release();
  assert.partialDeepStrictEqual(await lines(), [{ id: 2 }, { id: 1 }]);
});

for (const [what, line, code] of [
  ['malformed JSON', '{"jsonrpc":', -32700],
  ['an array', `[${ping}]`, -32600],
  ['a number', '7', -32600],
  ['what nests too deep', '['.repeat(200) + ']'.repeat(200), -32700],
  ['an over-long line', `"${'x'.repeat(2_000)}"`, -32600],
] as const) {
  test(`${what} is answered with ${code}, and the conversation lives on`, async () => {
    const { input, lines } = serve(echoServed(), { maxLineBytes: 1_000 });
    input.write(`${line}\n${ping}\n`);
    const answers = await lines();
    assert.partialDeepStrictEqual(
      answers.find((answer) => answer !== null && typeof answer === 'object' && 'error' in answer),
      { id: null, error: { code } },
    );
    assert.deepEqual(
      answers.find((answer) => answer !== null && typeof answer === 'object' && 'result' in answer),
      pong,
    );
    assert.equal(answers.length, 2);
  });
}

// Two calls of one connection may wait: who gets an error without an id cannot tell which of them it is about.
for (const [where, line] of [
  ['first', `{"jsonrpc":"2.0","id":7,"method":"echo","params":{"a":"${'x'.repeat(2_000)}"}}`],
  ['last', `{"method":"echo","params":{"a":"${'x'.repeat(2_000)}"},"jsonrpc":"2.0","id":7}`],
] as const) {
  test(`a request that is too long is refused under its id, which comes ${where}`, async () => {
    const { input, lines } = serve(echoServed(), { maxLineBytes: 1_000 });
    for (const part of [line.slice(0, 900), line.slice(900, -3), line.slice(-3), '\n']) input.write(part);
    assert.partialDeepStrictEqual(await lines(), [{ id: 7, error: { code: -32600 } }]);
  });
}

test('a question of a handler whose answer is too long fails at once', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.tool('ask', {}, async (_, ctx) => {
    const { action } = await ctx.elicit({
      message: 'Who?',
      schema: { type: 'object', properties: { a: { type: 'string' } } },
    });
    return action;
  });
  const [near, far] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { input: near, output: far, maxLineBytes: 1_000 });
  const client = await connect(streamTransport({ input: far, output: near }), {
    revisions: ['2025-11-25'],
    onElicit: () => ({ action: 'accept', content: { a: 'x'.repeat(2_000) } }),
  });
  await assert.rejects(
    client.callTool('ask', {}),
    /answer of the client cannot be read: line is longer than 1000 bytes, the limit that maxLineBytes sets/,
  );
  await client.close();
  await serving.closed;
});

test('an answer that nests too deep fails the question that waits for it', async () => {
  const served = echoServed();
  const { input, lines, errors } = serve(served);
  input.write(`{"jsonrpc":"2.0","id":7,"result":${'['.repeat(200)}${']'.repeat(200)}}\n${ping}\n`);
  assert.deepEqual(await lines(), [pong]);
  assert.equal(errors.length, 1);
});

test('an input that fails ends the conversation at once, though a request runs', async () => {
  const served = echoServed();
  const { input, server, errors } = serve(served, { drainTimeoutMs: Infinity });
  input.write('{"jsonrpc":"2.0","id":1,"method":"wait"}\n');
  await setImmediate();
  input.destroy(new Error('read EIO'));
  await server.closed;
  assert.deepEqual([errors, served.conversations[0]?.closed], [['read EIO'], true]);
});

test('an input that closes without an end ends the conversation', async () => {
  const { input, server } = serve(echoServed());
  input.destroy();
  await server.closed;
});

test('a conversation that is over reads and writes nothing more, and leaves no listener', async () => {
  const served = echoServed();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const errors: Error[] = [];
  const server = serveStdio(served, { input, output, onError: (error) => errors.push(error) });
  await server.close();
  input.write(`${ping}\n`);
  served.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/x' });
  await setImmediate();
  // A pipe that breaks late is no error that ends the process.
  output.emit('error', new Error('write EPIPE'));
  assert.deepEqual([output.read(), input.isPaused(), errors], [null, true, []]);
  for (const event of ['data', 'end', 'error']) assert.ok(input.listenerCount(event) <= 1, event);
});

test('a client whose output stalls gets notifications up to the limit, and the conversation ends at twice that', async () => {
  const served = echoServed();
  const output = new Writable({ highWaterMark: 1, write: () => {} });
  const { errors, server } = serve(served, { output, maxPendingBytes: 1_000 });
  const [conversation] = served.conversations;
  const note = { jsonrpc: '2.0', method: 'n', params: {} } as const;
  const answer = (length: number): void =>
    conversation?.link.send({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(length) } });
  const pending = (): number => output.writableLength;
  answer(1_000 - JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: '' } }).length - 1);
  assert.equal(pending(), 1_000);
  conversation?.link.send(note);
  assert.ok(pending() > 1_000);
  const before = pending();
  conversation?.link.send(note);
  assert.deepEqual([pending(), errors], [before, ['n is dropped: the client does not read']]);
  answer(2_000 - before - JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: '' } }).length - 1);
  assert.deepEqual([pending(), conversation?.closed], [2_000, false]);
  answer(0);
  assert.equal(conversation?.closed, false);
  answer(0);
  await server.closed;
  assert.equal(conversation?.closed, true);
});

test('what a process prints is written to stderr while stdout is served', (t) => {
  const printed: unknown[] = [];
  t.mock.method(process.stderr, 'write', (chunk: unknown) => (printed.push(chunk), true));
  const { write } = process.stdout;
  const [first, second] = [guardStdout(), guardStdout()];
  process.stdout.write('guarded');
  // What was put in its place by others stays.
  first();
  process.stdout.write('still');
  second();
  first();
  assert.deepEqual(printed, ['guarded', 'still']);
  process.stdout.write = write;
});

test('a process that outlives its client is told so 10 s after the end of input', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const printed: string[] = [];
  t.mock.method(process.stderr, 'write', (chunk: string) => (printed.push(chunk), true));
  noticeLingering();
  t.mock.timers.tick(9_999);
  assert.deepEqual(printed, []);
  t.mock.timers.tick(1);
  assert.match(printed.join(), /^parley: standard input ended 10 s ago, .*\{ exit: true \}/);
});

test('a process that is to exit does so half a second after the conversation', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const exits: unknown[] = [];
  t.mock.method(process, 'exit', (code: unknown) => void exits.push(code));
  const { input, server } = serve(echoServed(), { exit: true });
  input.end();
  await server.closed;
  await setImmediate();
  t.mock.timers.tick(499);
  assert.deepEqual(exits, []);
  t.mock.timers.tick(1);
  assert.deepEqual(exits, [undefined]);
});

test('an output serves one client at a time, and another when that is over', async () => {
  const output = new PassThrough();
  const first = serveStdio(echoServed(), { input: new PassThrough(), output });
  const again = (): StdioServer => serveStdio(echoServed(), { input: new PassThrough(), output });
  assert.throws(again, /TypeError: this output serves a client already/);
  await first.close();
  await again().close();
});

test('invalid UTF-8 is answered with -32700 and never reaches a handler [basic-002]', async () => {
  const { input, lines, errors } = serve(echoServed());
  input.write(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":"\xff"}}\n', 'latin1'));
  assert.partialDeepStrictEqual(await lines(), [{ error: { code: -32700 } }]);
  assert.deepEqual(errors, ['line is not valid UTF-8']);
});

test('a batch is answered by one line where the revision has batches [basic-019]', async () => {
  const { input, lines } = serve(echoServed(revisionOf('2025-03-26')));
  input.write(`[${ping},{"jsonrpc":"2.0","method":"notifications/x"},${echo(2)}]\n`);
  assert.deepEqual(await lines(), [[pong, { jsonrpc: '2.0', id: 2, result: {} }]]);
});

test('running requests are answered after the end of input, and the last answer ends the conversation', async () => {
  const served = echoServed();
  const { input, lines } = serve(served, { drainTimeoutMs: Infinity });
  input.end('{"jsonrpc":"2.0","id":1,"method":"wait"}\n');
  await once(input, 'end');
  await setImmediate();
  served.conversations[0]?.release();
  assert.deepEqual(await lines(), [pong]);
  assert.equal(served.conversations[0]?.closed, true);
});

test('what is still running at the drain deadline is aborted', async () => {
  const served = echoServed();
  const { input, lines } = serve(served, { drainTimeoutMs: 1 });
  input.write('{"jsonrpc":"2.0","id":1,"method":"wait"}\n');
  // The timer does not keep the process alive; a server's work would.
  const alive = setInterval(() => {}, 1_000);
  assert.deepEqual(await lines(), []);
  clearInterval(alive);
  assert.equal(served.conversations[0]?.closed, true);
});

test('closing ends the wait for running requests after the end of input', async () => {
  const served = echoServed();
  const { input, server } = serve(served, { drainTimeoutMs: Infinity });
  input.end('{"jsonrpc":"2.0","id":1,"method":"wait"}\n');
  await once(input, 'end');
  await server.close();
  assert.equal(served.conversations[0]?.closed, true);
});

test('an output that fails ends the wait for running requests after the end of input', async () => {
  const served = echoServed();
  const output = new PassThrough();
  const { input, server, errors } = serve(served, { output, drainTimeoutMs: Infinity });
  input.end('{"jsonrpc":"2.0","id":1,"method":"wait"}\n');
  await once(input, 'end');
  output.destroy(new Error('write EPIPE'));
  await server.closed;
  assert.equal(served.conversations[0]?.closed, true);
  assert.deepEqual(errors, ['write EPIPE']);
});

test('the end of input is not waited out by an open listen stream', async () => {
  const input = new PassThrough();
  const { closed } = serveStdio(
    createServer({ name: 'host', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } }),
    {
      input,
      output: new PassThrough(),
      drainTimeoutMs: Infinity,
      guardStdout: false,
    },
  );
  const _meta = {
    [metaKey.protocolVersion]: '2026-07-28',
    [metaKey.clientInfo]: { name: 'client', version: '1.0.0' },
    [metaKey.clientCapabilities]: {},
  };
  const params = { notifications: { toolsListChanged: true }, _meta };
  input.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })}\n`);
  await closed;
});

test('closing ends the conversation at once, and closing twice is fine', async () => {
  const served = echoServed();
  const { input, server } = serve(served);
  input.write('{"jsonrpc":"2.0","id":1,"method":"wait"}\n');
  await setImmediate();
  await Promise.all([server.close(), server.close(), server.closed]);
  assert.equal(served.conversations[0]?.closed, true);
});

test('a client that went away ends the conversation and not the process', async () => {
  const served = echoServed();
  const output = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const { input, server, errors } = serve(served, { output });
  input.write(`${ping}\n`);
  await server.closed;
  assert.equal(served.conversations[0]?.closed, true);
  assert.deepEqual(errors, ['write EPIPE']);
});

test('a client that does not read stops the input, then loses notifications, then the conversation', async () => {
  const served = echoServed();
  const output = new Writable({ highWaterMark: 100, write: () => {} });
  const { input, errors, server } = serve(served, { output, maxPendingBytes: 10_000 });
  input.write(`${echo(1, { text: 'x'.repeat(2_000) })}\n`);
  await setImmediate();
  assert.equal(input.isPaused(), true);
  const [conversation] = served.conversations;
  for (let count = 0; count < 100; count++) {
    conversation?.link.send({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(1_000) } });
  }
  assert.ok(output.writableLength < 13_000, `${output.writableLength} bytes wait`);
  assert.match(errors[0] ?? '', /notifications\/x is dropped/);
  for (let id = 0; id < 30; id++) conversation?.link.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(1_000) } });
  assert.ok(output.writableLength < 23_000, `${output.writableLength} bytes wait`);
  assert.equal(conversation?.closed, true);
  await server.closed;
});

test('what a handler sends goes out before it lets go, after the answers that are ready', async () => {
  const served = echoServed();
  const writes: string[] = [];
  const output = new Writable({
    write: (chunk, _encoding, taken) => {
      writes.push(String(chunk));
      taken();
    },
  });
  const { input } = serve(served, { output });
  input.write(`${ping}\n${echo(2)}\n`);
  await setImmediate();
  assert.equal(writes.length, 1, 'answers of one turn go in one write');
  served.conversations[0]?.link.send({ jsonrpc: '2.0', method: 'notifications/x' });
  assert.match(writes[1] ?? '', /notifications\/x/);
});

test('input goes on once a slow client has read', async () => {
  const done: (() => void)[] = [];
  const output = new Writable({ highWaterMark: 100, write: (_chunk, _encoding, taken) => done.push(taken) });
  const { input } = serve(echoServed(), { output, maxPendingBytes: 1_600 });
  input.write(`${echo(1, { text: 'x'.repeat(2_000) })}\n`);
  await setImmediate();
  assert.equal(input.isPaused(), true);
  done.shift()?.();
  await setImmediate();
  assert.equal(input.isPaused(), false);
});
