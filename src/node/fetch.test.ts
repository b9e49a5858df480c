import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { brotliCompressSync, createGzip, constants, gzipSync } from 'node:zlib';
import { answerJson, listen, open, request, response } from '../../test/support/http-answers.ts';
import type { FetchRequest, FetchResponse } from '../http/client-fetch.ts';
import { nodeFetch } from './fetch.ts';

const post: FetchRequest = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}',
  redirect: 'manual',
  signal: new AbortController().signal,
};
const get: FetchRequest = { method: 'GET', headers: {}, redirect: 'manual', signal: post.signal };

async function textOf({ body }: FetchResponse): Promise<string> {
  const reader = body?.getReader();
  let text = '';
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    text += Buffer.from(next.value ?? []).toString('latin1');
  return text;
}

/** A server that is a socket: `answer` is told how many requests came on the connection, and on all. */
async function rawServer(
  t: TestContext,
  answer: (socket: Socket, onThis: number, onAll: number) => void,
): Promise<{ readonly url: string; readonly requests: () => number }> {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let onThis = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => answer(socket, ++onThis, ++requests));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server that listens on a port has the address of one.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests };
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

test('requests one after the other share a connection, also after bodies that nobody read', async (t) => {
  const ports = new Set<unknown>();
  const url = await listen(t, ({ socket }, outgoing) => {
    ports.add(socket.remotePort);
    answerJson(outgoing, {}, 202);
  });
  const fetch = nodeFetch();
  for (let at = 0; at < 3; at++) {
    await fetch(url, post);
    // The connection is free a moment after the body is over.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(ports.size, 1);
});

test('no more connections are made than are allowed, and the rest waits', async (t) => {
  const ports = new Set<unknown>();
  const url = await listen(t, ({ socket }, outgoing) => {
    ports.add(socket.remotePort);
    answerJson(outgoing, {});
  });
  const fetch = nodeFetch({ maxConnections: 2 });
  const answers = await Promise.all(Array.from({ length: 6 }, async () => await textOf(await fetch(url, post))));
  assert.deepEqual(
    answers,
    Array.from({ length: 6 }, () => '{}'),
  );
  assert.equal(ports.size, 2);
});

test('close ends the connections that are idle, and the next request makes a new one', async (t) => {
  const ports = new Set<unknown>();
  const url = await listen(t, ({ socket }, outgoing) => {
    ports.add(socket.remotePort);
    answerJson(outgoing, {});
  });
  const fetch = nodeFetch();
  for (let at = 0; at < 2; at++) {
    await textOf(await fetch(url, post));
    await new Promise((resolve) => setTimeout(resolve, 20));
    fetch.close();
  }
  assert.equal(ports.size, 2);
});

test('a POST that a kept connection broke under is not sent twice, since it may have arrived', async (t) => {
  const { url, requests } = await rawServer(t, (socket, onThis) => {
    if (onThis === 1) socket.write(ok);
    else socket.resetAndDestroy();
  });
  const fetch = nodeFetch();
  assert.equal(await textOf(await fetch(url, post)), 'ok');
  await new Promise((resolve) => setTimeout(resolve, 20));
  await assert.rejects(fetch(url, post), { code: 'ECONNRESET' });
  assert.equal(requests(), 2);
});

test('a GET that a kept connection broke under is sent again on a new one', async (t) => {
  const { url, requests } = await rawServer(t, (socket, onThis, onAll) => {
    if (onThis === 1) socket.write(ok);
    else if (onAll === 2) socket.resetAndDestroy();
  });
  const fetch = nodeFetch();
  await textOf(await fetch(url, get));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await textOf(await fetch(url, get)), 'ok');
  assert.equal(requests(), 3);
});

test('a new connection that breaks is not tried again', async (t) => {
  const { url, requests } = await rawServer(t, (socket) => void socket.resetAndDestroy());
  await assert.rejects(nodeFetch()(url, get), { code: 'ECONNRESET' });
  assert.equal(requests(), 1);
});

test('a connection that the server closed meanwhile is not used again', async (t) => {
  let closed: () => void = () => {};
  const end = new Promise<void>((resolve) => (closed = resolve));
  const { url } = await rawServer(t, (socket) => {
    socket.once('close', closed);
    socket.write(ok, () => setTimeout(() => socket.end(), 5));
  });
  const fetch = nodeFetch();
  await textOf(await fetch(url, post));
  await end;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await textOf(await fetch(url, post)), 'ok');
});

test('an aborted signal sends nothing', async (t) => {
  let count = 0;
  const url = await listen(t, (_incoming, outgoing) => {
    count++;
    answerJson(outgoing, {});
  });
  await assert.rejects(nodeFetch()(url, { ...post, signal: AbortSignal.abort(new Error('mine')) }), /mine/);
  assert.equal(count, 0);
});

for (const stage of ['waits for a connection', 'waits for the head', 'waits for the body'] as const) {
  test(`a signal gives up a request that ${stage}`, async (t) => {
    const controller = new AbortController();
    const url = await listen(t, (_incoming, outgoing) => {
      if (stage === 'waits for the body') outgoing.writeHead(200).write('x');
      else controller.abort(new Error('mine'));
    });
    const fetch = nodeFetch({ maxConnections: 1 });
    const blocker = new AbortController();
    if (stage === 'waits for a connection') {
      const held = await listen(t, () => {});
      const first = fetch(held, { ...post, signal: blocker.signal });
      const second = fetch(held, { ...post, signal: controller.signal });
      controller.abort(new Error('mine'));
      await assert.rejects(second, /mine/);
      blocker.abort();
      await assert.rejects(first, { name: 'AbortError' });
      return;
    }
    const answer = fetch(url, { ...post, signal: controller.signal });
    if (stage === 'waits for the head') return await assert.rejects(answer, /mine/);
    const reader = (await answer).body?.getReader();
    assert.equal((await reader?.read())?.value?.length, 1);
    const next = reader?.read();
    controller.abort(new Error('mine'));
    await assert.rejects(Promise.resolve(next), /mine/);
  });
}

test('whoever cancels a body lets go of the connection', async (t) => {
  let closed: () => void = () => {};
  const end = new Promise<void>((resolve) => (closed = resolve));
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.once('close', closed);
    outgoing.writeHead(200).write('x');
  });
  const { body } = await nodeFetch()(url, get);
  await body?.getReader().cancel();
  await end;
});

test('a body that breaks off is an error, not an end', async (t) => {
  const { url } = await rawServer(t, (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'));
  const answer = await nodeFetch()(url, get);
  await assert.rejects(textOf(answer), { code: 'ECONNRESET' });
});

test('what nobody reads is not taken in without end', async (t) => {
  let written = 0;
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200);
    while (outgoing.write('x'.repeat(65_536)) || written < 4_000_000) written += 65_536;
    outgoing.end();
  });
  const answer = await nodeFetch()(url, get);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok((await textOf(answer)).length >= 4_000_000);
});

for (const [coding, bytes] of [
  ['gzip', gzipSync('hello')],
  ['br', brotliCompressSync('hello')],
  ['gzip, br', brotliCompressSync(gzipSync('hello'))],
] as const) {
  test(`a body that is coded with ${coding} is decoded`, async (t) => {
    const url = await listen(t, ({ headers }, outgoing) => {
      assert.equal(headers['accept-encoding'], 'gzip, br');
      outgoing.writeHead(200, { 'content-encoding': coding }).end(bytes);
    });
    assert.equal(await textOf(await nodeFetch()(url, get)), 'hello');
  });
}

test('a coding that is not known is left as it is', async (t) => {
  const url = await listen(
    t,
    (_incoming, outgoing) => void outgoing.writeHead(200, { 'content-encoding': 'x' }).end('a'),
  );
  assert.equal(await textOf(await nodeFetch()(url, get)), 'a');
});

test('an event of a compressed stream comes when it is sent', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(outgoing);
    gzip.write('data: 1\n\n');
    gzip.flush(constants.Z_SYNC_FLUSH);
  });
  const controller = new AbortController();
  const reader = (await nodeFetch()(url, { ...get, signal: controller.signal })).body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'data: 1\n\n');
  controller.abort();
});

for (const name of ['Transfer-Encoding', 'content-length', 'Connection']) {
  test(`${name} is not for callers to set`, async () => {
    await assert.rejects(nodeFetch()('http://127.0.0.1:1/', { ...post, headers: { [name]: '1' } }), TypeError);
  });
}

for (const [name, value] of [
  ['x', 'a\r\ny: b'],
  ['x: y\r\nz', 'a'],
] as const) {
  test(`the header ${JSON.stringify(name)}: ${JSON.stringify(value)} does not break out of its line`, async () => {
    await assert.rejects(nodeFetch()('http://127.0.0.1:1/', { ...post, headers: { [name]: value } }), TypeError);
  });
}

test('a header of Latin-1 goes as such beside a body of UTF-8', async (t) => {
  let seen: IncomingMessage | undefined;
  const chunks: Buffer[] = [];
  const url = await listen(t, async (incoming, outgoing) => {
    seen = incoming;
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    answerJson(outgoing, {});
  });
  await textOf(await nodeFetch()(url, { ...post, headers: { 'x-name': 'é' }, body: '"é"' }));
  assert.equal(seen?.headers['x-name'], 'é');
  assert.equal(Buffer.concat(chunks).toString(), '"é"');
});

test('a URL with credentials or of another scheme is refused', async () => {
  await assert.rejects(nodeFetch()('http://me:secret@127.0.0.1/', get), { message: /^(?!.*secret)/ });
  await assert.rejects(nodeFetch()('ftp://127.0.0.1/', get), TypeError);
});

test('an address of IPv6 is reached', async (t) => {
  const server = createHttpServer((_incoming, outgoing) => answerJson(outgoing, {}));
  server.listen(0, '::1');
  const bound = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]);
  if (!bound) return t.skip('this machine has no IPv6');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  assert.equal(await textOf(await nodeFetch()(`http://[::1]:${port}/`, get)), '{}');
});

test('kept connections do not keep the process alive', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => answerJson(outgoing, {}));
  const script = `import { nodeFetch } from ${JSON.stringify(new URL('fetch.ts', import.meta.url).href)};
    const request = { method: 'GET', headers: {}, redirect: 'manual', signal: new AbortController().signal };
    await nodeFetch({ idleMs: 600_000 })(${JSON.stringify(url)}, request);`;
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
});

test('what is not reached is refused with the reason, and a name too', async (t) => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { channel } = await open(t, () => {}, {
    fetch: async (_url, given) => nodeFetch()(`http://localhost:${port}/`, given),
  });
  await assert.rejects(channel.send(request), { reason: 'refused', message: /ECONNREFUSED/ });
});

test('a client calls over TLS that it was told to trust, and over no other', async (t) => {
  const { createServer: createTlsServer } = await import('node:https');
  let pem: string;
  try {
    pem = execFileSync(
      'openssl',
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout - -out -'.split(
        ' ',
      ),
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
  } catch {
    return t.skip('there is no openssl to make a certificate with');
  }
  const server = createTlsServer({ key: pem, cert: pem }, (_incoming, outgoing) => answerJson(outgoing, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  assert.deepEqual(JSON.parse(await textOf(await nodeFetch({ tls: { ca: pem } })(url, post))), response);
  await assert.rejects(nodeFetch()(url, post), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});
