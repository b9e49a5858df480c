import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { certificate } from '../../../../../../test/support/certificate.ts';
import { answerJson, listen, open, request, response } from '../../../../../../test/support/http-answers.ts';
import { get, ok, post, rawServer, textOf } from '../../../../../../test/support/raw-http.ts';
import { nodeFetch } from './fetch.ts';

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

test('of several connections the one that was used last is used first, so that the others get old', async (t) => {
  const ports: unknown[] = [];
  const url = await listen(t, ({ socket }, outgoing) => {
    ports.push(socket.remotePort);
    answerJson(outgoing, {});
  });
  const fetch = nodeFetch();
  await Promise.all([1, 2, 3].map(async () => await textOf(await fetch(url, post))));
  assert.equal(new Set(ports.splice(0)).size, 3);
  for (let at = 0; at < 3; at++) await textOf(await fetch(url, post));
  assert.equal(new Set(ports).size, 1);
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

test('a connection that broke makes room for another', async (t) => {
  const { url } = await rawServer(t, (socket, _onThis, onAll) => {
    if (onAll === 1) socket.resetAndDestroy();
    else socket.write(ok);
  });
  const fetch = nodeFetch({ maxConnections: 1 });
  await assert.rejects(fetch(url, post), { code: 'ECONNRESET' });
  assert.equal(await textOf(await fetch(url, post)), 'ok');
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

test('a connection that the server closed is not used again beside one that it did not', async (t) => {
  let closed: () => void = () => {};
  const end = new Promise<void>((resolve) => (closed = resolve));
  const { url } = await rawServer(t, (socket, _onThis, onAll) => {
    socket.write(ok);
    if (onAll !== 2) return;
    socket.once('close', closed);
    setTimeout(() => socket.end(), 5);
  });
  const fetch = nodeFetch();
  const both = async (): Promise<string[]> =>
    await Promise.all([1, 2].map(async () => await textOf(await fetch(url, post))));
  await both();
  await end;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(await both(), ['ok', 'ok']);
});

for (const [which, hint] of [
  ['that nobody uses', ''],
  ['that the server would keep for longer', 'Keep-Alive: timeout=600\r\n'],
] as const) {
  test(`a connection ${which} is closed after the time that was set`, async (t) => {
    let isClosed = false;
    const { url } = await rawServer(t, (socket) => {
      socket.once('close', () => (isClosed = true));
      socket.write(`HTTP/1.1 200 OK\r\n${hint}Content-Length: 2\r\n\r\nok`);
    });
    await textOf(await nodeFetch({ idleTimeoutMs: 20 })(url, post));
    // One that is kept for as long as undici does by default, 4 s, is open then.
    const until = performance.now() + 3_000;
    while (!isClosed && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    // A process that stood still has its end before it.
    for (let turn = 0; turn < 50 && !isClosed; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(isClosed);
  });
}

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
      let arrived = 0;
      let begin: () => void = () => {};
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const held = await listen(t, (_incoming, outgoing) => {
        if (++arrived === 1) begin();
        else answerJson(outgoing, {});
      });
      const first = fetch(held, { ...post, signal: blocker.signal });
      const second = fetch(held, { ...post, signal: controller.signal });
      await begun;
      controller.abort(new Error('mine'));
      await assert.rejects(second, /mine/);
      const third = fetch(held, post);
      blocker.abort();
      await assert.rejects(first, { name: 'AbortError' });
      assert.equal(await textOf(await third), '{}');
      return assert.equal(arrived, 2, 'what was given up is not sent');
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

test('a signal gives up a connection that is being made', async (t) => {
  let closed: () => void = () => {};
  const end = new Promise<void>((resolve) => (closed = resolve));
  const controller = new AbortController();
  // Nobody answers the greeting of TLS.
  const { url } = await rawServer(t, (socket) => {
    socket.once('close', closed);
    controller.abort(new Error('mine'));
  });
  const fetch = nodeFetch();
  await assert.rejects(fetch(url.replace('http:', 'https:'), { ...post, signal: controller.signal }), /mine/);
  await end;
});

test('a connection that takes too long to be made is given up', async (t) => {
  const { url } = await rawServer(t, () => {});
  await assert.rejects(nodeFetch({ connectTimeoutMs: 20 })(url.replace('http:', 'https:'), post), /timeout/i);
});

test('a signal that is aborted after the response changes nothing', async (t) => {
  const ports = new Set<unknown>();
  const url = await listen(t, ({ socket }, outgoing) => {
    ports.add(socket.remotePort);
    answerJson(outgoing, {});
  });
  const fetch = nodeFetch();
  for (let at = 0; at < 2; at++) {
    const controller = new AbortController();
    const answer = await fetch(url, { ...post, signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    assert.equal(await textOf(answer), '{}');
  }
  assert.equal(ports.size, 1);
});

test('what comes after a response is never taken for the next one', async (t) => {
  const { url, requests } = await rawServer(t, (socket, _onThis, onAll) => {
    socket.write(onAll === 1 ? `${ok}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil` : ok);
  });
  const fetch = nodeFetch({ maxConnections: 1 });
  const answers = await Promise.all([fetch(url, post).then(textOf), fetch(url, post).then(textOf)]);
  assert.deepEqual([answers, requests()], [['ok', 'ok'], 2]);
});

test('a stream has its connection for as long as it is open', async (t) => {
  let count = 0;
  const url = await listen(t, ({ method }, outgoing) => {
    count++;
    if (method === 'GET') outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    else answerJson(outgoing, {});
  });
  const fetch = nodeFetch({ maxConnections: 2 });
  const streams = [await fetch(url, get), await fetch(url, get)];
  const late = fetch(url, post);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(count, 2);
  await streams[0]?.body?.getReader().cancel();
  assert.equal(await textOf(await late), '{}');
  await streams[1]?.body?.getReader().cancel();
});

test('close leaves alone what is under way', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => {
    fetch.close();
    answerJson(outgoing, {});
  });
  const fetch = nodeFetch({ maxConnections: 1 });
  const answers = [fetch(url, post), fetch(url, post)];
  fetch.close();
  for (const answer of answers) assert.equal(await textOf(await answer), '{}');
});

test('the fetch of the process sends by what it did', async (t) => {
  const dispatcher = Symbol.for('undici.globalDispatcher.1');
  // Node sets it with the first of its classes.
  void globalThis.Headers;
  const before: unknown = Reflect.get(globalThis, dispatcher);
  const url = await listen(t, (_incoming, outgoing) => answerJson(outgoing, {}));
  await textOf(await nodeFetch()(url, post));
  assert.equal(Reflect.get(globalThis, dispatcher), before);
});

for (const [which, headers] of [
  ['a body', {}],
  ['a coded body', { 'content-encoding': 'gzip' }],
] as const) {
  test(`whoever cancels ${which} lets go of the connection`, async (t) => {
    let closed: () => void = () => {};
    const end = new Promise<void>((resolve) => (closed = resolve));
    const url = await listen(t, (_incoming, outgoing) => {
      outgoing.once('close', closed);
      outgoing.writeHead(200, headers).flushHeaders();
    });
    const { body } = await nodeFetch()(url, get);
    await body?.getReader().cancel();
    await end;
  });
}

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
    await nodeFetch({ idleTimeoutMs: 600_000 })(${JSON.stringify(url)}, request);`;
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
  const pem = certificate();
  if (pem === undefined) return t.skip('there is no openssl to make a certificate with');
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

test('the global fetch goes on sending by what Node sends by', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => void outgoing.end('a'));
  const program = `
    const { nodeFetch } = await import(${JSON.stringify(new URL('fetch.ts', import.meta.url).href)});
    const { Agent, getGlobalDispatcher } = await nodeFetch()(${JSON.stringify(url)}, { method: 'GET', headers: {}, signal: new AbortController().signal })
      .then(() => import('undici'));
    process.stdout.write(String(getGlobalDispatcher() instanceof Agent), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
  });
  assert.equal(stdout, 'false');
});
