import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../../../../../../test/support/stateless-call.ts';
import { createServer } from '../../../server/server.ts';
import { createHandler } from './fetch.ts';

const ask = call({ method: 'tools/list' });

/** A request that says how long it is, as those of the network do. */
function requestOf(body: BodyInit, headers: Record<string, string> = {}): Request {
  // Streams need it; the types of the web do not know it.
  const duplex = { duplex: 'half' };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...ask.headers,
      'content-length': String(String(ask.body).length),
      ...headers,
    },
    body,
    ...duplex,
  });
}

function stream(...pieces: readonly (string | Error)[]): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull: (controller) => {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else if (piece instanceof Error) controller.error(piece);
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
}

const server = createServer({ name: 's', version: '1' });
server.tool('t', { description: 'd' }, () => 'x');
const handler = createHandler(server);

test('a small body is taken without a stream, which adapters would build for it and keep', async () => {
  const request = requestOf(String(ask.body));
  Object.defineProperty(request, 'body', { get: () => assert.fail('a stream was asked for') });
  assert.equal((await handler(request)).status, 200);
});

test('a body that something in front decoded is measured as it comes, whatever its header says', async () => {
  const bomb = stream(...Array.from({ length: 40 }, () => ' '.repeat(1000)));
  const small = createHandler(server, { maxBodyBytes: 20_000 });
  const response = await small(requestOf(bomb, { 'content-length': '10', 'content-encoding': 'gzip' }));
  assert.equal(response.status, 413);
});

test('a small body that is longer than its header says is measured all the same', async () => {
  const small = createHandler(server, { maxBodyBytes: 20_000 });
  assert.equal((await small(requestOf(' '.repeat(30_000), { 'content-length': '10' }))).status, 413);
});

test('the owner hears once which option lets a larger body in, and the client of its size alone', async () => {
  const warnings: string[] = [];
  const small = createHandler(server, { maxBodyBytes: 20_000, onWarning: (message) => warnings.push(message) });
  const large = ' '.repeat(30_000);
  for (const length of [30_000, 10]) {
    const response = await small(requestOf(large, { 'content-length': String(length) }));
    assert.equal(response.status, 413);
    const { error } = (await response.json()) as { error: { message: string } };
    assert.equal(error.message, 'the body is larger than 20000 bytes');
  }
  assert.deepEqual(warnings, [
    'a body of more than 20000 bytes was refused with 413; if such are meant to come, serve with a larger maxBodyBytes',
  ]);
});

for (const [what, headers] of [
  ['small', {}],
  ['large', { 'content-length': '100000' }],
] as const) {
  test(`a ${what} body that breaks off leaves nothing waiting`, async () => {
    const response = await handler(requestOf(stream('{"jsonrpc"', new Error('reset')), headers));
    assert.equal(response.status, 499);
  });

  test(`a ${what} body that something in front has read is told to the owner`, async () => {
    const errors: Error[] = [];
    const request = requestOf(String(ask.body), headers);
    await request.text();
    const response = await createHandler(server, { onError: (error) => errors.push(error) })(request);
    assert.equal(response.status, 500);
    assert.match(String(errors), /the body was read before it reached the MCP handler/);
  });

  test(`a ${what} body that does not arrive in time is answered with 408`, async () => {
    const silent = new ReadableStream<Uint8Array>();
    assert.equal((await createHandler(server, { bodyTimeoutMs: 20 })(requestOf(silent, headers))).status, 408);
  });
}
