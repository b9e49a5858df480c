import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { listen, open, answerJson, request, response, sending } from '../../../../../../test/support/http-answers.ts';
import { httpTransport } from './transport.ts';

test('a server that is not there is refused without the query of its URL', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const transport = httpTransport(`http://127.0.0.1:${port}/mcp?key=secret`, sending);
  assert.equal(transport.description, `http://127.0.0.1:${port}/mcp`);
  const channel = await transport.open({ message: () => {}, problem: () => {}, closed: () => {} });
  await assert.rejects(channel.send(request), { reason: 'refused', message: /^(?!.*secret).*ECONNREFUSED/ });
});

test('a description has no credentials, and other schemes are refused', () => {
  assert.equal(httpTransport('https://user:secret@host.test/mcp?key=secret#x').description, 'https://host.test/mcp');
  assert.throws(() => httpTransport('file:///etc/passwd'), TypeError);
});

test('credentials in the URL become an Authorization header', async (t) => {
  let authorization: string | undefined;
  const url = new URL(
    await listen(t, (incoming, outgoing) => {
      authorization = incoming.headers.authorization;
      answerJson(outgoing, response);
    }),
  );
  url.username = 'me';
  url.password = 'p%40ss';
  const channel = await httpTransport(url, sending).open({ message: () => {}, problem: () => {}, closed: () => {} });
  await channel.send(request);
  assert.equal(authorization, `Basic ${btoa('me:p@ss')}`);
});

test('a URL may have a user or a password alone', async (t) => {
  const seen: unknown[] = [];
  const at = await listen(t, (incoming, outgoing) => {
    seen.push(incoming.headers.authorization);
    answerJson(outgoing, response);
  });
  for (const [username, password] of [
    ['me', ''],
    ['', 'secret'],
    ['', ''],
  ] as const) {
    const channel = await httpTransport(Object.assign(new URL(at), { username, password }), sending).open({
      message: () => {},
      problem: () => {},
      closed: () => {},
    });
    await channel.send(request);
  }
  assert.deepEqual(seen, [`Basic ${btoa('me:')}`, `Basic ${btoa(':secret')}`, undefined]);
});

test('a user or password that is no valid percent-encoding is sent as it is', async (t) => {
  let seen: unknown;
  const at = await listen(t, (incoming, outgoing) => {
    seen = incoming.headers.authorization;
    answerJson(outgoing, response);
  });
  const url = new URL(at.replace('//', '//50%:a%zz@'));
  const channel = await httpTransport(url, sending).open({ message: () => {}, problem: () => {}, closed: () => {} });
  await channel.send(request);
  assert.equal(seen, `Basic ${btoa('50%:a%zz')}`);
});

for (const status of [307, 308]) {
  test(`${status} within the origin is followed with method and body`, async (t) => {
    const { channel, heard } = await open(t, async (incoming, outgoing) => {
      if (incoming.url === '/mcp') return void outgoing.writeHead(status, { location: '/moved' }).end();
      assert.equal(incoming.method, 'POST');
      answerJson(outgoing, { ...response, result: JSON.parse(await text(incoming)) });
    });
    await channel.send(request);
    assert.partialDeepStrictEqual(heard, [{ value: { result: request } }]);
  });
}

test('a redirect to another origin is never followed, so no credential goes there', async (t) => {
  let reached = false;
  const other = await listen(t, (_incoming, outgoing) => {
    reached = true;
    answerJson(outgoing, response);
  });
  const { channel } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(307, { location: other }).end(), {
    headers: { authorization: 'Bearer x' },
  });
  await assert.rejects(channel.send(request), { reason: 'http', status: 307 });
  assert.equal(reached, false);
});

test('a redirect to what is not HTTP is named as it is', async (t) => {
  const location = 'file:///etc/passwd';
  const { channel } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(307, { location }).end());
  await assert.rejects(channel.send(request), { reason: 'http', message: /redirect to file:\/\/\/etc\/passwd, / });
});

test('a redirect that would change the method is not followed', async (t) => {
  const { channel } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(302, { location: '/x' }).end());
  await assert.rejects(channel.send(request), { reason: 'http', status: 302 });
});

test('redirects in a circle end', async (t) => {
  let count = 0;
  const { channel } = await open(t, (_incoming, outgoing) => {
    count++;
    outgoing.writeHead(307, { location: '/mcp' }).end();
  });
  await assert.rejects(channel.send(request), { reason: 'http', message: /more than 3 times/ });
  assert.equal(count, 4);
});

test('a huge body stops at the limit', async (t) => {
  const { channel } = await open(
    t,
    (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!outgoing.destroyed && outgoing.write('x'.repeat(10_000)));
        if (!outgoing.destroyed) outgoing.once('drain', more);
      };
      more();
    },
    { maxMessageBytes: 100_000 },
  );
  await assert.rejects(channel.send(request), {
    reason: 'too-large',
    message: /, the limit that maxMessageBytes sets$/,
  });
});

test('a short body that is over the limit is refused too', async (t) => {
  const { channel } = await open(t, (_incoming, outgoing) => answerJson(outgoing, response), { maxMessageBytes: 10 });
  await assert.rejects(channel.send(request), {
    reason: 'too-large',
    message: /, the limit that maxMessageBytes sets$/,
  });
});

test('a gzip bomb stops at the limit of what it unpacks to', async (t) => {
  const bomb = gzipSync(new Uint8Array(50_000_000).fill(0x20));
  const { channel } = await open(
    t,
    (_incoming, outgoing) =>
      void outgoing.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    {
      maxMessageBytes: 1_000_000,
    },
  );
  await assert.rejects(channel.send(request), {
    reason: 'too-large',
    message: /, the limit that maxMessageBytes sets$/,
  });
});

test('an endless line of an event stream stops at the limit', async (t) => {
  let stopped: () => void = () => {};
  const serverSawTheEnd = new Promise<void>((resolve) => (stopped = resolve));
  const { channel } = await open(
    t,
    (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (!outgoing.destroyed && outgoing.write('data'.repeat(10_000)));
        if (!outgoing.destroyed) outgoing.once('drain', more);
      };
      outgoing.once('close', stopped);
      more();
    },
    { maxMessageBytes: 100_000 },
  );
  await assert.rejects(channel.send(request), {
    reason: 'too-large',
    message: /, the limit that maxMessageBytes sets$/,
  });
  await serverSawTheEnd;
});

test('invalid UTF-8 is no message [basic-002]', async (t) => {
  const { channel, heard } = await open(
    t,
    (_incoming, outgoing) =>
      void outgoing.writeHead(200, { 'content-type': 'application/json' }).end(Uint8Array.of(0x22, 0xff, 0x22)),
  );
  await assert.rejects(channel.send(request), { reason: 'invalid-message' });
  assert.deepEqual(heard, []);
});

test('a header that would break out of its line is refused and its value not shown', async (t) => {
  const { channel } = await open(t, () => {});
  await assert.rejects(channel.send(request, { headers: { 'x-key': 'secret\r\nx: y' } }), {
    reason: 'invalid-message',
    message: /^(?!.*secret)/,
  });
});

for (const type of ['text/event-stream', 'application/json']) {
  test(`what answers a notification with a body of ${type} that does not end is read for a moment`, async (t) => {
    let isCut!: () => void;
    const cut = new Promise<void>((resolve) => (isCut = resolve));
    const { channel, heard } = await open(t, (_incoming, outgoing) => {
      outgoing.once('close', isCut);
      outgoing.writeHead(200, { 'content-type': type });
      outgoing.write(type === 'application/json' ? ' ' : `data: ${JSON.stringify(response)}\n\n`);
    });
    await channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await cut;
    assert.equal(heard.length, type === 'application/json' ? 0 : 1);
  });
}

test('of a stream that answers a notification 100 messages are read at most', async (t) => {
  const { channel, heard } = await open(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write(`data: ${JSON.stringify(response)}\n\n`.repeat(1_000));
  });
  await channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal(heard.length, 100);
});
