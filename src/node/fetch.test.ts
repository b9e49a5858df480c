import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { brotliCompressSync, createGzip, constants, gzipSync } from 'node:zlib';
import { answerJson, listen } from '../../test/support/http-answers.ts';
import { get, post, rawServer, textOf } from '../../test/support/raw-http.ts';
import { nodeFetch } from './fetch.ts';

test('a redirect is handed on as it is', async (t) => {
  let count = 0;
  const url = await listen(t, (_incoming, outgoing) => {
    count++;
    outgoing.writeHead(307, { location: '/elsewhere' }).end();
  });
  const { status, headers } = await nodeFetch()(url, post);
  assert.deepEqual([status, headers.get('Location'), count], [307, '/elsewhere', 1]);
});

test('what comes before the response proper is passed over', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeEarlyHints({ link: '</a>; rel=preload' });
    answerJson(outgoing, {});
  });
  const answer = await nodeFetch()(url, post);
  assert.deepEqual([answer.status, answer.headers.get('link'), await textOf(answer)], [200, null, '{}']);
});

test('a header that came twice is one list, and one that did not come is none', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => answerJson(outgoing, {}, 200, { 'x-a': ['1', '2'] as never }));
  const { headers } = await nodeFetch()(url, post);
  assert.deepEqual([headers.get('X-A'), headers.get('x-b'), headers.get('constructor')], ['1, 2', null, null]);
});

test('a head without end is refused', async (t) => {
  const { url } = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let at = 0; at < 100; at++) socket.write(`x-${at}: ${'x'.repeat(1_000)}\r\n`);
  });
  await assert.rejects(nodeFetch()(url, get), /header/i);
});

test('a slow body comes piece by piece', async (t) => {
  const pieces = ['a', 'b', 'c'];
  let next: () => void = () => {};
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200);
    next = () => (pieces.length === 0 ? outgoing.end() : outgoing.write(pieces.shift()));
    next();
  });
  const reader = (await nodeFetch()(url, get)).body?.getReader();
  let text = '';
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    text += `${Buffer.from(part.value ?? []).toString()};`;
    next();
  }
  assert.equal(text, 'a;b;c;');
});

test('a body that breaks off is an error, not an end', async (t) => {
  const { url } = await rawServer(t, (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'));
  const answer = await nodeFetch()(url, get);
  await assert.rejects(textOf(answer), /closed/);
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

test('codings without end are left as they are', async (t) => {
  const coding = 'gzip, gzip, gzip, gzip';
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': coding }).end('a');
  });
  assert.equal(await textOf(await nodeFetch()(url, get)), 'a');
});

test('a body that is not coded as it says is an error', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
  });
  const answer = await nodeFetch()(url, get);
  await assert.rejects(textOf(answer), { code: 'Z_DATA_ERROR' });
});

test('a large coded body that is read late is whole', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(4_000_000)));
  });
  const answer = await nodeFetch()(url, get);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal((await textOf(answer)).length, 4_000_000);
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
