import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import {
  open,
  answerJson,
  answerEvents,
  request,
  response,
  notification,
  initialize,
} from '../../../../../../test/support/http-answers.ts';
import { until } from '../../../../../../test/support/turns.ts';

test('a message is one POST with both types accepted, and a JSON answer is heard [http-008] [http-009] [http-018]', async (t) => {
  let seen: IncomingMessage | undefined;
  let body = '';
  const { channel, heard } = await open(t, async (incoming, outgoing) => {
    seen = incoming;
    body = await text(incoming);
    answerJson(outgoing, response);
  });
  await channel.send(request);
  assert.equal(seen?.method, 'POST');
  assert.equal(seen.headers.accept, 'application/json, text/event-stream');
  assert.equal(seen.headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(body), request);
  assert.deepEqual(heard, [{ value: response, about: { status: 200, request: 1, text: JSON.stringify(response) } }]);
});

test('every message of an event stream is heard, comments and other events are not [http-018] [http-058]', async (t) => {
  const { channel, heard } = await open(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'Text/Event-Stream; charset=utf-8' });
    outgoing.write(
      `: hello\n\nid: 1\ndata:\n\nevent: other\ndata: {"a":1}\n\ndata: ${JSON.stringify(notification)}\n\n`,
    );
    outgoing.end(`event: message\ndata: ${JSON.stringify(response)}\n\n`);
  });
  await channel.send(request);
  assert.deepEqual(
    heard.map(({ value }) => value),
    [notification, response],
  );
});

test('a batch is one POST whose answers may come as an array', async (t) => {
  const { channel, heard } = await open(t, (_incoming, outgoing) =>
    answerJson(outgoing, [response, { ...response, id: 2 }]),
  );
  await channel.send([request, { ...request, id: 2 }]);
  assert.equal(heard.length, 1);
});

test('headers of the transport, the conversation, the message and the session go along [http-045] [http-077]', async (t) => {
  const seen: IncomingMessage[] = [];
  const { channel } = await open(
    t,
    (incoming, outgoing) => {
      seen.push(incoming);
      answerJson(outgoing, response, 200, { 'mcp-session-id': 'session-1' });
    },
    { headers: async () => ({ Authorization: 'Bearer x', 'MCP-PROTOCOL-VERSION': 'overridden' }) },
  );
  await channel.send(initialize);
  channel.setHeaders?.({ 'MCP-Protocol-Version': '2025-06-18' });
  await channel.send(request, { headers: { 'Mcp-Method': 'ping' } });
  assert.equal(seen[0]?.headers['mcp-session-id'], undefined);
  assert.partialDeepStrictEqual(seen[1]?.headers, {
    authorization: 'Bearer x',
    'mcp-protocol-version': '2025-06-18',
    'mcp-method': 'ping',
    'mcp-session-id': 'session-1',
  });
});

test('headers of the conversation that are set again hold from then on', async (t) => {
  const seen: unknown[] = [];
  const { channel } = await open(t, (incoming, outgoing) => {
    seen.push(incoming.headers['mcp-protocol-version']);
    answerJson(outgoing, response);
  });
  for (const version of ['2025-03-26', '2025-06-18']) {
    channel.setHeaders?.({ 'MCP-Protocol-Version': version });
    await channel.send(request);
  }
  assert.deepEqual(seen, ['2025-03-26', '2025-06-18']);
});

/** The session ids that three messages carry to a server that gives these ones. */
async function idsSent(t: TestContext, given: readonly string[]): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  const { channel, problems } = await open(t, (incoming, outgoing) => {
    const id = given[ids.push(incoming.headers['mcp-session-id']) - 1] ?? '';
    answerJson(outgoing, response, 200, id === '' ? {} : { 'mcp-session-id': id });
  });
  for (const message of [initialize, request, request]) await channel.send(message);
  return [...ids, problems.length];
}

test('a session id is that of the answer to initialize, or else the first one', async (t) => {
  assert.deepEqual(await idsSent(t, ['first', 'trap', 'trap']), [undefined, 'first', 'first', 0]);
  assert.deepEqual(await idsSent(t, ['', 'late', 'trap']), [undefined, undefined, 'late', 0]);
});

test('a session id may be long, and odd with a warning', async (t) => {
  const [odd, long] = ['a b;c="d"\u00e9', 'x'.repeat(8192)];
  assert.deepEqual(await idsSent(t, [odd]), [undefined, odd, odd, 1]);
  assert.deepEqual(await idsSent(t, [long]), [undefined, long, long, 0]);
  assert.deepEqual(await idsSent(t, [`${long}x`]), [undefined, undefined, undefined, 1]);
});

test('an answer that comes in pieces is whole', async (t) => {
  const text = JSON.stringify(response);
  const { channel, heard } = await open(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).write(text.slice(0, 10));
    setTimeout(() => outgoing.end(text.slice(10)), 10);
  });
  await channel.send(request);
  assert.deepEqual(
    heard.map(({ value }) => value),
    [response],
  );
});

test('202 answers a notification', async (t) => {
  const { channel, heard } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(202).end());
  await channel.send(notification);
  assert.deepEqual(heard, []);
});

test('a 202 whose body goes on does not hold the sender, and loses its connection', async (t) => {
  let gone!: Promise<unknown>;
  const { channel } = await open(t, (_incoming, outgoing) => {
    gone = once(outgoing, 'close');
    outgoing.writeHead(202).flushHeaders();
  });
  await channel.send(notification);
  await gone;
});

for (const status of [200, 202, 204]) {
  test(`an empty ${status} leaves a request unanswered, and it fails at once`, async (t) => {
    const { channel } = await open(t, (_incoming, outgoing) => void outgoing.writeHead(status).end());
    await assert.rejects(channel.send(request), { reason: 'closed', status });
  });
}

test('a stream that ends before the response fails the request', async (t) => {
  const { channel } = await open(t, (_incoming, outgoing) =>
    answerEvents(outgoing, notification, { ...response, id: '2' }),
  );
  await assert.rejects(channel.send(request), { reason: 'closed', message: /before the response/ });
});

test('a stream that breaks before the response fails the request', async (t) => {
  const { channel } = await open(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n', () => outgoing.destroy());
  });
  await assert.rejects(channel.send(request), { reason: 'closed' });
});

test('a stream that stays open after the response does not hold the sender', async (t) => {
  const { channel, heard } = await open(t, (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(response)}\n\n`);
  });
  await channel.send(request);
  assert.equal(heard.length, 1);
});

test('an event that is no JSON is a problem, and the next is heard', async (t) => {
  const { channel, heard, problems } = await open(t, (_incoming, outgoing) => {
    outgoing
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: {\n\ndata: ${JSON.stringify(response)}\n\n`);
  });
  await channel.send(request);
  assert.equal(heard.length, 1);
  assert.deepEqual(
    problems.map((problem) => problem.message),
    ['text is not JSON'],
  );
});

for (const [status, id] of [
  [400, 1],
  [404, 1],
  [400, null],
  [500, undefined],
] as const) {
  test(`an error message with id ${String(id)} and status ${status} is the response, and its status is known [http-114]`, async (t) => {
    const error = { code: -32601, message: 'no such method' };
    const { channel, heard } = await open(t, (_incoming, outgoing) =>
      answerJson(outgoing, { jsonrpc: '2.0', id, error }, status),
    );
    await channel.send(request);
    assert.deepEqual(heard, [{ value: { jsonrpc: '2.0', id: 1, error }, about: { status } }]);
  });
}

for (const [what, type, before, after] of [
  ['a body', 'application/json', '', ''],
  ['a batch', 'application/json', '[', ']'],
  ['an event', 'text/event-stream', 'data: ', '\n\n'],
] as const)
  test(`${what} that repeats the id as text is the response`, async (t) => {
    const answered = { jsonrpc: '2.0', id: '1', result: {} };
    const { channel, heard } = await open(
      t,
      (_incoming, outgoing) =>
        void outgoing.writeHead(200, { 'content-type': type }).end(`${before}${JSON.stringify(answered)}${after}`),
    );
    await channel.send(request);
    assert.deepEqual(
      heard.flatMap(({ value }) => value),
      [answered],
    );
  });

test('an error that repeats the id as text is the response, at whatever status', async (t) => {
  const error = { code: -32602, message: 'no such tool' };
  const { channel, heard } = await open(t, (_incoming, outgoing) =>
    answerJson(outgoing, { jsonrpc: '2.0', id: '1', error }, 404),
  );
  await channel.send(request);
  assert.deepEqual(heard, [{ value: { jsonrpc: '2.0', id: 1, error }, about: { status: 404 } }]);
});

for (const [type, body, words] of [
  [
    'application/json',
    '{"jsonrpc":"2.0"}',
    /^HTTP 200 from http:\/\/127\S+: the body, which is not an MCP message, ended before/,
  ],
  [
    'application/json; charset=utf-8',
    '{"jsonrpc":"2.0","id":"x9","result":{}}',
    /^HTTP 200 from http:\/\/127\S+: the body, which is not an MCP message, ended before the response; it answers the id "x9", and the request has 1$/,
  ],
  [
    'text/event-stream; charset=utf-8',
    'data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n',
    /^HTTP 200 from http:\/\/127\S+: the stream ended before the response; it answers the id 7, and the request has 1$/,
  ],
  [
    'text/event-stream',
    'data: {"hello":1}\n\n',
    /^HTTP 200 from http:\/\/127\S+: the stream ended before the response$/,
  ],
] as const)
  test(`what answers nothing is named with where it came from: ${type}`, async (t) => {
    const { channel } = await open(
      t,
      (_incoming, outgoing) => void outgoing.writeHead(200, { 'content-type': type }).end(body),
    );
    await assert.rejects(channel.send(request), { reason: 'closed', message: words });
  });

test('an error message for another request is not the response', async (t) => {
  const { channel, heard } = await open(t, (_incoming, outgoing) =>
    answerJson(outgoing, { jsonrpc: '2.0', id: '2', error: { code: 1, message: '' } }, 400),
  );
  await assert.rejects(channel.send(request), { reason: 'http', status: 400 });
  assert.deepEqual(heard, []);
});

test('an error message without an id and with status 200 is the response of the only request', async (t) => {
  const error = { code: -32700, message: 'what' };
  const { channel, heard } = await open(t, (_incoming, outgoing) =>
    answerJson(outgoing, { jsonrpc: '2.0', id: null, error }),
  );
  await channel.send(request);
  assert.deepEqual(heard[0]?.value, { jsonrpc: '2.0', id: 1, error });
});

test('an error without an id in a stream is the response if no other one comes', async (t) => {
  const error = { code: -32603, message: 'what' };
  const unnamed = { jsonrpc: '2.0', id: null, error };
  const streams = {
    'is answered': [[unnamed, response], true],
    ends: [[unnamed], true],
    'stays open': [[unnamed], false],
  } as const;
  for (const [how, [messages, isEnded]] of Object.entries(streams)) {
    const { channel, heard, problems } = await open(t, (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const message of messages) outgoing.write(`data: ${JSON.stringify(message)}\n\n`);
      if (isEnded) outgoing.end();
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const sent = channel.send(request);
    let isOver = false;
    void sent.finally(() => (isOver = true));
    await until(() => {
      t.mock.timers.tick(1_000);
      return isOver;
    });
    await sent;
    t.mock.timers.reset();
    const answered = how === 'is answered';
    const values = heard.map(({ value }) => value);
    assert.deepEqual(values, [answered ? response : { jsonrpc: '2.0', id: 1, error }], how);
    assert.equal(problems.length, answered ? 1 : 0, how);
  }
});

test('404 within a session says that the session is gone [http-048]', async (t) => {
  const { channel } = await open(t, async (incoming, outgoing) => {
    if (incoming.headers['mcp-session-id'] === undefined)
      return answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
    answerJson(outgoing, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'session not found' } }, 404);
  });
  await channel.send(initialize);
  await assert.rejects(channel.send(request), { reason: 'http', status: 404 });
});

test('400 within a session that names the request is its answer, as long as the session lives', async (t) => {
  const error = { code: -32600, message: 'sampling is missing', data: { requiredCapabilities: { sampling: {} } } };
  const { channel, heard } = await open(t, async (incoming, outgoing) => {
    if (incoming.headers['mcp-session-id'] === undefined)
      return answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    const { id } = JSON.parse(text) as { readonly id: unknown };
    answerJson(outgoing, { jsonrpc: '2.0', id, ...(id === 1 ? { error } : { result: {} }) }, id === 1 ? 400 : 200);
  });
  await channel.send(initialize);
  await channel.send(request);
  assert.deepEqual(heard.at(-1), { value: { jsonrpc: '2.0', id: 1, error }, about: { status: 400 } });
});

for (const [value, ms] of [
  ['7', 7_000],
  // In JSON there is no infinity, and a bridge passes it on.
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['Wed, 01 Jan 2020 00:00:00 GMT', 0],
] as const) {
  test(`503 with Retry-After: ${value.slice(0, 40)} says when to come back`, async (t) => {
    const { channel } = await open(
      t,
      (_incoming, outgoing) => void outgoing.writeHead(503, { 'retry-after': value }).end('overloaded'),
    );
    await assert.rejects(channel.send(request), {
      reason: 'http',
      status: 503,
      retryAfterMs: ms,
      body: 'overloaded',
      message: /^HTTP 503 from http:\/\/127\.0\.0\.1:\d+\/mcp: overloaded$/,
    });
  });
}

test('an id beyond ASCII comes back in the bytes in which it came', async (t) => {
  const seen: (string | undefined)[] = [];
  const { channel, heard } = await open(t, (incoming, outgoing) => {
    const id = incoming.headers['last-event-id'];
    // Node gives each byte of a header as one character.
    seen.push(
      typeof id === 'string'
        ? new TextDecoder().decode(Uint8Array.from(id, (character) => character.charCodeAt(0)))
        : undefined,
    );
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    if (seen.length === 1) outgoing.end('id: Ort é 漢字\nretry: 5\ndata:\n\n');
    else outgoing.end(`data: ${JSON.stringify(response)}\n\n`);
  });
  await channel.send(request);
  assert.deepEqual(seen, [undefined, 'Ort é 漢字']);
  assert.equal(heard.length, 1);
});

test('a page of HTML is no answer', async (t) => {
  const { channel } = await open(
    t,
    (_incoming, outgoing) => void outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi'),
  );
  await assert.rejects(channel.send(request), { reason: 'invalid-message', message: /text\/html/ });
});

test('a signal gives up the exchange, and the server sees its stream close [http-060]', async (t) => {
  const controller = new AbortController();
  let closed: () => void = () => {};
  const serverSawTheEnd = new Promise<void>((resolve) => (closed = resolve));
  const { channel } = await open(t, (_incoming, outgoing) => {
    outgoing.once('close', closed);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n', () => controller.abort());
  });
  await assert.rejects(channel.send(request, { signal: controller.signal }), { reason: 'aborted' });
  await serverSawTheEnd;
});

test('a signal that was aborted before sends nothing', async (t) => {
  let count = 0;
  const { channel } = await open(t, () => void count++);
  await assert.rejects(channel.send(request, { signal: AbortSignal.abort() }), { reason: 'aborted' });
  assert.equal(count, 0);
});

test('closing aborts what is under way, ends the session by DELETE, and silences the receiver [http-049]', async (t) => {
  const deleted: unknown[] = [];
  let arrived: () => void = () => {};
  const waiting = new Promise<void>((resolve) => (arrived = resolve));
  const { channel, heard, problems } = await open(t, async (incoming, outgoing) => {
    if (incoming.method === 'DELETE') {
      deleted.push(incoming.headers['mcp-session-id']);
      return void outgoing.writeHead(405).end();
    }
    const message = JSON.parse(await text(incoming));
    if (message.method === 'initialize') return answerJson(outgoing, response, 200, { 'mcp-session-id': 's' });
    arrived();
  });
  await channel.send(initialize);
  const pending = assert.rejects(channel.send(request), { reason: 'closed' });
  await waiting;
  await channel.close();
  await channel.close();
  await pending;
  assert.deepEqual(deleted, ['s']);
  assert.equal(heard.length, 1);
  assert.deepEqual(problems, []);
  await assert.rejects(channel.send(request), { reason: 'closed' });
});

test('a server that does not answer DELETE does not hold the closing', async (t) => {
  const { channel } = await open(
    t,
    (incoming, outgoing) =>
      incoming.method === 'DELETE' ? undefined : answerJson(outgoing, response, 200, { 'mcp-session-id': 's' }),
    { closeTimeoutMs: 10 },
  );
  await channel.send(initialize);
  await channel.close();
});

test('closing without a session sends nothing', async (t) => {
  let count = 0;
  const { channel } = await open(t, () => void count++);
  await channel.close();
  assert.equal(count, 0);
});
