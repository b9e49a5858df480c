import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { brotliCompressSync, constants, createBrotliCompress, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { answerJson, listen } from '../../../../../../test/support/http-answers.ts';
import { get, post, rawServer, textOf } from '../../../../../../test/support/raw-http.ts';
import { connect } from '../../../client.ts';
import { createServer } from '../../../server/server.ts';
import { toNodeHandler } from '../server/http.ts';
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

for (const isMade of [false, true])
  test(`a header named __proto__ is sent and read${isMade ? ', also of headers that are made for each request' : ''}`, async (t) => {
    const server = createServer({ name: 's', version: '1' });
    t.after(() => server.close());
    const handler = toNodeHandler(server);
    const came: (string | undefined)[] = [];
    const url = await listen(t, (incoming, outgoing) => {
      const at = incoming.rawHeaders.indexOf('__proto__');
      came.push(at === -1 ? undefined : incoming.rawHeaders[at + 1]);
      outgoing.setHeader('__proto__', 'of the server');
      handler(incoming, outgoing);
    });
    const headers = JSON.parse('{"__proto__":"of the client"}') as Record<string, string>;
    const read: (string | null)[] = [];
    const send = nodeFetch();
    const fetch: typeof send = Object.assign(async (...given: Parameters<typeof send>) => {
      const response = await send(...given);
      read.push(response.headers.get('__proto__'));
      return response;
    }, send);
    const client = await connect(url, { fetch, headers: isMade ? () => headers : headers });
    await client.close();
    assert.deepEqual([new Set(came), new Set(read)], [new Set(['of the client']), new Set(['of the server'])]);
  });

test('a head without end is refused', async (t) => {
  const { url } = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let at = 0; at < 100; at++) socket.write(`x-${at}: ${'x'.repeat(1_000)}\r\n`);
  });
  await assert.rejects(nodeFetch()(url, get), /header/i);
});

test('a body of several pieces is none that is there as a whole', async (t) => {
  const pieces = '1\r\na\r\n1\r\nb\r\n0\r\n\r\n';
  const { url } = await rawServer(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${pieces}`);
  });
  const answer = await nodeFetch()(url, get);
  assert.equal(answer.body?.whole?.(), undefined);
  assert.equal(await textOf(answer), 'ab');
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

for (const coding of ['', 'Content-Encoding: gzip\r\n']) {
  test(`a body that breaks off is an error, not an end ${coding.trim()}`.trim(), async (t) => {
    const half = gzipSync('half');
    const { url } = await rawServer(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${coding}Content-Length: 99\r\n\r\n`);
      socket.end(half);
    });
    const answer = await nodeFetch()(url, get);
    await assert.rejects(textOf(answer), /closed/);
  });
}

const noise = randomBytes(1_000_000);
for (const [what, headers, piece] of [
  ['', {}, noise],
  [' and decoded', { 'content-encoding': 'gzip' }, gzipSync(noise)],
] as const) {
  test(`what nobody reads is not taken in${what} without end, and what is read late is whole`, async (t) => {
    let pieces = 0;
    const url = await listen(t, (_incoming, outgoing) => {
      outgoing.writeHead(200, headers);
      const more = (): void => {
        if (++pieces === 100) outgoing.end(piece);
        else outgoing.write(piece, more);
      };
      more();
    });
    const answer = await nodeFetch()(url, get);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The network holds some of them.
    assert.ok(pieces < 50, `${pieces} pieces were taken in`);
    let length = 0;
    const reader = answer.body?.getReader();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      length += next.value?.length ?? 0;
    assert.equal(length, 100 * noise.length);
  });
}

for (const [coding, bytes] of [
  ['gzip', gzipSync('hello')],
  ['br', brotliCompressSync('hello')],
  ['deflate', deflateSync('hello')],
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

test('a body that is not coded as it says is an error, and its connection ends', async (t) => {
  let gone!: Promise<unknown>;
  const url = await listen(t, (_incoming, outgoing) => {
    gone = once(outgoing, 'close');
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).write('no gzip');
  });
  const answer = await nodeFetch()(url, get);
  await assert.rejects(textOf(answer), { code: 'Z_DATA_ERROR' });
  await gone;
});

test('a large coded body that is read late is whole', async (t) => {
  const url = await listen(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(4_000_000)));
  });
  const answer = await nodeFetch()(url, get);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal((await textOf(answer)).length, 4_000_000);
});

for (const [coding, create, flush] of [
  ['gzip', createGzip, constants.Z_SYNC_FLUSH],
  ['br', createBrotliCompress, constants.BROTLI_OPERATION_FLUSH],
] as const) {
  test(`an event of a stream that is coded with ${coding} comes when it is sent`, async (t) => {
    const url = await listen(t, (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': coding });
      const encoder = create();
      encoder.pipe(outgoing);
      encoder.write('data: 1\n\n');
      encoder.flush(flush);
    });
    const controller = new AbortController();
    const reader = (await nodeFetch()(url, { ...get, signal: controller.signal })).body?.getReader();
    assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'data: 1\n\n');
    controller.abort();
  });
}

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
