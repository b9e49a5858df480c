import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { listen, sending } from '../../../../../../test/support/http-answers.ts';
import type { Authorization } from '../../../auth/common/authorizer.ts';
import { connect, type Client, type ConnectOptions, type HttpTransportOptions } from '../../../client.ts';
import { SessionCheck, type SessionQuestion } from './session-check.ts';

type Answer = readonly [status: number, body?: string, headers?: Readonly<Record<string, string>>];

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

interface Served {
  readonly client: Client;
  /** What came: the method and the number of its session, where it named one. */
  readonly came: readonly string[];
  /** Forgets all sessions. */
  restart(): void;
  readonly sessions: () => number;
}

interface Odd {
  /** Answer to a message in a session that is not known. */
  readonly unknown: (message: Message) => Answer;
  /** Answer to a message in a known session, in place of the usual one. */
  readonly known?: (message: Message, session: number) => Answer | undefined;
  readonly options?: ConnectOptions & HttpTransportOptions;
}

/** A client of a server of 2025-11-25 that answers as it likes what belongs to no session. */
async function served(t: TestContext, { unknown, known, options }: Odd): Promise<Served> {
  let [opened, first] = [0, 1];
  const came: string[] = [];
  const url = await listen(t, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message = JSON.parse(text || '{}') as Message;
    const { id, method = request.method ?? '' } = message;
    const result = (value: object): string => JSON.stringify({ jsonrpc: '2.0', id, result: value });
    const answer = (status: number, body = '', headers: Readonly<Record<string, string>> = {}): void =>
      void response
        .writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/plain', ...headers })
        .end(body);
    if (method === 'GET') return answer(405);
    // A server may refuse a POST without the headers that the protocol requires.
    const { accept = '', 'content-type': type = '' } = request.headers;
    if (request.method === 'POST' && !(accept.includes('text/event-stream') && type === 'application/json'))
      came.push('POST without its headers');
    if (method === 'initialize') {
      came.push(method);
      const info = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      return answer(200, result(info), { 'mcp-session-id': String(++opened) });
    }
    const session = Number(request.headers['mcp-session-id']);
    came.push(`${method} ${session}`);
    if (session < first) return answer(...unknown(message));
    const own = known?.(message, session);
    if (own !== undefined) return answer(...own);
    if (id === undefined) return answer(202);
    answer(200, result(method === 'tools/list' ? { tools: [] } : { content: [] }));
  });
  const client = await connect(url, { revisions: ['2025-11-25'], ...sending, ...options });
  t.after(() => client.close());
  came.length = 0;
  return { client, came, restart: () => void (first = opened + 1), sessions: () => opened };
}

const refusals: readonly (readonly [title: string, unknown: Odd['unknown'], extra: readonly string[]])[] = [
  ['401 without a challenge', () => [401, 'Unauthorized: Session not found'], ['initialize', 'ping 2', 'DELETE 2']],
  ['403', () => [403, 'no'], ['initialize', 'ping 2', 'DELETE 2']],
  ['400 with a text', () => [400, 'Session terminated'], []],
  ['400 without a text', () => [400], []],
  [
    '400 with an error that names the request',
    ({ id }) => [400, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'gone' } })],
    [],
  ],
  ['410', () => [410], []],
  ['422 in another language', () => [422, 'Sitzung unbekannt'], []],
];

for (const [title, unknown, extra] of refusals)
  test(`a server that forgot the session and answers ${title} gets a new one`, async (t) => {
    const { client, came, restart, sessions } = await served(t, { unknown });
    restart();
    assert.deepEqual(await client.listTools(), []);
    const now = sessions();
    const again = came.filter((what) => !what.startsWith('DELETE'));
    assert.deepEqual(again, [
      'tools/list 1',
      'ping 1',
      ...extra.slice(0, 2),
      'initialize',
      `notifications/initialized ${now}`,
      `tools/list ${now}`,
    ]);
    restart();
    await assert.rejects(client.callTool('x'), { reason: 'session-lost', message: /nothing ran/ });
    assert.deepEqual((await client.callTool('x')).content, []);
  });

const coded = (status: number, code: number, named: boolean = true): Odd['unknown'] => {
  return ({ id }) => [
    status,
    JSON.stringify({ jsonrpc: '2.0', id: named ? id : null, error: { code, message: 'Session not found' } }),
  ];
};
const vague: readonly (readonly [title: string, unknown: Odd['unknown']])[] = [
  ['200 with an error that a server defines', coded(200, -32_001)],
  ['200 with an error without an id', coded(200, -32_600, false)],
  ['200 with invalid params', coded(200, -32_602)],
  ['200 with an internal error', coded(200, -32_603)],
  ['200 with the code 0', coded(200, 0)],
  ['500 with an error', coded(500, -32_603, false)],
  ['500 without a text', () => [500]],
  ['202 without an answer', () => [202]],
];
for (const [title, unknown] of vague)
  test(`a server that forgot the session and answers ${title} gets a new one, and the call may have run`, async (t) => {
    const { client, came, restart } = await served(t, { unknown });
    restart();
    assert.deepEqual(await client.listTools(), []);
    const again = came.filter((what) => !what.startsWith('DELETE'));
    const check = ['tools/list 1', 'ping 1', 'initialize', 'ping 2'];
    assert.deepEqual(again, [...check, 'initialize', 'notifications/initialized 3', 'tools/list 3']);
    restart();
    await assert.rejects(client.callTool('x'), { reason: 'session-lost', message: /may have run/ });
    assert.deepEqual((await client.callTool('x')).content, []);
  });

for (const [title, answer, pings] of [
  ['200 and wrong parameters', coded(200, -32_602), 1],
  ['200 and an internal error', coded(200, -32_603), 1],
  ['200 and an unknown method', coded(200, -32_601), 0],
  ['200 and the code of an application', coded(200, 7), 0],
  ['200 and a missing resource', coded(200, -32_002), 0],
  ['200 and an error that a server defines', coded(200, -32_000), 1],
  ['500', coded(500, -32_603), 1],
  ['202 without an answer', (): Answer => [202], 1],
] as const)
  test(`two calls that are answered with ${title} for their own sake stay failed after ${pings} pings`, async (t) => {
    const { client, came, sessions } = await served(t, {
      unknown: () => [404],
      known: (message) => (message.method === 'tools/call' ? answer(message) : undefined),
    });
    for (const _ of [1, 2])
      await assert.rejects(client.callTool('x'), (error: unknown) => Object(error)['reason'] !== 'session-lost');
    assert.deepEqual([came.filter((what) => what.startsWith('ping')).length, sessions()], [pings, 1]);
  });

test('a server that answers nothing in any session keeps its session', async (t) => {
  for (const answer of [coded(200, -32_001), coded(500, -32_603), (): Answer => [202]]) {
    let broken = false;
    const { client, sessions } = await served(t, {
      unknown: () => [404],
      known: (message) => (broken ? answer(message) : undefined),
    });
    broken = true;
    await assert.rejects(client.callTool('x'), (error: unknown) => Object(error)['reason'] !== 'session-lost');
    broken = false;
    await client.callTool('x');
    assert.equal(sessions(), 2);
  }
});

for (const [status, reason] of [
  [400, 'http'],
  [401, 'unauthorized'],
  [403, 'http'],
  [409, 'http'],
  [422, 'http'],
] as const)
  test(`a call that is refused with ${status} for its own sake stays refused`, async (t) => {
    const { client, came, sessions } = await served(t, {
      unknown: () => [404],
      known: ({ method }) => (method === 'tools/call' ? [status, 'Session not found'] : undefined),
    });
    await assert.rejects(client.callTool('x'), { reason, status });
    assert.deepEqual([came, sessions()], [['tools/call 1', 'ping 1'], 1]);
  });

test('a call with the answer 404 in a session that answers a ping may have run, and is never sent again', async (t) => {
  for (const sessionLost of ['fail', 'repeat'] as const) {
    const { client, came, sessions } = await served(t, {
      unknown: () => [404],
      known: ({ method }, session) => (method === 'tools/call' && session === 1 ? [404, '{"message":"x"}'] : undefined),
      options: { sessionLost },
    });
    await assert.rejects(client.callTool('x'), { reason: 'session-lost', status: 404, message: /which may have run/ });
    assert.deepEqual((await client.callTool('x')).content, []);
    const expected = ['tools/call 1', 'ping 1', 'initialize', 'notifications/initialized 2', 'tools/call 2'];
    assert.deepEqual([came, sessions()], [expected, 2]);
  }
});

test('a call with the answer 404 in a session that is gone is sent again if that was asked for', async (t) => {
  const { client, came, restart } = await served(t, {
    unknown: () => [404],
    options: { sessionLost: 'repeat' },
  });
  restart();
  assert.deepEqual((await client.callTool('x')).content, []);
  assert.deepEqual(came, ['tools/call 1', 'ping 1', 'initialize', 'notifications/initialized 2', 'tools/call 2']);
});

test('a server that has no ping, and says so, knows the session', async (t) => {
  const refusal = ({ id }: Message, code: number): Answer => [
    400,
    JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } }),
  ];
  const { client, sessions } = await served(t, {
    unknown: () => [404],
    known: (message) => {
      if (message.method === 'ping') return refusal(message, -32601);
      return message.method === 'tools/call' ? refusal(message, -32602) : undefined;
    },
  });
  await assert.rejects(client.callTool('x'), { kind: 'invalidParams' });
  assert.equal(sessions(), 1);
});

test('a server that is busy, or says how to authorize, is not asked for the session', async (t) => {
  for (const answer of [
    [429, ''],
    [408, ''],
    [401, '', { 'www-authenticate': 'Bearer' }],
  ] as const) {
    const { client, came } = await served(t, {
      unknown: () => [404],
      known: () => answer,
      options: { revisions: ['2025-11-25'] },
    }).catch(() => ({ client: undefined, came: [] }));
    assert.equal(client, undefined);
    assert.deepEqual(came, []);
  }
});

test('credentials that are refused everywhere are not taken for a lost session', async (t) => {
  let revoked = false;
  const { client, sessions, came } = await served(t, {
    unknown: () => [404],
    known: () => (revoked ? [401, 'key revoked'] : undefined),
  });
  revoked = true;
  for (let tries = 0; tries < 10; tries++)
    await assert.rejects(client.callTool('x'), { reason: 'unauthorized', status: 401 });
  assert.equal(came.filter((what) => what.startsWith('tools/call')).length, 10);
  // Each question opened one session, and ended it; nobody waits for the last end.
  assert.ok(came.filter((what) => what.startsWith('DELETE')).length >= sessions() - 2);
});

test('a request gets at most one new session, and a client five in a minute', async (t) => {
  let broken = false;
  const { client, sessions } = await served(t, {
    unknown: () => [400],
    known: ({ method }) => (broken && method !== 'notifications/initialized' ? [400, 'no'] : undefined),
  });
  broken = true;
  await assert.rejects(client.listTools(), { reason: 'session-lost' });
  assert.ok(sessions() <= 3, String(sessions()));
  for (let tries = 0; tries < 10; tries++) await assert.rejects(client.listTools());
  assert.ok(sessions() <= 6, String(sessions()));
});

/** An authorization that counts the refusals it is asked to answer. */
function counted(): { readonly auth: Authorization; readonly refused: () => number } {
  let count = 0;
  const bind: Authorization['bind'] = () => ({
    headers: () => ({ authorization: `Bearer ${count}` }),
    refused: async () => ++count === 1,
  });
  return { auth: { bind, context: () => 'me' }, refused: () => count };
}

test('a lost session starts no login where the server answers 401 without a challenge', async (t) => {
  const { auth, refused } = counted();
  const { client, restart } = await served(t, {
    unknown: () => [401, 'Unauthorized: Session not found'],
    options: { auth },
  });
  restart();
  assert.deepEqual(await client.listTools(), []);
  assert.equal(refused(), 0);
});

test('a token that expired at a server without challenges is renewed in the same session', async (t) => {
  const { auth, refused } = counted();
  let expired = false;
  const { client, sessions, came } = await served(t, {
    unknown: () => [404],
    known: () => (expired && refused() === 0 ? [401, 'expired'] : undefined),
    options: { auth },
  });
  expired = true;
  assert.deepEqual(await client.listTools(), []);
  assert.equal(refused(), 1);
  assert.equal(came.at(-1), 'tools/list 1');
  assert.equal(sessions(), 2);
});

test('an answer that is refused in a lost session ends its call at once', async (t) => {
  const url = await listen(t, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { id, method } = JSON.parse(text || '{}') as Message;
    if (method === 'initialize') {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      return void response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    if (method !== 'tools/call')
      return void response
        .writeHead(method === 'notifications/initialized' ? 202 : request.method === 'GET' ? 405 : 410)
        .end();
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write('data: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n');
  });
  const client = await connect(url, { revisions: ['2025-11-25'], ...sending });
  t.after(() => client.close());
  await assert.rejects(client.callTool('x'), { reason: 'session-lost' });
});

test('a server that leaves the question unanswered for 5 seconds proves nothing, and is waited for no more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: SessionQuestion[] = [];
  const send = (question: SessionQuestion): Promise<never> => {
    asked.push(question);
    return new Promise((_, reject) => question.signal.addEventListener('abort', () => reject(new Error('gone'))));
  };
  const found = new SessionCheck({ session: 's', initialize: '{}', send }).isGone(400);
  t.mock.timers.tick(4_999);
  assert.equal(asked[0]?.signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal(await found, false);
  assert.equal(asked.length, 1);
});
