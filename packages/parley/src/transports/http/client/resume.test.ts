import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import {
  answerJson,
  initialize,
  listen,
  notification,
  open,
  request,
  response,
  sending,
} from '../../../../../../test/support/http-answers.ts';
import { hurried } from '../../../../../../test/support/hurried.ts';
import type { ConnectionError } from '../../../jsonrpc/transport.ts';
import { httpTransport } from './transport.ts';

test('listening hears messages that belong to no request [http-031]', async (t) => {
  let accept: string | undefined;
  const { channel, heard } = await open(t, (incoming, outgoing) => {
    accept = `${incoming.method} ${incoming.headers.accept}`;
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(notification)}\n\n`);
  });
  await channel.listen?.();
  while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(accept, 'GET text/event-stream');
  assert.deepEqual(heard[0]?.value, notification);
  await channel.close();
});

for (const status of [404, 405]) {
  test(`a server that answers listening with ${status} just has no such stream [C62]`, async (t) => {
    const { channel, problems } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(status).end());
    assert.equal(await channel.listen?.(), false);
    assert.deepEqual(problems, []);
  });
}

test('a server that refuses listening with 500 is a problem', async (t) => {
  const { channel, problems } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(500).end());
  await channel.listen?.();
  assert.match(problems[0]?.message ?? '', /HTTP 500/);
});

// "if the first listening GET is refused with 5xx"
for (const [status, headers] of [
  [503, { 'retry-after': '0' }],
  [500, {}],
  [429, {}],
  [401, {}],
  [403, { 'www-authenticate': 'Bearer error="insufficient_scope"' }],
  [403, {}],
] as const) {
  test(`a server that refuses listening with ${status} at first is asked again`, async (t) => {
    hurried(t);
    let asked = 0;
    const { channel, heard, problems } = await open(t, (_incoming, outgoing) => {
      if (++asked < 2) return void outgoing.writeHead(status, headers).end();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write(`data: ${JSON.stringify(notification)}\n\n`);
    });
    assert.equal(await channel.listen?.(), true);
    // The pause does not keep the process alive; this does.
    const alive = setInterval(() => {}, 1_000);
    while (heard.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    clearInterval(alive);
    assert.deepEqual([asked, problems.length], [2, 1]);
    assert.equal(await channel.listen?.(), true);
    await channel.close();
  });
}

test('a listening stream that broke is opened again where it broke [http-027] [http-039]', async (t) => {
  const from: unknown[] = [];
  const { channel, heard, gaps } = await open(t, (incoming, outgoing) => {
    from.push(incoming.headers['last-event-id']);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    if (from.length === 1) outgoing.end(`retry: 5\nid: 7\ndata: ${JSON.stringify(notification)}\n\n`);
    else outgoing.write(`data: ${JSON.stringify(notification)}\n\n`);
  });
  await channel.listen?.();
  // The pause does not keep the process alive; this does.
  const alive = setInterval(() => {}, 1_000);
  while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  clearInterval(alive);
  assert.deepEqual(from, [undefined, '7']);
  assert.deepEqual(gaps, []);
  await channel.close();
});

test('a listening stream whose events have no ids is opened anew, and says that something may be missing', async (t) => {
  let asked = 0;
  const { channel, heard, gaps } = await open(t, (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = `retry: 1\ndata: ${JSON.stringify(notification)}\n\n`;
    if (++asked === 1) outgoing.end(event);
    else outgoing.write(event);
  });
  await channel.listen?.();
  // The pause does not keep the process alive; this does.
  const alive = setInterval(() => {}, 1_000);
  while (heard.length < 2) await new Promise((resolve) => setImmediate(resolve));
  clearInterval(alive);
  assert.deepEqual(gaps, [1]);
  await channel.close();
});

test('a numbered stream that broke before the response is taken up by GET after the pause asked for [http-026] [http-041]', async (t) => {
  const seen: unknown[] = [];
  const { channel, heard } = await open(t, (incoming, outgoing) => {
    seen.push([incoming.method, incoming.headers['last-event-id']]);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    if (seen.length === 1) outgoing.end('id: a\nretry: 5\ndata:\n\n');
    else if (seen.length === 2) outgoing.end(`id: b\ndata: ${JSON.stringify(notification)}\n\n`);
    else outgoing.end(`id: c\ndata: ${JSON.stringify(response)}\n\n`);
  });
  await channel.send(request);
  assert.deepEqual(seen, [
    ['POST', undefined],
    ['GET', 'a'],
    ['GET', 'b'],
  ]);
  assert.deepEqual(
    heard.map(({ value }) => value),
    [notification, response],
  );
});

test('in 2026-07-28 a broken stream is never taken up [http-063]', async (t) => {
  const methods: unknown[] = [];
  const { channel } = await open(t, (incoming, outgoing) => {
    methods.push(incoming.method);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: a\nretry: 1\ndata:\n\n');
  });
  await assert.rejects(channel.send(request, { headers: { 'MCP-Protocol-Version': '2026-07-28' } }), {
    reason: 'closed',
  });
  assert.deepEqual(methods, ['POST']);
});

test('a server that will not go on fails the request', async (t) => {
  const { channel } = await open(t, (incoming, outgoing) => {
    if (incoming.method === 'GET') return void outgoing.writeHead(405).end();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: a\nretry: 1\ndata:\n\n');
  });
  await assert.rejects(channel.send(request), { reason: 'closed' });
});

/** Lets requests that are on their way arrive. */
async function arrived(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a stream is not taken up a moment earlier than the server asked for [http-026]', async (t) => {
  const methods: unknown[] = [];
  const { channel } = await open(t, (incoming, outgoing) => {
    methods.push(incoming.method);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    if (methods.length === 1) outgoing.end('id: a\nretry: 60000\ndata:\n\n');
    else outgoing.end(`data: ${JSON.stringify(response)}\n\n`);
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent = channel.send(request);
  while (methods.length === 0) await arrived();
  await arrived();
  t.mock.timers.tick(59_999);
  await arrived();
  assert.deepEqual(methods, ['POST']);
  t.mock.timers.tick(1);
  await sent;
  assert.deepEqual(methods, ['POST', 'GET']);
});

test('a server that asks for no pause at all gets one all the same', async (t) => {
  const methods: unknown[] = [];
  const { channel } = await open(t, (incoming, outgoing) => {
    methods.push(incoming.method);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    if (methods.length === 1) outgoing.end('id: a\nretry: 0\ndata:\n\n');
    else outgoing.end(`data: ${JSON.stringify(response)}\n\n`);
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent = channel.send(request);
  while (methods.length === 0) await arrived();
  await arrived();
  t.mock.timers.tick(99);
  await arrived();
  assert.deepEqual(methods, ['POST']);
  t.mock.timers.tick(1);
  await sent;
  assert.deepEqual(methods, ['POST', 'GET']);
});

test('a server that asks for no pause and sends nothing is asked about once a second', async (t) => {
  let gets = 0;
  const { channel } = await open(t, (incoming, outgoing) => {
    if (incoming.method === 'GET') gets++;
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(`id: ${gets}\nretry: 0\ndata:\n\n`);
  });
  const stop = new AbortController();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent = channel.send(request, { signal: stop.signal });
  let ms = 0;
  const at: number[] = [];
  while (at.length < 7) {
    await arrived();
    t.mock.timers.tick(50);
    ms += 50;
    await arrived();
    if (gets > at.length) at.push(ms);
  }
  stop.abort();
  await assert.rejects(sent, { reason: 'aborted' });
  const pauses = at.map((one, index) => one - (at[index - 1] ?? one));
  // Each pause is longer than the one before, until a second.
  for (const [index, least] of [200, 400, 800, 1_000, 1_000, 1_000].entries())
    assert.ok((pauses[index + 1] ?? 0) >= least, `${pauses.join()}`);
});

test('empty but successful resumptions go on until the call is given up [http-041]', async (t) => {
  hurried(t);
  const methods: unknown[] = [];
  const enough = new AbortController();
  const { channel } = await open(t, (incoming, outgoing) => {
    methods.push(incoming.method);
    if (methods.length === 13) enough.abort();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: a\nretry: 1\ndata:\n\n');
  });
  await assert.rejects(channel.send(request, { signal: enough.signal }), { reason: 'aborted' });
  assert.deepEqual(methods, ['POST', ...Array.from({ length: 12 }, () => 'GET')]);
});

/** A server whose stream breaks at once, and is then refused with a status so many times. */
function refusing(status: number, times: number): { readonly methods: unknown[]; readonly listener: RequestListener } {
  const methods: unknown[] = [];
  return {
    methods,
    listener(incoming, outgoing) {
      const tries = methods.push(incoming.method) - 1;
      if (tries > 0 && tries <= times) return void outgoing.writeHead(status).end();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      if (tries === 0) outgoing.end('id: a\nretry: 100\ndata:\n\n');
      else outgoing.write(`id: b\ndata: ${JSON.stringify(incoming.method === 'GET' ? response : {})}\n\n`);
    },
  };
}

/** Lets time pass until something is so. */
async function passing(t: TestContext, until: () => boolean): Promise<void> {
  while (!until()) {
    t.mock.timers.tick(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a request whose stream cannot be reached five times in a row fails', async (t) => {
  const server = refusing(503, 100);
  const { channel } = await open(t, server.listener);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let failed: unknown;
  channel.send(request).catch((error: unknown) => (failed = error));
  await passing(t, () => failed !== undefined);
  assert.equal((failed as ConnectionError).reason, 'closed');
  assert.deepEqual(server.methods, ['POST', 'GET', 'GET', 'GET', 'GET', 'GET']);
});

test('a request whose stream is still in use to the server waits for the old one to die', async (t) => {
  const server = refusing(409, 8);
  const { channel, heard } = await open(t, server.listener);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let answered = false;
  void channel.send(request).then(() => (answered = true));
  await passing(t, () => heard.length > 0 && (t.mock.timers.tick(1_000), answered));
  assert.equal(server.methods.length, 10);
});

for (const [status, why] of [
  [409, 'was cut on this side alone gets 409 and'],
  [503, 'a busy server broke'],
  [405, 'a server had, and then says that it has none,'],
  [410, 'is refused for a reason of its own'],
] as const) {
  test(`a listening stream that ${why} is tried again with back-off until it opens`, async (t) => {
    const from: number[] = [];
    const { channel, heard, problems } = await open(t, (_incoming, outgoing) => {
      from.push(Date.now());
      if (from.length > 1 && from.length <= 9) return void outgoing.writeHead(status).end();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      if (from.length === 1) outgoing.end('retry: 100\n\n');
      else outgoing.write(`data: ${JSON.stringify(notification)}\n\n`);
    });
    await channel.listen?.();
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    await passing(t, () => heard.length > 0);
    assert.equal(from.length, 10);
    const [first, last] = [(from[3] ?? 0) - (from[2] ?? 0), (from[9] ?? 0) - (from[8] ?? 0)];
    assert.ok(last >= 8 * first && last <= 31_000, `pauses grow: ${first}, ${last}`);
    assert.equal(problems.length, 1);
    assert.match(problems[0]?.message ?? '', /could not be opened again yet/);
    await channel.close();
  });
}

for (const [asked, least] of [
  ['20', 20_000],
  ['86400', 60_000],
] as const)
  test(`a listening stream is not asked for before Retry-After: ${asked} is over, or a minute`, async (t) => {
    const from: number[] = [];
    const { channel, heard } = await open(t, (_incoming, outgoing) => {
      from.push(Date.now());
      if (from.length === 2) return void outgoing.writeHead(503, { 'retry-after': asked }).end();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      if (from.length === 1) outgoing.end('retry: 100\n\n');
      else outgoing.write(`data: ${JSON.stringify(notification)}\n\n`);
    });
    await channel.listen?.();
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    await passing(t, () => heard.length > 0);
    const waited = (from[2] ?? 0) - (from[1] ?? 0);
    assert.ok(waited >= least && waited < 3_600_000, `${waited} ms`);
    await channel.close();
  });

for (const [said, place] of [
  ['id: b\n\n', 'b'],
  ['id\n\n', undefined],
] as const) {
  test(`an id alone (${JSON.stringify(said)}) says where the stream is taken up [WHATWG, 9.2.6]`, async (t) => {
    const from: unknown[] = [];
    const { channel, heard } = await open(t, (incoming, outgoing) => {
      from.push(incoming.headers['last-event-id']);
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      if (from.length === 1) outgoing.end(`retry: 1\nid: a\ndata:\n\n${said}`);
      else outgoing.write(`data: ${JSON.stringify(notification)}\n\n`);
    });
    await channel.listen?.();
    const alive = setInterval(() => {}, 1_000);
    while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
    clearInterval(alive);
    assert.deepEqual(from, [undefined, place]);
    await channel.close();
  });
}

test('a listening stream whose place the server forgot is opened anew', async (t) => {
  const from: unknown[] = [];
  const { channel, heard, problems, gaps } = await open(t, (incoming, outgoing) => {
    const place = incoming.headers['last-event-id'];
    from.push(place);
    if (place !== undefined) return void outgoing.writeHead(400).end();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = `retry: 1\nid: 7\ndata: ${JSON.stringify(notification)}\n\n`;
    if (from.length === 1) outgoing.end(event);
    else outgoing.write(event);
  });
  await channel.listen?.();
  // The pause does not keep the process alive; this does.
  const alive = setInterval(() => {}, 1_000);
  while (heard.length < 2) await new Promise((resolve) => setImmediate(resolve));
  clearInterval(alive);
  assert.deepEqual([from, problems, gaps], [[undefined, '7', undefined], [], [1]]);
  await channel.close();
});

for (const [what, refuse] of [
  ['a token that ran out', (outgoing) => void outgoing.writeHead(401).end()],
  [
    'an event that is too large',
    (outgoing) =>
      void outgoing
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`id: 7\ndata: "${'x'.repeat(3_000)}"\n\n`),
  ],
] as const satisfies readonly (readonly [string, (outgoing: ServerResponse) => void])[]) {
  test(`listening goes on after ${what}`, async (t) => {
    hurried(t);
    const from: unknown[] = [];
    const { channel, heard, problems } = await open(
      t,
      (incoming, outgoing) => {
        from.push(incoming.headers['last-event-id']);
        if (from.length === 2) return refuse(outgoing);
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
        if (from.length === 1) outgoing.end('retry: 1\n\n');
        else outgoing.write(`data: ${JSON.stringify(notification)}\n\n`);
      },
      { maxMessageBytes: 2_000 },
    );
    await channel.listen?.();
    const alive = setInterval(() => {}, 1_000);
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clearInterval(alive);
    assert.deepEqual(from, [undefined, undefined, undefined]);
    assert.equal(problems.length, what.includes('large') ? 1 : 0);
    await channel.close();
  });
}

for (const [status, body] of [
  [404, ''],
  [400, 'Bad Request: No valid session ID provided'],
] as const) {
  test(`a listening stream ends with its session, which the server tells by ${status}`, async (t) => {
    let asked = 0;
    const url = await listen(t, (incoming, outgoing) => {
      if (incoming.method === 'POST' && asked === 0)
        return answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
      if (++asked > 1) return void outgoing.writeHead(status).end(body);
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\ndata:\n\n');
    });
    const ended = new Promise<ConnectionError>((resolve) => {
      const receiver = { message: () => {}, problem: () => {}, closed: resolve };
      void httpTransport(url, sending)
        .open(receiver)
        .then(async (channel) => {
          await channel.send(initialize);
          await channel.listen?.();
        });
    });
    // The pause does not keep the process alive; this does.
    const alive = setInterval(() => {}, 1_000);
    assert.equal((await ended).reason, 'session-lost');
    clearInterval(alive);
  });
}
