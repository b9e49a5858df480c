/** What the specification asks of a server that asks its client: elicitation, sampling, roots. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { errorToWire, McpError } from '../../packages/parley/src/protocol/error.ts';
import { metaKey } from '../../packages/parley/src/protocol/meta.ts';
import { revisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { createServer, urlElicitationRequired, type ToolContext } from '../../packages/parley/src/server.ts';
import type { Server, ServerOptions } from '../../packages/parley/src/server.ts';
import { dates, handshakeDates, open, settle, statelessDate, type Json, type Raw } from '../support/raw.ts';
import { until } from '../support/turns.ts';

const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} };
const name = { type: 'object', properties: { name: { type: 'string', minLength: 2 } }, required: ['name'] } as const;
const text = { role: 'user', content: { type: 'text', text: 'hi' } } as const;
const since = (date: RevisionDate): readonly RevisionDate[] => dates.filter((one) => one >= date);

/** A server whose one tool does what the test says; its result is the JSON of what that gives. */
function asking(run: (ctx: ToolContext) => unknown, options: ServerOptions = {}): Server {
  const server = createServer({ name: 'tested', version: '1.0.0' }, { onError: () => undefined, ...options });
  server.tool('t', {}, async (_, ctx) => JSON.stringify(await run(ctx)));
  return server;
}

/** The next message that is sent to the client, taken away. */
async function heardNext(raw: Raw): Promise<Json> {
  await until(() => raw.heard.length > 0, 'something is sent');
  const [next] = raw.heard.splice(0, 1);
  assert.ok(next !== undefined, 'nothing was sent');
  return next.message;
}

/** Calls the tool up to its first question; gives the question, the pending answer, and what answers the question. */
async function firstQuestion(
  raw: Raw,
  stateless: boolean,
): Promise<{ readonly method: unknown; readonly params: Json; answer(result: Json): Promise<Json> }> {
  if (stateless) {
    const { inputRequests, requestState } = await raw.result('tools/call', { name: 't' });
    assert.ok(isObject(inputRequests));
    const [[key, question] = []] = Object.entries(inputRequests);
    assert.ok(key !== undefined && isObject(question));
    const { method, params = {} } = question;
    const answer = (result: Json): Promise<Json> =>
      raw.result('tools/call', { name: 't', requestState, inputResponses: { [key]: result } });
    return { method, params: params as Json, answer };
  }
  const done = raw.result('tools/call', { name: 't' });
  const { id, method, params = {} } = await heardNext(raw);
  const answer = async (result: Json): Promise<Json> => {
    await raw.receive({ jsonrpc: '2.0', id, result });
    return done;
  };
  return { method, params: params as Json, answer };
}

async function question(server: Server, date: RevisionDate): ReturnType<typeof firstQuestion> {
  return firstQuestion(await open(server, date, { capabilities: everything }), date === statelessDate);
}

for (const date of since('2025-06-18')) {
  test(`a form carries its message and a flat object of plain fields at ${date} [elicit-018, elicit-020, elicit-021]`, async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', pattern: '^[a-z]+$', maxLength: 9, $comment: 'not for forms' },
        age: { type: 'integer', minimum: 0, multipleOf: 1 },
        member: { type: 'boolean' },
        size: { type: 'string', enum: ['s', 'm'] },
      },
      required: ['name'],
      additionalProperties: false,
    } as const;
    const { method, params } = await question(
      asking((ctx) => ctx.elicit({ message: 'Who?', schema })),
      date,
    );
    assert.equal(method, 'elicitation/create');
    assert.deepEqual(params, {
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', maxLength: 9 },
          age: { type: 'integer', minimum: 0 },
          member: { type: 'boolean' },
          size: { type: 'string', enum: ['s', 'm'] },
        },
        required: ['name'],
      },
    });
  });

  for (const [what, field] of [
    ['an object', { type: 'object', properties: {} }],
    ['a list of objects', { type: 'array', items: { type: 'object' } }],
    ['null', { type: 'null' }],
  ] as const) {
    test(`a form that asks for ${what} is never sent at ${date} [elicit-021]`, async () => {
      const raw = await open(
        asking((ctx) => ctx.elicit({ message: 'm', schema: { type: 'object', properties: { field } } as never })),
        date,
        { capabilities: everything },
      );
      assert.equal((await raw.result('tools/call', { name: 't' }))['isError'], true);
      assert.deepEqual(raw.heard, []);
    });
  }

  test(`an answer that does not fit the form never reaches the handler at ${date} [elicit-060]`, async () => {
    const seen: unknown[] = [];
    const server = asking(async (ctx) => seen.push((await ctx.elicit({ message: 'm', schema: name })).content));
    const raw = await open(server, date, { capabilities: everything });
    const first = await firstQuestion(raw, date === statelessDate);
    const wrong = first.answer({ action: 'accept', content: { name: 'x' } });
    if (date === statelessDate) assert.equal((await wrong)['resultType'], 'input_required');
    else {
      const again = await heardNext(raw);
      assert.equal(again['method'], 'elicitation/create');
      await raw.receive({ jsonrpc: '2.0', id: again['id'], result: { action: 'accept', content: { name: 'Ann' } } });
      await wrong;
    }
    assert.deepEqual(seen, date === statelessDate ? [] : [{ name: 'Ann' }]);
  });

  for (const action of ['decline', 'cancel']) {
    test(`a handler hears that the user chose to ${action} at ${date} [elicit-035]`, async () => {
      const { answer } = await question(
        asking(async (ctx) => (await ctx.elicit({ message: 'm', schema: name })).action),
        date,
      );
      assert.partialDeepStrictEqual(await answer({ action }), { content: [{ text: JSON.stringify(action) }] });
    });
  }
}

for (const date of ['2025-06-18', '2025-11-25'] as const) {
  test(`a client that fails to ask its user fails the call alone at ${date} [elicit-035]`, async () => {
    const raw = await open(
      asking((ctx) => ctx.elicit({ message: 'm', schema: name })),
      date,
      { capabilities: everything },
    );
    const answer = raw.ask('tools/call', { name: 't' });
    await raw.receive({
      jsonrpc: '2.0',
      id: (await heardNext(raw))['id'],
      error: { code: -32603, message: 'no screen' },
    });
    const response = await answer;
    assert.ok('error' in response || (isObject(response['result']) && response['result']['isError'] === true));
    assert.ok('tools' in (await raw.result('tools/list')));
  });
}

const visit =
  (url: string) =>
  (ctx: ToolContext): Promise<unknown> =>
    ctx.elicitUrl({ message: 'Go.', url });

test('a page is asked for with its mode, message and URL, and in 2025-11-25 with an id of its own [elicit-018, elicit-020, elicit-023]', async () => {
  const server = asking(visit('https://a.example/'));
  assert.deepEqual((await question(server, statelessDate)).params, {
    mode: 'url',
    message: 'Go.',
    url: 'https://a.example/',
  });
  const ids = new Set<unknown>();
  for (let at = 0; at < 2; at++) {
    const { elicitationId, ...params } = (await question(server, '2025-11-25')).params;
    assert.deepEqual(params, { mode: 'url', message: 'Go.', url: 'https://a.example/' });
    assert.match(String(elicitationId), /^[0-9a-f-]{36}$/);
    ids.add(elicitationId);
  }
  assert.equal(ids.size, 2);
});

test('a page whose URL is none is never asked for [elicit-025]', async () => {
  for (const date of since('2025-11-25')) {
    for (const url of ['', 'a.example', '/path', 'https://', 'http://[', 'not a url']) {
      const raw = await open(asking(visit(url)), date, { capabilities: everything });
      assert.equal((await raw.result('tools/call', { name: 't' }))['isError'], true, url);
      assert.deepEqual(raw.heard, []);
    }
  }
});

test('that a user is done is told to the client that was asked, with the id, and to no other [elicit-026, elicit-027]', async () => {
  const server = asking(async (ctx) =>
    (await ctx.elicitUrl({ message: 'Go.', url: 'https://a.example/' })).completed(),
  );
  const asked = await open(server, '2025-11-25', { capabilities: everything });
  const other = await open(server, '2025-11-25', { capabilities: everything });
  const { params, answer } = await firstQuestion(asked, false);
  await answer({ action: 'accept' });
  const { elicitationId } = params;
  assert.deepEqual(asked.take(), [
    { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } },
  ]);
  assert.deepEqual(other.take(), []);
});

test('pages that must be visited first are an error with all of them, in 2025-11-25 by its own code [elicit-032, elicit-033, elicit-034]', async () => {
  const server = asking(() => {
    throw urlElicitationRequired([
      { message: 'Sign in.', url: 'https://a.example/' },
      { message: 'Pay.', url: 'https://b.example/', elicitationId: 'pay' },
    ]);
  });
  const raw = await open(server, '2025-11-25', { capabilities: everything });
  const { code, data } = await raw.error('tools/call', { name: 't' });
  assert.equal(code, -32042);
  assert.ok(isObject(data) && Array.isArray(data['elicitations']));
  const [first, second] = data['elicitations'];
  assert.match(first.elicitationId, /^[0-9a-f-]{36}$/);
  assert.deepEqual(first, {
    mode: 'url',
    message: 'Sign in.',
    url: 'https://a.example/',
    elicitationId: first.elicitationId,
  });
  assert.deepEqual(second, { mode: 'url', message: 'Pay.', url: 'https://b.example/', elicitationId: 'pay' });
});

test('no page, or one whose URL is none, makes no such error [elicit-031, elicit-032]', () => {
  assert.throws(() => urlElicitationRequired([] as never), TypeError);
  assert.throws(() => urlElicitationRequired([{ message: 'm', url: 'nowhere' }]), TypeError);
});

test('nothing but a page to visit has the code -32042, and that in 2025-11-25 alone [elicit-031]', () => {
  for (const revision of revisions) {
    const { code } = errorToWire(revision, urlElicitationRequired([{ message: 'm', url: 'https://a.example/' }]));
    assert.equal(code === -32042, revision.date === '2025-11-25');
    for (const kind of [
      'invalidParams',
      'invalidRequest',
      'internalError',
      'missingRequiredClientCapability',
    ] as const) {
      assert.notEqual(errorToWire(revision, new McpError(kind, 'x')).code, -32042);
    }
  }
});

test('who the user is comes from the edge, whatever the client says [elicit-040, elicit-041]', async () => {
  const server = asking((ctx) => ctx.auth?.principal ?? 'nobody');
  const claims = { sub: 'admin', principal: 'admin', 'com.example/user': 'admin' };
  for (const date of dates) {
    for (const [auth, expected] of [
      [{ principal: 'ann' }, 'ann'],
      [undefined, 'nobody'],
    ] as const) {
      const raw = await open(server, date, {
        ...(auth === undefined ? {} : { auth }),
        meta: { ...claims, [metaKey.clientInfo]: { name: 'admin', version: '1' } },
      });
      const result = await raw.result('tools/call', { name: 't', _meta: claims, principal: 'admin' });
      assert.partialDeepStrictEqual(result, { content: [{ text: JSON.stringify(expected) }] });
    }
  }
});

test('an answer counts only from the client and the user that were asked [elicit-047]', async () => {
  const server = asking(async (ctx) => (await ctx.elicit({ message: 'm', schema: name })).action);
  const asked = await open(server, '2025-11-25', { capabilities: everything, auth: { principal: 'ann' } });
  const other = await open(server, '2025-11-25', { capabilities: everything, auth: { principal: 'bob' } });
  const { answer } = await firstQuestion(asked, false);
  const otherQuestion = await firstQuestion(other, false);
  await other.receive({ jsonrpc: '2.0', id: 1, result: { action: 'decline' } });
  await otherQuestion.answer({ action: 'decline' });
  await settle();
  assert.deepEqual(asked.take(), []);
  assert.partialDeepStrictEqual(await answer({ action: 'cancel' }), { content: [{ text: '"cancel"' }] });

  const ann = await open(server, statelessDate, { capabilities: everything, auth: { principal: 'ann' } });
  const bob = await open(server, statelessDate, { capabilities: everything, auth: { principal: 'bob' } });
  const { requestState } = await ann.result('tools/call', { name: 't' });
  assert.equal((await bob.error('tools/call', { name: 't', requestState, inputResponses: {} })).code, -32602);
});

for (const date of handshakeDates) {
  test(`the client's model is asked while the call waits, on its stream, and what it says is used at ${date} [sampling-032]`, async () => {
    const server = asking(async (ctx) => (await ctx.sample({ messages: [text], maxTokens: 5 })).model);
    const raw = await open(server, date, { capabilities: everything });
    const answer = raw.result('tools/call', { name: 't' }, 'call');
    await until(() => raw.heard.length > 0, 'something is sent');
    const [asked] = raw.heard.splice(0);
    assert.equal(asked?.related, 'call');
    assert.partialDeepStrictEqual(asked.message, {
      method: 'sampling/createMessage',
      params: { messages: [text], maxTokens: 5 },
    });
    const result = { role: 'assistant', model: 'm-1', content: { type: 'text', text: 'hello' } };
    await raw.receive({ jsonrpc: '2.0', id: asked.message['id'], result });
    assert.partialDeepStrictEqual(await answer, { content: [{ text: '"m-1"' }] });
  });
}

for (const date of dates) {
  test(`a sampling request says who speaks and what, and asks for no context by itself at ${date} [sampling-008, sampling-017]`, async () => {
    const reply = { role: 'assistant', content: { type: 'text', text: 'yes' } } as const;
    const { method, params } = await question(
      asking((ctx) => ctx.sample({ messages: [text, reply, text], maxTokens: 5 })),
      date,
    );
    assert.equal(method, 'sampling/createMessage');
    assert.deepEqual(params, { messages: [text, reply, text], maxTokens: 5 });
  });

  test(`a tool use that nobody answered is never sent at ${date} [sampling-012, sampling-013]`, async () => {
    const use = { role: 'assistant', content: { type: 'tool_use', id: 'a', name: 'n', input: {} } } as const;
    const result = { role: 'user', content: { type: 'tool_result', toolUseId: 'b', content: [] } } as const;
    for (const messages of [
      [text, use],
      [text, use, result],
      [text, use, text],
    ]) {
      const raw = await open(
        asking((ctx) => ctx.sample({ messages, maxTokens: 5, tools: [] })),
        date,
        { capabilities: everything },
      );
      assert.equal((await raw.result('tools/call', { name: 't' }))['isError'], true);
      assert.deepEqual(raw.heard, []);
    }
  });

  test(`roots are asked of no client that did not say it has them at ${date} [roots-011]`, async () => {
    const raw = await open(
      asking((ctx) => ctx.roots()),
      date,
      { capabilities: { sampling: {} } },
    );
    const { message } = await raw.error('tools/call', { name: 't' });
    assert.match(message, /roots/);
    assert.deepEqual(raw.heard, []);
  });
}

for (const date of handshakeDates) {
  test(`roots that changed are those of the next question, and the news disturbs nothing at ${date} [roots-012]`, async () => {
    const server = asking(async (ctx) => (await ctx.roots()).map(({ uri }) => uri));
    const raw = await open(server, date, { capabilities: { roots: { listChanged: true } } });
    for (const uri of ['file:///old', 'file:///new']) {
      const { method, answer } = await firstQuestion(raw, false);
      assert.equal(method, 'roots/list');
      await raw.notify('notifications/roots/list_changed');
      assert.partialDeepStrictEqual(await answer({ roots: [{ uri }] }), { content: [{ text: JSON.stringify([uri]) }] });
    }
    assert.deepEqual(raw.take(), []);
  });

  test(`a question that gets no answer in time is given up, and the client told so by its id at ${date} [lifecycle-018, lifecycle-019, lifecycle-020, cancel-001, cancel-004]`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const raw = await open(
      asking((ctx) => ctx.roots(), { rounds: { requestTimeoutMs: 5000 } }),
      date,
      { capabilities: everything },
    );
    const answer = raw.error('tools/call', { name: 't' });
    const asked = await heardNext(raw);
    t.mock.timers.tick(4999);
    assert.deepEqual(raw.take(), []);
    t.mock.timers.tick(1);
    assert.match((await answer).message, /within 5000 ms/);
    assert.partialDeepStrictEqual(raw.take(), [
      { method: 'notifications/cancelled', params: { requestId: asked['id'] } },
    ]);
  });

  test(`requestTimeoutMs of 0 lets a question wait as long as it takes at ${date}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const raw = await open(
      asking((ctx) => ctx.roots(), { rounds: { requestTimeoutMs: 0 } }),
      date,
      { capabilities: everything },
    );
    const { answer } = await firstQuestion(raw, false);
    t.mock.timers.tick(86_400_000);
    assert.deepEqual(raw.take(), []);
    assert.partialDeepStrictEqual(await answer({ roots: [] }), { content: [{ text: '[]' }] });
  });

  test(`without a limit of its owner's a question still ends, after ten minutes, at ${date} [lifecycle-018, lifecycle-019]`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const raw = await open(
      asking((ctx) => ctx.roots()),
      date,
      { capabilities: everything },
    );
    const answer = raw.error('tools/call', { name: 't' });
    await heardNext(raw);
    t.mock.timers.tick(600_000);
    assert.match((await answer).message, /did not answer/);
  });
}
