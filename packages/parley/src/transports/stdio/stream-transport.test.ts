import assert from 'node:assert/strict';
import { createConnection, createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { Message } from '../../jsonrpc/message.ts';
import type { Channel } from '../../jsonrpc/transport.ts';
import { OpenChannel } from '../../client/connection/open-channel.ts';
import { until } from '../../../../../test/support/turns.ts';
import { streamTransport, type StreamTransportOptions } from './stream-transport.ts';

const request: Message = { jsonrpc: '2.0', id: 1, method: 'ping' };

interface Opened {
  readonly channel: Channel;
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly heard: unknown[];
  readonly problems: Error[];
  readonly ends: Error[];
}

async function open(options?: StreamTransportOptions): Promise<Opened> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const [heard, problems, ends]: [unknown[], Error[], Error[]] = [[], [], []];
  const channel = await streamTransport({ input, output }, options).open({
    message: (value) => heard.push(value),
    problem: (error) => problems.push(error),
    closed: (error) => ends.push(error),
  });
  return { channel, input, output, heard, problems, ends };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('each message is one line, and each line is one message [C81] [basic-045]', async () => {
  const one = await open();
  await one.channel.send({ ...request, params: { text: 'a\nb' } });
  assert.equal(String(one.output.read()), '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"a\\nb"}}\n');
  for (const chunk of ['{"a":', '1}\r\n\n{"b"', ':2}\n{"c":3}']) one.input.write(chunk);
  one.input.end();
  await turn();
  assert.deepEqual(one.heard, [{ a: 1 }, { b: 2 }, { c: 3 }]);
});

test('a line that is no JSON is a problem, and the next is heard', async () => {
  const one = await open({ maxLineBytes: 20 });
  one.input.write(`nonsense\n${'x'.repeat(30)}\n{"a":1}\n`);
  await turn();
  assert.deepEqual(one.heard, [{ a: 1 }]);
  assert.equal(one.problems.length, 2);
});

// "two or more ordinary calls that wait on one connection when one answer is over the size limit"
const long = 'x'.repeat(2_000);
for (const [where, answer] of [
  ['begins', `{"jsonrpc":"2.0","id":2,"result":{"a":"${long}"}}`],
  ['ends', `{"result":{"id":1,"a":"${long}"},"jsonrpc":"2.0","id":2}`],
] as const) {
  for (const size of [Infinity, 1_000, 7]) {
    test(`of several calls that fails whose answer is too long and ${where} with its id, ${size} at a time`, async () => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      const warnings: string[] = [];
      const channel = await OpenChannel.open(streamTransport({ input, output }, { maxLineBytes: 1_000 }), {
        request: () => {},
        notification: () => {},
        warning: (message) => warnings.push(message),
        closed: () => {},
      });
      const all = [1, 2, 3].map(async () => channel.connection.call('ping', undefined, { tellCancelled: true }).answer);
      for (let at = 0; at < answer.length; at += size) input.write(answer.slice(at, at + size));
      input.write('\n');
      await assert.rejects(all[1] ?? channel.close(), { reason: 'too-large' });
      for (const id of [1, 3]) input.write(`{"jsonrpc":"2.0","id":${id},"result":{}}\n`);
      assert.deepEqual(await Promise.all([all[0], all[2]]), [{}, {}]);
      assert.deepEqual(warnings, []);
      await channel.close();
    });
  }
}

test('an answer with a number that JSON does not have fails its call, and no other', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const channel = await OpenChannel.open(streamTransport({ input, output }), {
    request: () => {},
    notification: () => {},
    warning: () => {},
    closed: () => {},
  });
  const [first, second] = [1, 2].map(
    async () => channel.connection.call('ping', undefined, { tellCancelled: true }).answer,
  );
  input.write('{"jsonrpc": "2.0", "id": 2, "result": {"a": NaN}}\n{"jsonrpc":"2.0","id":1,"result":{}}\n');
  await assert.rejects(second ?? channel.close(), { reason: 'invalid-message' });
  assert.deepEqual(await first, {});
  await channel.close();
});

test('a question of the server that is too long fails no call', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const warnings: string[] = [];
  const channel = await OpenChannel.open(streamTransport({ input, output }, { maxLineBytes: 1_000 }), {
    request: () => {},
    notification: () => {},
    warning: (message) => warnings.push(message),
    closed: () => {},
  });
  const only = channel.connection.call('ping', undefined, { tellCancelled: true }).answer;
  input.write(`{"method":"sampling/createMessage","params":{"a":"${long}"},"jsonrpc":"2.0","id":1}\n`);
  input.write('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  assert.deepEqual(await only, {});
  assert.deepEqual(warnings, [
    'unreadable message from streams: line is longer than 1000 bytes, the limit that maxLineBytes sets',
  ]);
  await channel.close();
});

test('what had not left when the conversation was closed fails with that', async () => {
  // It takes nothing until it is destroyed, as a socket whose peer does not read.
  let refuse = (): void => undefined;
  const output = new Writable({
    write: (_chunk, _encoding, done) => void (refuse = () => done(new Error('destroyed'))),
    destroy: (_error, done) => {
      refuse();
      done(null);
    },
  });
  const channel = await streamTransport({ input: new PassThrough(), output }).open({
    message: () => undefined,
    problem: () => undefined,
    closed: () => undefined,
  });
  const sends = Promise.allSettled([1, 2].map((id) => channel.send({ ...request, id })));
  await turn();
  await channel.close();
  output.destroy();
  for (const sent of await sends) {
    assert.ok(sent.status === 'rejected');
    assert.equal((sent.reason as Error).message, 'the conversation is closed');
  }
});

test('the end of the input is the end of the conversation, told once [C81]', async () => {
  const one = await open();
  one.input.end();
  await turn();
  one.output.destroy(new Error('late'));
  await turn();
  assert.deepEqual(
    one.ends.map(({ message }) => message),
    ['the server closed its output'],
  );
  await assert.rejects(one.channel.send(request), { reason: 'closed' });
});

test('a stream that breaks ends the conversation with its cause', async () => {
  const one = await open();
  const cause = new Error('cut');
  one.output.destroy(cause);
  await turn();
  assert.deepEqual(
    one.ends.map((error) => error.cause),
    [cause],
  );
});

test('closing ends both streams, twice is fine, and nothing is heard after it', async () => {
  const one = await open();
  await one.channel.close();
  await one.channel.close();
  one.input.push('{"a":1}\n');
  await turn();
  assert.deepEqual([one.output.writableEnded, one.input.destroyed, one.heard, one.ends], [true, true, [], []]);
  await assert.rejects(one.channel.send(request), { reason: 'closed' });
});

test('what was sent before closing is written', async () => {
  const { channel, output } = await open();
  const sent = channel.send(request);
  await channel.close();
  await sent;
  assert.equal(await text(output), '{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
});

test('streams hold one conversation', async () => {
  const transport = streamTransport({ input: new PassThrough(), output: new PassThrough() });
  const receiver = { message() {}, problem() {}, closed() {} };
  await transport.open(receiver);
  await assert.rejects(transport.open(receiver), { reason: 'refused' });
});

test('a server that does not read makes sending fail at the limit', async () => {
  const one = await open({ maxPendingBytes: 10 });
  one.channel.send(request).catch(() => undefined);
  for (let i = 0; i < 2000 && one.output.writableLength <= 10; i++) one.channel.send(request).catch(() => undefined);
  await assert.rejects(one.channel.send(request), { reason: 'too-large' });
});

/** Listens on a free port and gives a socket to it. */
async function connectedTo(t: TestContext, serve: (socket: Socket) => void): Promise<Socket> {
  const listener = createSocketServer(serve);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  t.after(() => listener.close());
  // What listens on a port has the address of one.
  return createConnection((listener.address() as AddressInfo).port, '127.0.0.1');
}

test('a socket is both streams', async (t) => {
  const socket = await connectedTo(t, (server) => server.pipe(server));
  const heard: unknown[] = [];
  const arrived = new Promise<void>((resolve) => {
    void streamTransport({ input: socket, output: socket })
      .open({ message: (value) => (heard.push(value), resolve()), problem() {}, closed() {} })
      .then((channel) => channel.send(request));
  });
  await arrived;
  assert.deepEqual(heard, [request]);
  socket.destroy();
});

test('a flood of messages leaves turns of the event loop to others', async () => {
  const line = '{"jsonrpc":"2.0","method":"notifications/a"}\n';
  const chunks = Array.from({ length: 50 }, () => Buffer.from(line.repeat(1_000)));
  const input = Readable.from(chunks);
  let heard = 0;
  const ended = new Promise<void>((resolve) => {
    void streamTransport({ input, output: new PassThrough() }).open({
      message: () => heard++,
      problem: () => undefined,
      closed: () => resolve(),
    });
  });
  let turns = 0;
  const count = (): void => void (turns++, heard < 50_000 && setImmediate(count));
  setImmediate(count);
  await ended;
  assert.equal(heard, 50_000);
  assert.ok(turns >= 25, `${turns} turns`);
});

for (const junk of ['y\n', '1\n', '{}\n', '\xff\n'])
  test(`a server that writes ${JSON.stringify(junk)} without end is ended with a clear error`, async () => {
    const one = await open();
    one.input.write(Buffer.from(junk.repeat(20_000), 'latin1'));
    await turn();
    assert.equal(one.ends.length, 1);
    assert.match(String(one.ends[0]), /the server wrote 10000 lines in a row that are no JSON-RPC messages/);
    assert.ok(one.problems.length + one.heard.length <= 100);
    assert.ok(one.input.destroyed);
  });

test('messages between other lines keep a server that prints a lot', async () => {
  const one = await open();
  for (let part = 0; part < 3; part++) one.input.write(`${'y\n'.repeat(9_000)}{"id":${part},"result":{}}\n`);
  await until(() => one.heard.length === 3);
  assert.deepEqual(one.ends, []);
});
